package stress

import (
	"errors"
	"fmt"
	"strings"
)

// fault is something that should not have happened, as the rank that found it and the others see it.
type fault struct {
	Rank  int      `json:"rank"`
	Seed  uint64   `json:"seed"`
	Round int      `json:"round"`
	Phase int      `json:"phase"`
	Step  int      `json:"step"` // -1: none
	Text  string   `json:"text"`
	What  string   `json:"what,omitempty"`  // the step in words
	View  string   `json:"view,omitempty"`  // what the rank that found it knows of the step
	Views []string `json:"views,omitempty"` // what the others know, by rank
	Plan  string   `json:"plan,omitempty"`
	Again string   `json:"replay,omitempty"` // the command
}

// Error says all, a line for each rank.
func (f *fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, round %d, phase %d", f.Seed, f.Round, f.Phase)
	if f.Step >= 0 {
		fmt.Fprintf(&b, ", step %d", f.Step)
	}
	fmt.Fprintf(&b, ": rank %d: %s", f.Rank, f.Text)
	if f.What != "" {
		fmt.Fprintf(&b, "\n  %s", f.What)
	}
	if f.View != "" {
		fmt.Fprintf(&b, "\n  rank %d: %s", f.Rank, indent(f.View))
	}
	for i, v := range f.Views {
		if v != "" {
			fmt.Fprintf(&b, "\n  rank %d: %s", i, indent(v))
		}
	}
	if f.Plan != "" {
		fmt.Fprintf(&b, "\n  the round: %s", f.Plan)
	}
	return b.String()
}

// ExitCode is the status of a run that found a fault.
func (f *fault) ExitCode() int { return 1 }

func indent(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ") }

// words are the choices of a round that hold for all of its steps.
func (p *plan) words() string {
	wait, queues, av := "spinning", []string{"one queue", "a queue for each endpoint", "two queues for each endpoint"}[p.Queues], "FI_AV_TABLE"
	if p.Wait {
		wait = "sleeping in SRead"
	}
	if p.AVMap {
		av = "FI_AV_MAP"
	}
	memory := "ordinary memory"
	if p.Alloc {
		memory = "memory of mr.Alloc"
	}
	text := fmt.Sprintf("%d ranks, %d endpoints each, %d threads each, %v, %v, %s, %s, %s, %s, windows %d and %d", p.Ranks, p.Lanes, p.Threads,
		p.Threading, p.Progress, wait, queues, av, memory, p.TxWindow, p.RxWindow)
	if p.Selective {
		text += ", selective completion"
	}
	return text
}

// faultOf finds the fault in an error.
func faultOf(err error) (*fault, bool) { return errors.AsType[*fault](err) }
