package local

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	_ "github.com/gofabric/gofabric/providers/all"
)

// TestFollow tells rows, readiness and text apart, wherever they stand in a line.
func TestFollow(t *testing.T) {
	var text bytes.Buffer
	var rows []perf.Row
	ready := 0
	var child bytes.Buffer
	io.WriteString(&child, "hello\nhalf a line: ")
	Ready(&child)()
	io.WriteString(&child, "the rest\n")
	Rows(&child).Row(perf.Row{Size: 8, Iterations: 1, PerIter: 2, Elapsed: 5})
	io.WriteString(&child, string(rowMark)+"no row\nend")
	follow(&child, &text, func(r perf.Row) { rows = append(rows, r) }, func() { ready++ })
	if want := "hello\nhalf a line: the rest\nend"; text.String() != want {
		t.Errorf("%q, want %q", text.String(), want)
	}
	if d := cmp.Diff([]perf.Row{{Size: 8, Iterations: 1, PerIter: 2, Elapsed: 5}}, rows); d != "" || ready != 1 {
		t.Error(d, ready)
	}
}

func TestPrefixer(t *testing.T) {
	var b bytes.Buffer
	p := &prefixer{w: &b, prefix: "> "}
	for _, s := range []string{"a\nb", "c", "\n\nd\n", "cut"} {
		io.WriteString(p, s) //nolint:errcheck // a buffer
	}
	if want := "> a\n> bc\n> \n> d\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestShared passes nothing on any more once the sides are being ended.
func TestShared(t *testing.T) {
	var b bytes.Buffer
	m := &shared{w: &b}
	io.WriteString(m, "before\n") //nolint:errcheck // a buffer
	m.mute()
	io.WriteString(m, "after\n") //nolint:errcheck // a buffer
	if b.String() != "before\n" {
		t.Errorf("%q", b.String())
	}
}

// TestCommand tells a child the command line of its parent, ready for a shell.
func TestCommand(t *testing.T) {
	t.Setenv(commandVar, fail.CommandLine([]string{"fabtests", "rdm", "-d", "a b", "-f", "it's"}))
	t.Setenv(sideVar, "")
	if got := Command(); strings.HasPrefix(got, "fabtests rdm -d") {
		t.Error(got) // no child: its own
	}
	t.Setenv(sideVar, "0/2")
	if got := Command(); got != `fabtests rdm -d 'a b' -f 'it'\''s'` {
		t.Error(got)
	}
}

func TestChildOf(t *testing.T) {
	for v, ok := range map[string]bool{"": true, "0/2": true, "3/4": true, "2/2": false, "x": false, "-1/2": false} {
		t.Setenv(sideVar, v)
		c, err := ChildOf()
		if (err == nil) != ok || ok && c.On != (v != "") {
			t.Errorf("%q: %+v, %v", v, c, err)
		}
	}
}

// job makes one of a scenario on mem.
func job(sides scenario.Sides, run func(*scenario.Env) error) (*Job, *bytes.Buffer) {
	var out bytes.Buffer
	o := options.New()
	return &Job{Scenario: &scenario.Scenario{Name: "test", Sides: sides, OOB: sides == scenario.Pair, Run: run}, Opt: o, Provider: InProcess, Count: 3, Out: &out, Err: &out}, &out
}

// TestGoroutines runs sides in this process: only the client's rows and output count.
func TestGoroutines(t *testing.T) {
	j, out := job(scenario.Pair, func(env *scenario.Env) error {
		io.WriteString(env.Out, map[bool]string{true: "client\n", false: "server\n"}[env.Client]) //nolint:errcheck // a buffer
		env.Report.Row(perf.Row{Size: env.Rank})
		env.Ready()
		if (env.Link == nil) || (env.Opt.Server == "") == env.Client {
			return errors.New("no link, or no server's name")
		}
		return nil
	})
	var rows []perf.Row
	if err := Run(context.Background(), j, func(r perf.Row) { rows = append(rows, r) }); err != nil {
		t.Fatal(err)
	}
	if out.String() != "client\n" || len(rows) != 1 || rows[0].Size != 1 {
		t.Errorf("%q %v", out, rows)
	}
	j.Opt.Both = true
	if err := Run(context.Background(), j, func(perf.Row) {}); err != nil || !strings.Contains(out.String(), "server: server\n") {
		t.Errorf("%v %q", err, out)
	}
}

// TestFirstError reports the side that failed, not the one that was ended for it.
func TestFirstError(t *testing.T) {
	bad := errors.New("bad")
	for _, failing := range []bool{false, true} {
		j, _ := job(scenario.Pair, func(env *scenario.Env) error {
			env.Ready()
			if env.Client == failing {
				return bad
			}
			<-env.Ctx.Done()
			return context.Cause(env.Ctx)
		})
		if err := Run(context.Background(), j, func(perf.Row) {}); !errors.Is(err, bad) {
			t.Errorf("client fails: %v: %v", failing, err)
		}
	}
}

func TestGroupRanks(t *testing.T) {
	seen := make(chan int, 3)
	j, _ := job(scenario.Group, func(env *scenario.Env) error {
		seen <- env.Rank + 10*env.Opt.Child.Count
		return nil
	})
	if err := Run(context.Background(), j, func(perf.Row) {}); err != nil {
		t.Fatal(err)
	}
	if a, b, c := <-seen, <-seen, <-seen; a+b+c != 93 {
		t.Error(a, b, c)
	}
}

func TestChooseProvider(t *testing.T) {
	o := options.New()
	o.Provider = "nosuch"
	if _, err := ChooseProvider(context.Background(), &scenario.Scenario{}, o); fail.ExitCode(err) != 61 || !strings.Contains(fail.Next(err), "--explain -p nosuch") {
		t.Error(err)
	}
	o.Provider = "mem"
	if p, err := ChooseProvider(context.Background(), &scenario.Scenario{}, o); p != "mem" || err != nil {
		t.Error(p, err)
	}
	if p, err := ChooseProvider(context.Background(), &scenario.Scenario{NoInfo: true}, o); p != "" || err != nil {
		t.Error(p, err)
	}
}

func TestProcessors(t *testing.T) {
	j, _ := job(scenario.Pair, nil)
	j.Opt.PinCore = []int{5, 7, 9}
	if got := j.Pinned(); got != "5 7" {
		t.Error(got)
	}
	j.Opt.Unpinned = true
	if got := j.Pinned(); got != "" {
		t.Error(got)
	}
	if e := (&Exit{Who: "the server", Code: 7}); fail.ExitCode(e) != 7 || e.Error() != "the server ended with status 7" {
		t.Error(e)
	}
}
