package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perfrun"
)

// perfFormats are what -o knows.
var perfFormats = []string{"json", "bench", "html"}

// perfOutput is a value of -o.
type perfOutput struct {
	format string
	name   string   // of the file; empty for standard output
	file   *os.File // nil for standard output
	made   bool     // there was no such file
}

// setOutput takes FORMAT or FORMAT=FILE.
func (s *sweep) setOutput(v string) error {
	format, name, _ := strings.Cut(v, "=")
	if !slices.Contains(perfFormats, format) {
		return options.Bad(v, "json, bench or html, with =FILE behind it for a file")
	}
	if name == "-" {
		name = ""
	}
	for _, o := range s.outputs {
		if o.name == name {
			where := "standard output"
			if name != "" {
				where = name
			}
			return options.Bad(v, "possible: "+where+" gets "+o.format+" already")
		}
	}
	s.outputs = append(s.outputs, &perfOutput{format: format, name: name})
	return nil
}

// openOutputs opens the files before anything is measured. What stands in them is kept until there is something new;
// discard closes them and removes those that were made in vain.
func (s *sweep) openOutputs() (discard func(), err error) {
	discard = func() {
		for _, o := range s.outputs {
			if o.file != nil && o.file.Close() == nil && o.made { // it has not been written
				os.Remove(o.name) //nolint:errcheck // it is empty
			}
		}
	}
	for _, o := range s.outputs {
		if o.name == "" {
			continue
		}
		_, missing := os.Stat(o.name)
		if o.file, err = os.OpenFile(o.name, os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
			discard()
			return nil, &fail.Hint{Err: fail.Call("output", err), Next: "fabtests perf -o " + o.format + "=FILE, in a folder that may be written"}
		}
		o.made = missing != nil
	}
	return discard, nil
}

// write writes the result in all its forms. The notes go to standard error where nobody else has them.
func (s *sweep) write(r *perfrun.Result) error {
	forms := map[string]func(io.Writer) error{"json": r.WriteJSON, "bench": r.WriteBench, "html": r.WritePage}
	table := true
	for _, o := range s.outputs {
		var text bytes.Buffer
		if err := forms[o.format](&text); err != nil {
			return err
		}
		if o.file == nil {
			table = false
			if _, err := s.p.out.Write(text.Bytes()); err != nil {
				return err
			}
			continue
		}
		_, err := o.file.Write(text.Bytes())
		if err := errors.Join(o.file.Truncate(int64(text.Len())), err, o.file.Close()); err != nil {
			return fail.Call("output", err)
		}
	}
	if table {
		return r.WriteTable(s.p.out)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(s.p.err, n)
	}
	return nil
}
