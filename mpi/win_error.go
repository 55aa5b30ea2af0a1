package mpi

import (
	"errors"
	"sync"

	"github.com/gofabric/gofabric/mpi/internal/window"
)

var winClasses = map[window.Kind]Class{
	window.Other: ErrOther, window.Sync: ErrRMASync, window.Range: ErrRMARange, window.Closed: ErrWin, window.Rank: ErrRank,
	window.Memory: ErrBuffer, window.Type: ErrOp, window.Mismatch: ErrMismatch, window.Failed: ErrProcFailed,
	window.Cannot: ErrUnsupported, window.Pending: ErrPending, window.Argument: ErrArg,
}

// winFault makes an error of what a window said. Accesses to ProcNull do nothing and have none.
//
//go:noinline
func winFault(call string, rank int, err error) error {
	if err == nil {
		return nil
	}
	var e *window.Error
	if !errors.As(err, &e) {
		return within(call, err)
	}
	if e.Kind == window.Rank && rank == ProcNull {
		return nil
	}
	return &Error{Op: call, Class: winClasses[e.Kind], Rank: e.Rank, Err: e.Err, Hint: e.Hint}
}

// winRequest makes a request of one of a window.
func (c *Comm) winRequest(call string, rank int, r *window.Request, err error) (*Request, error) {
	if err != nil {
		if err = winFault(call, rank, err); err == nil {
			return c.ended(call), nil
		}
		return nil, err
	}
	return &Request{c: c, op: r.Op, call: call}, nil
}

// windows are those of a job that are not freed.
type windows struct {
	mu  sync.Mutex
	all map[*window.Window]struct{} // guarded by mu
}

func (s *windows) add(w *window.Window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*window.Window]struct{}{}
	}
	s.all[w] = struct{}{}
}

func (s *windows) remove(w *window.Window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, w)
}

// end gives back what the program has not freed. Unless all ranks are here, memory that others may still access is kept.
func (s *windows) end(together bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.all {
		if together {
			_ = w.Release()
		} else {
			w.Abandon()
		}
	}
	s.all = nil
}
