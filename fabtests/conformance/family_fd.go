package conformance

import (
	"errors"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// fdWait waits natively for a completion, as documented: TryWait, then block, then read.
func fdWait(n *node, d time.Duration) (cq.Entry, error) {
	fd, err := n.rxq.FD()
	if err != nil {
		return cq.Entry{}, err
	}
	var e [1]cq.Entry
	for end := time.Now().Add(d); ; {
		k, err := n.rxq.Read(e[:])
		if k == 1 {
			return e[0], nil
		}
		if !errors.Is(err, fi.ErrAgain) {
			return e[0], err
		}
		if time.Now().After(end) {
			return e[0], errors.New("nothing came")
		}
		switch err := n.rxq.TryWait(); {
		case errors.Is(err, fi.ErrAgain):
			continue
		case err != nil:
			return e[0], err
		}
		if ok, err := readable(fd, d); err != nil || !ok {
			return e[0], fmt.Errorf("TryWait said that it is safe to block, and the descriptor never became readable: %v", err)
		}
	}
}

var _ = program("fd-wait", func(n *node, _ []byte) ([]byte, error) {
	_, err := fdWait(n, time.Minute)
	return nil, err
})

// descriptor waits by a native wait on the queue's descriptor for messages that come later.
func descriptor(t *test) {
	if t.cell.set.Wait != fi.WaitFD && !t.cell.standard || !canPoll || t.alone() {
		return
	}
	p := t.pair(func(o *openOpts) { o.Wait, o.WaitSet = fi.WaitFD, true })
	p.b.uncounted = true
	for i := range 5 {
		r := p.b.recv(call{Form: "trecv", N: 8})
		wait := t.background(func() {
			t.check(p.b.do(&request{Verb: vProgram, Program: "fd-wait"}).err())
		}, p.a)
		if i > 0 { // the first may be there already
			pause(5 * time.Millisecond)
		}
		s := p.a.to(p.b, call{Form: "tsend", N: 8, Seed: uint64(i)})
		for end := time.Now().Add(t.patience); !s.done() && time.Now().Before(end); {
			s.s.poll() // the other side drives itself
		}
		wait()
		r.expect, r.maybe = 0, 0
		t.wait(s)
	}
}

// descriptorIdle blocks on the descriptor after traffic, with nothing coming: it must sleep, not spin.
func descriptorIdle(t *test) {
	if !canPoll {
		return
	}
	p := t.pair(func(o *openOpts) { o.Wait, o.WaitSet = fi.WaitFD, true })
	p.exchange(call{Form: "tsend", N: 8}, call{Form: "trecv", N: 8})
	q := p.b.n.rxq
	fd, err := q.FD()
	t.check(err)
	wakes := 0
	start, used := time.Now(), cpuTime()
	const idle = 250 * time.Millisecond
	for time.Since(start) < idle {
		if err := q.TryWait(); err != nil {
			if !errors.Is(err, fi.ErrAgain) {
				t.Fatalf("TryWait: %v", err)
			}
			var e [1]cq.Entry
			q.Read(e[:])
			wakes++
			continue
		}
		if ok, err := readable(fd, idle); ok || err != nil {
			wakes++
		}
	}
	if wakes > 5 {
		t.Errorf("woken %d times in %v though nothing came", wakes, idle)
	}
	if used = cpuTime() - used; used > idle/2 {
		t.Errorf("%v of processor time in %v of waiting", used, idle)
	}
}

// descriptorQuiet looks at the descriptor of a queue that was read until it is empty: it is not readable, or who waits on
// it never sleeps, until there is something, or a signal.
func descriptorQuiet(t *test) {
	if !canPoll {
		return
	}
	p := t.pair(func(o *openOpts) { o.Wait, o.WaitSet = fi.WaitFD, true })
	q := p.b.n.rxq
	fd, err := q.FD()
	t.check(err)
	for i := range 3 {
		p.exchange(call{Form: "tsend", N: 8, Seed: 1}, call{Form: "trecv", N: 8})
		t.until("FI_TRYWAIT", func() bool { return q.TryWait() == nil }, p.b)
		if ok, err := readable(fd, 10*time.Millisecond); ok || err != nil {
			t.Errorf("round %d: FI_TRYWAIT says that it is safe to block, and the descriptor is readable with nothing there: %v", i, err)
		}
	}
	t.check(q.Signal())
	if ok, err := readable(fd, t.patience); !ok || err != nil {
		t.Errorf("a signal does not reach who waits on the descriptor: %v", err)
	}
}
