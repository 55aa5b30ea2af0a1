package main

import (
	"bytes"
	"testing/fstest"

	"github.com/gofabric/gofabric/internal/cli"
)

// testWorld is a machine of its own: files below /proc and /sys, no environment, plain output.
func testWorld(files map[string]string) (w *world, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	root := fstest.MapFS{}
	for name, data := range files {
		root[name] = &fstest.MapFile{Data: []byte(data)}
	}
	return &world{stdout: stdout, stderr: stderr, lookup: noEnv, root: root, style: cli.Style{}}, stdout, stderr
}
