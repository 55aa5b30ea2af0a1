package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// fullDisk takes some bytes and refuses the rest.
type fullDisk struct{ room int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) > d.room {
		return 0, fi.ErrNoSpc
	}
	d.room -= len(b)
	return len(b), nil
}

// TestLostOutputIsAFailure: a script that redirects a table to a full disk must not take what is there for all of it.
func TestLostOutputIsAFailure(t *testing.T) {
	for _, args := range []string{
		"rdm_pingpong --local -p mem -I 2 -S l:8,16,32 --starts 1",
		"rdm_pingpong --local -p mem -I 2 -S l:8,16,32 --starts 1 --json",
		"rdm --local -p mem", "dom_test -p mem", "help", "version", "man",
	} {
		for _, room := range []int{0, 10} {
			var errs bytes.Buffer
			p := &program{ctx: context.Background(), out: io.Writer(&fullDisk{room}), err: &errs}
			if code := p.main(strings.Fields(args)); code != int(fi.ErrNoSpc) {
				t.Errorf("%s, room for %d bytes: status %d, want %d: %s", args, room, code, int(fi.ErrNoSpc), errs.String())
			}
			if !strings.Contains(errs.String(), "write()") || !strings.Contains(errs.String(), "  try: ") {
				t.Errorf("%s: no words, or nothing to try: %s", args, errs.String())
			}
		}
	}
}
