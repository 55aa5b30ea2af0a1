package chaos

import (
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// shadow is a queue that the inner provider writes instead of the real one. What is written is forwarded at once, in
// the same critical section.
type shadow struct {
	*cq.Queue
	real *cq.Queue
	e    *endpoint
	n    int // entries of receives
	tx   int // other entries
	prev any // context of the receive before
}

func newShadow(e *endpoint, real *cq.Queue) *shadow {
	if real == nil {
		return nil
	}
	s := &shadow{Queue: cq.NewQueue(real.Size()), real: real, e: e}
	s.Want(1)
	s.OnSignal(s.forward)
	return s
}

func (s *shadow) queue() *cq.Queue {
	if s == nil {
		return nil
	}
	return s.Queue
}

// forward moves everything on. It is called under the domain's lock, when an entry was written.
func (s *shadow) forward() {
	for s.Len() > 0 {
		before := s.Reserved()
		var e cq.ErrEntry
		isErr := s.NextIsErr()
		if isErr {
			s.ReadErr(&e)
		} else {
			var one [1]cq.Entry
			s.Read(one[:])
			e.Entry = one[0]
		}
		s.lie(&e, isErr, s.Reserved() != before)
	}
}

// put writes to the real queue.
func (s *shadow) put(e *cq.ErrEntry, isErr, reserved bool) {
	if s.e.m == LoseWakeups { // whoever sleeps now is not rung
		s.real.Want(-1)
		defer s.real.Want(1)
	}
	switch {
	case isErr && reserved:
		s.real.PutErr(*e)
	case isErr:
		s.real.AddErr(*e)
	case reserved:
		s.real.Put(e.Context, e.Flags, e.Len, e.Tag)
	default:
		*s.real.Add() = e.Entry
		s.real.Publish()
	}
}

// lie forwards an entry, or what the mutant makes of it.
func (s *shadow) lie(e *cq.ErrEntry, isErr, reserved bool) {
	recv := e.Flags&fi.CompRecv != 0
	if recv {
		s.n++
		s.e.arrived(e, isErr)
	} else if reserved {
		s.tx++
	}
	drop := func() {
		if reserved {
			s.real.Release()
		}
	}
	switch s.e.m {
	case DropCompletion:
		if reserved && s.tx%7 == 5 && !isErr {
			drop()
			return
		}
	case CompleteTwice:
		if recv && s.n%5 == 4 {
			s.put(e, isErr, false)
		}
	case LoseErrors:
		if isErr {
			drop()
			return
		}
	case WrongContext:
		ctx := e.Context
		if recv && s.n%9 == 8 && s.prev != nil {
			e.Context = s.prev
		}
		s.prev = ctx
	case WrongLength:
		if recv && e.Len > 200 {
			e.Len++
		}
	case WrongSource:
		if recv && !isErr && e.Src != fi.AddrNotAvail {
			e.Src = 0
		}
	case WrongTag:
		e.Tag &= 1<<56 - 1
	case WrongKind:
		if e.Flags&fi.CompRead != 0 {
			e.Flags ^= fi.CompRead | fi.CompWrite
		}
	case LoseData:
		if recv && e.Len > 64 {
			e.Data, e.Flags = 0, e.Flags&^fi.CompRemoteCQData
		}
	case HalfData:
		e.Data &= 1<<32 - 1
	case LoseMultiData:
		if recv && e.Buf != nil {
			e.Data, e.Flags = 0, e.Flags&^fi.CompRemoteCQData
		}
	case BareErrors:
		if e.Err == fi.ErrTruncated {
			e.Data, e.Tag, e.Src, e.Flags = 0, 0, fi.AddrNotAvail, e.Flags&^fi.CompRemoteCQData
		}
	case TruncationIsSuccess:
		if e.Err == fi.ErrTruncated {
			isErr = false
		}
	case ForgetRelease:
		if e.Err == fi.ErrCanceled {
			e.Flags &^= fi.CompMultiRecv
		}
	case CancelTwice:
		if recv && e.Err == fi.ErrCanceled {
			s.put(e, isErr, false)
		}
	case CloseForgets:
		if s.e.closing && recv {
			return
		}
	case LoseWriteData:
		if e.Flags&fi.CompRemoteWrite != 0 {
			if s.n++; s.n%2 == 0 {
				return
			}
		}
	}
	s.put(e, isErr, reserved)
}
