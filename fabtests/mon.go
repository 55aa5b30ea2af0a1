package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/internal/monfile"
)

// mon shows what the hook monitor counts in running processes.
type mon struct {
	p      *program
	follow bool
	json   bool
	every  int // seconds
	pids   []int
}

// monExamples are those of its help.
var monExamples = []cli.Example{
	{Line: "FI_HOOK=monitor fabtests rdm_pingpong --local -I 1000000 &", Text: "a program that is counted"},
	{Line: "fabtests mon", Text: "its figures now"},
	{Line: "fabtests mon -f", Text: "what it does in each second, until Ctrl-C"},
}

func (m *mon) options(help *bool) []cli.Option {
	return []cli.Option{
		{Short: 'f', Long: "follow", Help: "go on, with the calls and bytes of each second", Group: "Options of mon", Set: options.On(&m.follow)},
		{Short: 't', Long: "interval", Arg: "SECONDS", Help: "look every so many seconds with -f (1)", Set: options.Number(&m.every, 1, 86400)},
		{Long: "json", Help: "a line of JSON for each provider of each process, its file", Set: options.On(&m.json)},
		{Short: 'h', Long: "help", Help: "this text", Set: func(string) error { *help = true; return cli.Stop }},
	}
}

// mon runs the command.
func (p *program) mon(args []string) error {
	m := &mon{p: p, every: 1}
	help := false
	cmd := &cli.Command{Name: "fabtests mon", Usage: []string{"fabtests mon [OPTIONS] [PID]..."}, Options: allNamed(m.options(&help)), Examples: monExamples}
	operands, err := cmd.Parse(args)
	switch {
	case err != nil:
		return usage("mon", err)
	case help:
		return cmd.Help(p.out)
	}
	for _, o := range operands {
		pid, err := strconv.Atoi(o)
		if err != nil || pid <= 0 {
			return &fail.Usage{Text: fmt.Sprintf("mon: %q is no number of a process", o), Next: "fabtests mon"}
		}
		m.pids = append(m.pids, pid)
	}
	return m.run()
}

// key names a line of a provider of a process.
type key struct {
	pid                  int
	since                int64
	provider, call, size string
}

func (m *mon) run() error {
	dir := monfile.Path(os.LookupEnv)
	last, at := map[key]monfile.Count{}, map[key]time.Time{}
	for {
		all, err := dir.List()
		if err != nil {
			return err
		}
		missing := m.missing(all)
		if len(all) == 0 && !m.follow {
			return &fail.Usage{Text: "no process that is monitored runs; the folder is " + string(dir), Next: "FI_HOOK=monitor PROGRAM"}
		}
		all = slices.DeleteFunc(all, func(f monfile.Figures) bool { return len(m.pids) > 0 && !slices.Contains(m.pids, f.PID) })
		if err := m.show(all, last, at); err != nil {
			return err
		}
		if !m.follow {
			return missing
		}
		select {
		case <-m.p.ctx.Done():
			return nil
		case <-time.After(time.Duration(m.every) * time.Second):
		}
	}
}

// missing is the error for processes that were asked for and are not monitored while others are; nil when nothing is.
func (m *mon) missing(all []monfile.Figures) error {
	var have []int
	for _, f := range all {
		if !slices.Contains(have, f.PID) {
			have = append(have, f.PID)
		}
	}
	for _, pid := range m.pids {
		if len(have) > 0 && !slices.Contains(have, pid) {
			return &fail.Usage{Text: fmt.Sprintf("mon: process %d is not monitored, but %s", pid, strings.Trim(fmt.Sprint(have), "[]")),
				Next: fmt.Sprintf("fabtests mon %d", have[0])}
		}
	}
	return nil
}

// show prints what the files hold, or with -f how that has grown since it was last looked at.
func (m *mon) show(all []monfile.Figures, last map[key]monfile.Count, at map[key]time.Time) error {
	if m.json {
		enc := json.NewEncoder(m.p.out)
		for i := range all {
			if err := enc.Encode(&all[i]); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(m.p.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "pid\tprogram\tprovider\tcall\tsize\tcount\tbytes\t"
	if m.follow {
		head = "pid\tprogram\tprovider\tcall\tsize\tcalls/s\tMB/s\t"
	}
	var rows []string
	for _, f := range all {
		for _, c := range f.Counts {
			k := key{f.PID, f.Since.UnixNano(), f.Provider, c.Call, c.Size}
			row := fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t", f.PID, f.Program, f.Provider, c.Call, c.Size)
			if !m.follow {
				rows = append(rows, row+fmt.Sprintf("%d\t%d\t", c.Count, c.Bytes))
				continue
			}
			before, seen := last[k]
			took := f.Updated.Sub(at[k]).Seconds()
			if !seen || took > 0 {
				last[k], at[k] = c, f.Updated
			}
			if seen && took > 0 && c.Count > before.Count {
				rows = append(rows, row+fmt.Sprintf("%.0f\t%.2f\t", float64(c.Count-before.Count)/took, float64(c.Bytes-before.Bytes)/1e6/took))
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(t, head) //nolint:errcheck // Flush tells
	for _, r := range rows {
		fmt.Fprintln(t, r) //nolint:errcheck // Flush tells
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if m.follow {
		_, err := io.WriteString(m.p.out, "\n")
		return err
	}
	return nil
}
