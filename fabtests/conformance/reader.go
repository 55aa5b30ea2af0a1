package conformance

import (
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// reader reads a queue of a side in this process directly, for cases that make their calls themselves.
type reader struct {
	s *side
	q *fabric.CQ
}

// reader reads the receive queue; txReader the other one.
func (s *side) reader() *reader   { return &reader{s, s.n.rxq} }
func (s *side) txReader() *reader { return &reader{s, s.n.txq} }

// next waits for a success.
func (r *reader) next() cq.Entry {
	var e [1]cq.Entry
	err := r.wait(func() error {
		_, err := r.q.Read(e[:])
		return err
	})
	if err != nil {
		r.s.t.Fatalf("reading a completion: %v", err)
	}
	return e[0]
}

// fails waits for an error completion and checks its number.
func (r *reader) fails(want fi.Errno) cq.ErrEntry {
	var e [1]cq.Entry
	err := r.wait(func() error {
		_, err := r.q.Read(e[:])
		return err
	})
	if !isErr(err, fi.ErrAvail) {
		r.s.t.Fatalf("reading an error completion: %v, %v", err, e[0])
	}
	var ee cq.ErrEntry
	r.s.t.check(r.q.ReadErr(&ee))
	if ee.Err != want {
		r.s.t.Errorf("error completion: %v, want %v", &ee, want)
	}
	return ee
}

// empty checks that nothing is there.
func (r *reader) empty() {
	var e [1]cq.Entry
	if n, err := r.q.Read(e[:]); n != 0 || !isErr(err, fi.ErrAgain) {
		r.s.t.Errorf("the queue should be empty: %d, %v, %v", n, err, e[0])
	}
}

// wait repeats a read until it finds something.
func (r *reader) wait(read func() error) error {
	end := time.Now().Add(r.s.t.patience)
	for {
		err := read()
		if !isErr(err, fi.ErrAgain) {
			return err
		}
		if time.Now().After(end) {
			r.s.t.Fatalf("no completion within %v", r.s.t.patience)
		}
		if !r.s.t.cell.automatic() {
			r.drive()
		}
	}
}

// drive lets the other sides make progress without taking their completions.
func (r *reader) drive() {
	for _, s := range r.s.t.sides {
		if s.n != nil && s != r.s {
			for _, q := range s.n.queues() {
				q.Read(nil)
			}
		}
	}
}
