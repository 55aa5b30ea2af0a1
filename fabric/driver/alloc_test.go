package driver

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// quiet is a source that never has work.
type quiet struct{ end chan struct{} }

func (quiet) Ready() bool   { return false }
func (quiet) Poll()         {}
func (quiet) Pending() bool { return false }
func (quiet) Arm() bool     { return false }
func (quiet) Disarm()       {}
func (q quiet) Wait() bool  { <-q.end; return true }
func (q quiet) Wake()       { q.end <- struct{}{} }

// TestPollAllocatesNothing makes the steps of empty and of served reads, many more than there are between two yields.
func TestPollAllocatesNothing(t *testing.T) {
	src := quiet{make(chan struct{}, 1)}
	e := NewEngine(&fi.DomainAttr{Threading: fi.ThreadSafe, Progress: fi.ProgressAuto}, src, nil)
	defer e.Close()
	if n := testing.AllocsPerRun(10_000, func() {
		e.Polled()
		if e.Ready() {
			t.Fatal("there is no work")
		}
		e.Idle()
	}); n != 0 {
		t.Errorf("an empty poll: %v allocations", n)
	}
	if n := testing.AllocsPerRun(1000, func() {
		e.Polled()
		e.Lock()
		e.Drive()
		e.Unlock()
		e.Busy()
	}); n != 0 {
		t.Errorf("a poll: %v allocations", n)
	}
}
