package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// version prints three lines as libfabric's tool does: the tool, the release of libfabric whose API this is, the API.
// With -v before it, the module and the compiler too.
func (w *world) version(c *config) int {
	tool, module := buildVersion()
	if c.json {
		return w.writeJSON(document{Module: module})
	}
	fmt.Fprintf(w.stdout, "fi_info: %s\nlibfabric: %s.0\nlibfabric api: %s\n", tool, fi.APIVersion, fi.APIVersion)
	if c.verbose {
		fmt.Fprintf(w.stdout, "module: %s %s\nrevision: %s\ngo: %s\n", module.Path, module.Version, module.Revision, module.Go)
	}
	return exitOK
}

// moduleJSON is where the program comes from.
type moduleJSON struct {
	Path     string `json:"path"`
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
}

// buildVersion gives the version of the tool, without the v of module versions, and what the build knows.
func buildVersion() (string, *moduleJSON) {
	m := &moduleJSON{Version: "(devel)", Revision: "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		m.Path, m.Go = info.Main.Path, info.GoVersion
		if info.Main.Version != "" {
			m.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				m.Revision = s.Value
			}
		}
	}
	tool := strings.TrimPrefix(m.Version, "v")
	if tool == "(devel)" {
		tool = "0.0.0-devel"
	}
	return tool, m
}
