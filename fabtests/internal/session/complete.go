package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fi"
)

// WaitTx waits until total transmits have completed since the beginning.
func (s *Session) WaitTx(total uint64) error {
	if s.TxCntr != nil {
		return s.waitCounter(s.TxCntr, total, &s.TxDone)
	}
	return s.waitQueue(s.TxCQ, total, &s.TxDone)
}

// WaitRx waits until total receives have completed since the beginning.
func (s *Session) WaitRx(total uint64) error {
	if s.RxCntr != nil {
		return s.waitCounter(s.RxCntr, total, &s.RxDone)
	}
	return s.waitQueue(s.RxCQ, total, &s.RxDone)
}

func (s *Session) waitQueue(q *fabric.CQ, total uint64, done *uint64) error {
	var p patience
	if err := s.endedNow(); err != nil {
		return err
	}
	for *done < total {
		n, err := q.Read(s.entries[:])
		if n > 0 {
			s.count(done, n)
			s.leave()
			continue
		}
		if !empty(err) {
			*done++ // the error entry stands for a completion
			return s.queueError(q, err)
		}
		if s.Opt.Wait != options.WaitSpin {
			if n, err = s.block(q, s.entries[:]); n > 0 {
				s.count(done, n)
				s.leave()
			}
		} else {
			err = s.tired(&p)
		}
		if err != nil && !empty(err) {
			return err
		}
	}
	return nil
}

// count counts the first n entries: as completions of the queue that they were read from or, where one queue has both
// kinds, each with its own.
func (s *Session) count(done *uint64, n int) {
	if !s.oneCQ {
		*done += uint64(n)
		return
	}
	for i := range s.entries[:n] {
		if s.entries[i].Flags&fi.CompRecv != 0 {
			s.RxDone++
		} else {
			s.TxDone++
		}
	}
}

func (s *Session) waitCounter(c *fabric.Counter, total uint64, done *uint64) error {
	var p patience
	if err := s.endedNow(); err != nil {
		return err
	}
	for {
		v := c.Read()
		*done = v
		if v >= total {
			s.leave()
			return nil
		}
		if c.ReadErr() > 0 {
			return fail.Call("fi_cntr_readerr", fi.ErrAvail)
		}
		var err error
		if s.Opt.Wait != options.WaitSpin {
			err = s.blockCounter(c, total)
		} else {
			err = s.tired(&p)
		}
		if err != nil {
			return err
		}
	}
}

// WaitCounter waits until c has counted to total.
func (s *Session) WaitCounter(c *fabric.Counter, total uint64) error {
	var v uint64
	return s.waitCounter(c, total, &v)
}

// Next takes the next completion of q.
func (s *Session) Next(q *fabric.CQ) (cq.Entry, error) {
	var p patience
	for {
		n, err := q.Read(s.entries[:1])
		if n == 0 && empty(err) && s.Opt.Wait != options.WaitSpin {
			n, err = s.block(q, s.entries[:1])
		}
		switch {
		case n > 0:
			s.leave()
			return s.entries[0], nil
		case empty(err):
			err = s.tired(&p)
		default:
			err = s.queueError(q, err)
		}
		if err != nil {
			return cq.Entry{}, err
		}
	}
}

// Take takes a completion if there is one, without waiting. An empty queue is no error.
func (s *Session) Take(q *fabric.CQ) (bool, error) {
	n, err := q.Read(s.entries[:1])
	if n > 0 || empty(err) {
		return n > 0, nil
	}
	return false, s.queueError(q, err)
}

// Progress drives the endpoint without waiting.
func (s *Session) Progress() error {
	if s.TxCntr != nil {
		s.TxCntr.Read()
		return nil
	}
	n, err := s.TxCQ.Read(s.entries[:])
	s.count(&s.TxDone, n)
	if n == 0 && !empty(err) {
		s.TxDone++
		return s.queueError(s.TxCQ, err)
	}
	_, err = s.RxCQ.Read(nil)
	if err == fi.ErrAvail {
		return s.queueError(s.RxCQ, err)
	}
	return nil
}

// Until calls done until it says true, and gives up as every wait does.
func (s *Session) Until(done func() (bool, error)) error {
	var p patience
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if err := s.tired(&p); err != nil {
			return err
		}
	}
}

// TakeFrom takes a completion of a queue that is not one of the session's; false when there is none.
func (s *Session) TakeFrom(q *fabric.CQ, e []cq.Entry) (bool, error) {
	n, err := q.Read(e)
	if n > 0 || empty(err) {
		return n > 0, nil
	}
	return false, s.queueError(q, err)
}

// queueError says what went wrong with a queue.
func (s *Session) queueError(q *fabric.CQ, err error) error {
	if !errors.Is(err, fi.ErrAvail) {
		return fail.Call("fi_cq_read", err)
	}
	e := new(cq.ErrEntry)
	if err := q.ReadErr(e); err != nil {
		return fail.Call("fi_cq_readerr", err)
	}
	return fail.Call("fi_cq_readerr", e)
}

// patience counts the polls of one wait.
type patience struct {
	polls    uint32
	deadline time.Time
}

// looksEvery is how many empty polls pass between two looks at the clock.
const looksEvery = 1 << 12

// tired is called after an empty poll. It ends a wait that takes too long, or whose other side has gone.
func (s *Session) tired(p *patience) error {
	if p.polls++; p.polls%looksEvery != 0 {
		return nil
	}
	return s.look(p)
}

// Patience counts the polls of one wait; the zero value is a new one.
type Patience = patience

// Tired is called after an empty poll of a queue that is not one of the session's, and ends a wait as every wait ends.
// Goroutines may call it at the same time, each with a Patience of its own.
func (s *Session) Tired(p *Patience) error { return s.tired(p) }

//go:noinline
func (s *Session) look(p *patience) error {
	if err := context.Cause(s.env.Ctx); err != nil {
		return err
	}
	if s.Opt.Timeout == 0 {
		return nil
	}
	now := time.Now()
	switch {
	case p.deadline.IsZero():
		p.deadline = now.Add(s.Opt.Timeout)
	case now.After(p.deadline):
		return s.timedOut()
	}
	return nil
}

func (s *Session) timedOut() error {
	who := "the client"
	if s.Client {
		who = "the server"
	}
	return &fail.Hint{
		Err: fail.Call("fi_cq_read", &fi.Error{Op: "wait", Provider: s.Info.Fabric.ProvName, Err: fi.ErrTimedOut,
			Hint: fmt.Sprintf("nothing came from %s for %v", who, s.Opt.Timeout)}),
		Next: "a longer --timeout, or look at what " + who + " prints",
	}
}

// empty tells that a queue has nothing to read. A type assertion is cheaper than comparing two interfaces, and this is in
// every loop that polls.
func empty(err error) bool {
	e, ok := err.(fi.Errno) //nolint:errorlint // a bare value
	return ok && e == fi.ErrAgain
}

// asksEvery is how many waits pass between two looks whether the run must end: an exchange in which nobody waits long
// would not notice.
const asksEvery = 1 << 10

// endedNow is Ended, now and then.
func (s *Session) endedNow() error {
	if s.waited++; s.waited%asksEvery != 0 {
		return nil
	}
	return s.Ended()
}

// Ended is why the run must end now; nil while it may go on.
func (s *Session) Ended() error { return context.Cause(s.env.Ctx) }
