package bench

import (
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// runBandwidth makes the run function of a stream of messages.
func runBandwidth(need session.Need) func(*scenario.Env) error {
	need.Windows = true
	return func(env *scenario.Env) error {
		s, err := session.Open(env, need)
		if err != nil {
			return err
		}
		defer s.Close() //nolint:errcheck // Finish has closed it when all went well
		for _, size := range s.Sizes() {
			n := s.Opt.StreamCount(size)
			if err := bandwidth(s, size, n); err != nil {
				return err
			}
			env.Report.Row(s.Row(size, n, 1))
		}
		return s.Finish()
	}
}

// bandwidth streams messages from client to server, which confirms each window with a message of four bytes, and once
// more at the end.
func bandwidth(s *session.Session, size, n int) error {
	if err := s.Sync(); err != nil {
		return err
	}
	var side stream = &sender{s, size}
	if !s.Client {
		side = &receiver{s: s, size: size}
	}
	j, slot, total := 0, 0, n+s.Opt.Warmup
	for i := range total {
		if i == s.Opt.Warmup {
			s.Start()
		}
		var more fi.OpFlags
		if s.Opt.UseMore && i+1 < total && j+1 < s.Opt.Window {
			more = fi.OpMore
		}
		if err := side.post(slot, j, more); err != nil {
			return err
		}
		if slot++; slot == s.Slots {
			slot = 0
		}
		if j++; j == s.Opt.Window {
			if err := side.window(j); err != nil {
				return err
			}
			j, slot = 0, 0
		}
	}
	if err := side.window(j); err != nil {
		return err
	}
	s.Stop()
	return nil
}

// stream is a side of a stream.
type stream interface {
	// post posts message j of a window in a slot; more is fi.OpMore when another follows.
	post(slot, j int, more fi.OpFlags) error
	// window ends one of n messages.
	window(n int) error
}

type sender struct {
	s    *session.Session
	size int
}

func (w *sender) post(slot, j int, more fi.OpFlags) error {
	s := w.s
	buf := s.TxSlot(slot, w.size)
	if s.Opt.Verify || s.Opt.Touch {
		s.Prepare(buf)
	}
	switch {
	case w.size <= s.InjectSize():
		return s.Inject(buf)
	case s.Opt.UseMore:
		return s.PostTxMsg(buf, s.Context(j), 0, more)
	}
	return s.PostTx(buf, s.Context(j))
}

func (w *sender) window(n int) error {
	if err := sent(w.s); err != nil {
		return err
	}
	w.s.Lap(n)
	return nil
}

// sent waits until a window has been sent and confirmed.
func sent(s *session.Session) error {
	if err := s.WaitTx(s.TxSeq); err != nil {
		return err
	}
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	return s.Repost()
}

// receiver posts the receives of a window after one that is always there: the first message of a window lies in the slot
// that was posted last in the window before.
type receiver struct {
	s    *session.Session
	size int
	last int // the slot that is posted now
	ends int // the slot that was posted last in this window
}

func (r *receiver) post(slot, j int, _ fi.OpFlags) error {
	r.ends = slot
	return r.s.PostRx(r.s.RxSlot(slot, max(r.size, session.CtrlSize)), r.s.Context(j))
}

func (r *receiver) window(n int) error {
	s := r.s
	if err := s.WaitRx(s.RxSeq - 1); err != nil {
		return err
	}
	if s.Opt.Verify || s.Opt.Touch {
		for k := range n {
			slot := r.last
			if k > 0 {
				slot = (k - 1) % s.Slots
			}
			if err := s.Inspect(s.RxSlot(slot, r.size)); err != nil {
				return err
			}
		}
	}
	if n > 0 {
		r.last = r.ends
	}
	return confirm(s)
}

// confirm tells the sender that a window has come.
func confirm(s *session.Session) error {
	if s.Opt.Verify { // C programs check this, too
		pattern.Fill(s.Tx[:session.AckSize])
	}
	if err := s.PostTx(s.Tx[:session.AckSize], s.Context(0)); err != nil {
		return err
	}
	return s.WaitTx(s.TxSeq)
}
