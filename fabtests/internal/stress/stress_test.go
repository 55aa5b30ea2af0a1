package stress

import (
	"context"
	"errors"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/hook/chaos"
	"github.com/gofabric/gofabric/providers/mem"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// together runs all ranks of a job in this process and gives what rank 0 says.
func together(t *testing.T, j *job) (*result, error) {
	t.Helper()
	j.Shared, j.Patience = true, patience
	links := make([][]net.Conn, j.Ranks)
	for i := 1; i < j.Ranks; i++ {
		here, there := net.Pipe()
		links[0], links[i] = append(links[0], here), []net.Conn{there}
	}
	var wg sync.WaitGroup
	for i := 1; i < j.Ranks; i++ {
		wg.Go(func() {
			if res, err := j.run(context.Background(), i, links[i]); err != nil {
				t.Errorf("rank %d returns %v, %v", i, res, err)
			}
		})
	}
	res, err := j.run(context.Background(), 0, links[0])
	wg.Wait()
	return res, err
}

// TestRounds runs some rounds of a good provider, and leaves nothing behind.
func TestRounds(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for _, typ := range []fi.EPType{fi.EPRDM, fi.EPMsg} {
		j := &job{Seed: 7, Round: 1, Ranks: 2, Steps: 40, Ops: opAll, Type: typ, Provider: "mem", Opts: []fabric.Option{fabric.WithRegistry(fabric.NewRegistry(mem.New()))}}
		res, err := together(t, j)
		if err != nil {
			t.Fatal(err)
		}
		if res.Seed != 7 || res.Rounds != 2 || res.Operations < 20 || res.Bytes < 1000 {
			t.Errorf("%v: %+v", typ, res)
		}
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// TestOneAtATime: a plan comes to its end with one operation of each direction outstanding, too, whoever is first.
func TestOneAtATime(t *testing.T) {
	for seed := range uint64(6) {
		j := &job{Seed: seed, Round: 1, Ranks: 4, Steps: 300, Ops: opAll, Window: 1, Type: fi.EPRDM, Provider: "mem", Opts: []fabric.Option{fabric.WithRegistry(fabric.NewRegistry(mem.New()))}}
		if _, err := together(t, j); err != nil {
			t.Error(err)
		}
	}
}

// caught are lies of a provider, with what is said about them.
var caught = map[chaos.Mutant]string{
	chaos.CompleteTwice: "more often than it was posted",
	chaos.WrongTag:      "with the tag",
	chaos.FetchNew:      "old values",
	chaos.ShortRead:     "what it read",
}

// TestMutants: each lie is caught, at the latest after some rounds, and the round that caught it fails again alike.
func TestMutants(t *testing.T) {
	for _, m := range chaos.Mutants() {
		want, listed := caught[m]
		if !listed {
			continue
		}
		t.Run(m.String(), func(t *testing.T) {
			j := lying(m, opAll&^opMulti) // TestMutantsOfBuffers has them
			first := lieOf(t, j)
			if !strings.Contains(first.Text, want) {
				t.Errorf("caught by %q, want %q", first.Text, want)
			}
			j.Round, j.Time = first.Round, 0
			again := lieOf(t, j)
			if again.Round != first.Round || kindOf(again.Text) != kindOf(first.Text) {
				t.Errorf("round %d: %s\nthe replay: round %d: %s", first.Round, first.Text, again.Round, again.Text)
			}
		})
	}
}

// TestMutantsOfBuffers: a completion that comes twice is seen at a receive, or at a message in a multi-receive buffer, whichever
// is first.
func TestMutantsOfBuffers(t *testing.T) {
	text := lieOf(t, lying(chaos.CompleteTwice, opAll)).Text
	if !strings.Contains(text, caught[chaos.CompleteTwice]) && !strings.Contains(text, "had it come before: true") {
		t.Errorf("caught by %q", text)
	}
}

// lying is a job over a provider that lies.
func lying(m chaos.Mutant, ops mask) *job {
	return &job{Seed: 3, Round: -1, Time: time.Hour, Ranks: 2, Steps: 40, Ops: ops, Type: fi.EPRDM, Provider: "mem",
		Opts: []fabric.Option{fabric.WithRegistry(fabric.NewRegistry(chaos.New(mem.New(), m)))}}
}

// lieOf runs until the provider is caught.
func lieOf(t *testing.T, j *job) *fault {
	t.Helper()
	_, err := together(t, j)
	f, ok := errors.AsType[*fault](err)
	if !ok {
		t.Fatalf("nothing was caught: %v", err)
	}
	next := fail.Next(err)
	for _, w := range []string{"stress --local", "--seed 3", "--round "} {
		if !strings.Contains(next, w) {
			t.Errorf("the command that replays it is %q", next)
		}
	}
	if f.Seed != 3 || f.Plan == "" || fail.ExitCode(err) != 1 || slices.Contains(f.Views, "has ended") {
		t.Errorf("%+v", f)
	}
	return f
}

var numbers = regexp.MustCompile(`(0x)?[0-9a-f]*[0-9][0-9a-f]*`)

// kindOf is a text without its numbers, and without what stands in brackets.
func kindOf(s string) string {
	s, _, _ = strings.Cut(s, " (")
	s, _, _ = strings.Cut(s, ":")
	return numbers.ReplaceAllString(s, "#")
}
