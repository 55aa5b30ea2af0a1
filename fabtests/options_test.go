package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabtests/internal/options"
)

// TestOptionErrors: what is wrong with the value of an option names that once, whatever the command.
func TestOptionErrors(t *testing.T) {
	const bad = "\x01no such value"
	tried := 0
	try := func(name, long string) {
		var out, errs bytes.Buffer
		p := &program{ctx: context.Background(), out: &out, err: &errs}
		args := []string{name, "--" + long + "=" + bad, "--help"}
		if p.main(args) == 0 { // any text will do
			return
		}
		tried++
		head := "fabtests: " + name + ": option '--" + long + "': "
		if got := errs.String(); !strings.HasPrefix(got, head) || strings.Contains(strings.TrimPrefix(got, head), "option '--"+long) {
			t.Errorf("%q: %s", args, got)
		}
	}
	for _, s := range scenarios() {
		if s.Options == nil {
			continue
		}
		for _, o := range s.Options(options.New()) {
			if o.Arg != "" {
				try(s.Name, o.Long)
			}
		}
	}
	for _, o := range options.New().Table(nil) {
		if o.Arg != "" {
			try("rma_bw", o.Long)
		}
	}
	for _, o := range (&sweep{}).options(new(bool)) {
		if o.Arg != "" {
			try("perf", o.Long)
		}
	}
	for _, o := range (&demo{}).options(new(bool)) {
		if o.Arg != "" {
			try("demo", o.Long)
		}
	}
	for _, o := range (&mon{}).options(new(bool)) {
		if o.Arg != "" {
			try("mon", o.Long)
		}
	}
	for _, o := range newSets(&program{}).command().Options {
		if o.Arg != "" {
			try("run", o.Long)
		}
	}
	if tried < 60 {
		t.Errorf("%d options refuse a value", tried)
	}
}
