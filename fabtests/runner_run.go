package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/runner"
)

// run runs the sets over each provider and reports.
func (s *sets) run() error {
	file, err := s.openJUnit()
	if err != nil {
		return err
	}
	var report runner.JUnit
	var total runner.Totals
	failed := 0
	for _, provider := range s.config.Providers {
		if s.p.ctx.Err() != nil {
			break
		}
		r := runner.New(s.config)
		plan, err := r.Plan(provider)
		if err != nil {
			return err
		}
		t, lost := s.over(r, provider, plan, &report)
		if lost != nil {
			return lost
		}
		total = total.Plus(t)
		failed += t.Fail
	}
	if file != nil {
		if err := errors.Join(report.Write(file), file.Close()); err != nil {
			return &fail.Hint{Err: fail.Call("write", err), Next: "fabtests run --junit FILE, where there is room"}
		}
	}
	if s.json || len(s.config.Providers) > 1 {
		fmt.Fprintf(s.p.err, "# %v\n", total)
	}
	if total == (runner.Totals{}) && s.p.ctx.Err() == nil {
		return wrong("fabtests run -t quick "+s.config.Providers[0], "there is no test here of %s", strings.Join(s.names, ", "))
	}
	return failures(failed)
}

// failures is the error of a run whose table has told all: its status is their number, as far as a status goes.
func failures(n int) error {
	if n == 0 {
		return nil
	}
	return &local.Exit{Who: "run", Code: min(n, mostFailures)}
}

// over runs the plan of one provider.
func (s *sets) over(r *runner.Runner, provider string, plan []*runner.Test, report *runner.JUnit) (t runner.Totals, err error) {
	var table *runner.Table
	if !s.json {
		table = runner.NewTable(s.p.out, s.title(provider), s.verbose)
	}
	done := 0
	r.Run(s.p.ctx, plan, func(res runner.Result) {
		done++
		report.Add(res)
		t.Add(res.Verdict)
		switch {
		case table != nil:
			table.Add(res)
		case err == nil:
			err = runner.WriteJSON(s.p.out, res, s.verbose)
		}
	})
	if table != nil {
		table.Foot(len(plan) - done)
	}
	return t, err
}

// title says what is run over what.
func (s *sets) title(provider string) string {
	c := &s.config
	text := provider + ": " + strings.Join(s.names, ", ")
	switch {
	case c.Remote:
		text += ", server on " + c.Server.Name + ", client on " + c.Client.Name
	case c.Peer != nil:
		text += ", with programs of libfabric " + c.Peer.String()
	}
	return text
}

// openJUnit makes the file before anything runs; nil for none.
func (s *sets) openJUnit() (*os.File, error) {
	if s.junit == "" {
		return nil, nil
	}
	f, err := os.Create(s.junit)
	if err != nil {
		return nil, &fail.Hint{Err: fail.Call("junit", err), Next: "fabtests run --junit FILE, in a folder that may be written"}
	}
	return f, nil
}
