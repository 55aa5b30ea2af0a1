package functional

import (
	"fmt"
	"io"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// The messages of the peek test.
const (
	peekTag   = 0x900d
	peekCount = 10
)

// runTaggedPeek looks for messages before receiving them: the server sends, the client peeks, claims, discards.
func runTaggedPeek(env *scenario.Env) error {
	s, err := session.Open(env, session.Need{Caps: fi.CapTagged, Order: fi.OrderSAS, Size: session.CtrlSize, OOBSync: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	if s.Client {
		p := &peeker{s: s, out: env.Out}
		err = p.run()
	} else {
		err = sendForPeek(s, env.Out)
	}
	if err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	return s.Close()
}

func sendForPeek(s *session.Session, out io.Writer) error {
	fmt.Fprintf(out, "Sending %d tagged messages\n", peekCount)
	pattern.Fill(s.Tx[:session.CtrlSize])
	for i := range uint64(peekCount) {
		s.TxTag = peekTag + 1 + i
		if err := s.PostTx(s.Tx[:session.CtrlSize], s.Context(0)); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "Waiting for messages to complete")
	return s.WaitTx(s.TxSeq)
}

// peeker is the receiving side.
type peeker struct {
	s   *session.Session
	out io.Writer
}

// step is one call with flags, and what it must end in.
type step struct {
	text string
	tag  uint64
	fl   fi.OpFlags
	want fi.Errno
}

func (p *peeker) run() error {
	const n = peekTag
	steps := []step{
		{"Peek for a bad msg", 0xbad, fi.OpPeek, fi.ErrNoMsg},
		{"Peek w/ claim for a bad msg", 0xbad, fi.OpPeek | fi.OpClaim, fi.ErrNoMsg},
		{"Peek msg 1", n + 1, fi.OpPeek, 0},
		{"Receive msg 1", n + 1, 0, 0},
		{"Peek w/ claim msg 2", n + 2, fi.OpPeek | fi.OpClaim, 0},
		{"Receive claimed msg 2", n + 2, fi.OpClaim, 0},
		{"Peek & discard msg 3", n + 3, fi.OpPeek | fi.OpDiscard, 0},
		{"Checking to see if msg 3 was discarded", n + 3, fi.OpPeek, fi.ErrNoMsg},
		{"Peek w/ claim msg 4", n + 4, fi.OpPeek | fi.OpClaim, 0},
		{"Claim and discard msg 4", n + 4, fi.OpClaim | fi.OpDiscard, 0},
		{"Receive msg 5", n + 5, 0, 0},
		{"Receive msg 6", n + 6, 0, 0},
	}
	for i := peekCount; i >= 7; i-- { // not in the order of sending
		steps = append(steps, step{fmt.Sprintf("Receive msg %d", i), n + uint64(i), 0, 0})
	}
	for _, st := range steps {
		fmt.Fprintln(p.out, st.text)
		if err := p.do(st); err != nil {
			return err
		}
	}
	return nil
}

// do runs a step. A message that must be there is looked for until it has come.
func (p *peeker) do(st step) error {
	deadline := time.Now().Add(p.s.Opt.Timeout)
	for {
		err := p.trecv(st)
		got := fi.Success
		if err != nil {
			got = fail.Errno(err)
		}
		switch {
		case got == st.want:
			return nil
		case got == fi.ErrNoMsg && st.fl&fi.OpPeek != 0 && (p.s.Opt.Timeout == 0 || time.Now().Before(deadline)):
			if cause := p.s.Ended(); cause != nil {
				return cause
			}
		case err == nil:
			return fail.Call("fi_trecvmsg", fmt.Errorf("%s: succeeded, expected %w", st.text, st.want))
		default:
			return err
		}
	}
}

func (p *peeker) trecv(st step) error {
	s := p.s
	m := &fi.TaggedMsg{Addr: fi.AddrUnspec, Tag: st.tag, Context: s.Context(0)}
	takes := st.fl&(fi.OpPeek|fi.OpDiscard) == 0
	buf := s.Rx[:session.CtrlSize]
	if takes {
		for i := range buf {
			buf[i] = 0
		}
		m.Iov = [][]byte{buf}
	}
	if err := s.EP.TRecvMsg(m, st.fl); err != nil {
		return fail.Call("fi_trecvmsg", err)
	}
	e, err := s.Next(s.RxCQ)
	switch {
	case err != nil:
		return err
	case st.fl&fi.OpPeek != 0 && (e.Tag != st.tag || e.Len != session.CtrlSize):
		return fail.Call("fi_trecvmsg", fmt.Errorf("peeked tag %#x, %d bytes: %w", e.Tag, e.Len, fi.ErrOther))
	case takes:
		return fail.Call("ft_check_buf", pattern.Check(buf))
	}
	return nil
}
