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

// The messages of the peek test: ten, and five in old versions, in which the client ends with a message of its own.
const (
	peekTag      = 0x900d
	peekCount    = 10
	peekCountOld = 5
	peekEnd      = 0xabc
	peekShort    = 64 // bytes of a message, in some versions
)

// runTaggedPeek looks for messages before receiving them: the server sends, the client peeks, claims, discards.
func runTaggedPeek(env *scenario.Env) error {
	old := env.Opt.PeerVersion != 0 && env.Opt.PeerVersion < session.PeekTen
	s, err := session.Open(env, session.Need{Caps: fi.CapTagged, Order: fi.OrderSAS, Size: session.CtrlSize, OOBSync: !old})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	p := &peeker{s: s, out: env.Out, old: old}
	switch {
	case s.Client:
		err = p.run(p.steps())
	case old:
		err = p.send(peekTag, peekCountOld)
	default:
		err = p.send(peekTag+1, peekCount)
	}
	switch {
	case err != nil:
	case old:
		err = p.endOld()
	default:
		err = s.Sync()
	}
	if err != nil {
		return p.hint(err)
	}
	return s.Close()
}

// peeker is one side: the client receives.
type peeker struct {
	s   *session.Session
	out io.Writer
	old bool
}

// size is how long the messages are that we send.
func (p *peeker) size() int {
	if p.s.Since(session.PeekTen) && !p.s.Since(session.PeekLong) {
		return peekShort
	}
	return session.CtrlSize
}

func (p *peeker) send(tag uint64, count int) error {
	s := p.s
	fmt.Fprintf(p.out, "Sending %d tagged messages\n", count)
	pattern.Fill(s.Tx[:session.CtrlSize])
	for i := range uint64(count) {
		s.TxTag = tag + i
		if err := s.PostTx(s.Tx[:p.size()], s.Context(0)); err != nil {
			return err
		}
	}
	fmt.Fprintln(p.out, "Waiting for messages to complete")
	return s.WaitTx(s.TxSeq)
}

// hint adds what may be the cause: nothing that old programs send tells that they are.
func (p *peeker) hint(err error) error {
	if p.s.Opt.PeerVersion != 0 || p.s.Opt.Child.On {
		return err
	}
	return &fail.Hint{Err: err, Next: "--peer-version VERSION, if the other side is a C program of libfabric before 2.1"}
}

// endOld is how old versions end. The messages of the test are not among those that are numbered.
func (p *peeker) endOld() error {
	s := p.s
	if s.Client {
		s.TxTag = peekEnd
		if err := s.PostTx(s.Tx[:1], s.Context(0)); err != nil {
			return err
		}
		if err := s.WaitTx(s.TxSeq); err != nil {
			return err
		}
		s.TxSeq, s.TxDone = s.TxSeq-1, s.TxDone-1
	} else {
		if err := p.trecv(step{tag: peekEnd}); err != nil {
			return err
		}
		s.TxSeq, s.TxDone = s.TxSeq-peekCountOld, s.TxDone-peekCountOld
	}
	s.TxTag = 0
	return s.Finalize()
}

// step is one call with flags, and what it must end in.
type step struct {
	text string
	tag  uint64
	fl   fi.OpFlags
	want fi.Errno
}

// steps are the calls of the client.
func (p *peeker) steps() []step {
	n := uint64(peekTag)
	if p.old { // the first message has the first tag
		n--
	}
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
	}
	if p.old {
		return steps
	}
	steps = append(steps, step{"Receive msg 6", n + 6, 0, 0})
	for i := peekCount; i >= 7; i-- { // not in the order of sending
		steps = append(steps, step{fmt.Sprintf("Receive msg %d", i), n + uint64(i), 0, 0})
	}
	return steps
}

func (p *peeker) run(steps []step) error {
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
	case st.fl&fi.OpPeek != 0 && (e.Tag != st.tag || e.Len != peekShort && e.Len != session.CtrlSize):
		return fail.Call("fi_trecvmsg", fmt.Errorf("peeked tag %#x, %d bytes: %w", e.Tag, e.Len, fi.ErrOther))
	case takes && !p.old: // old versions send what happens to be there
		return fail.Call("ft_check_buf", pattern.Check(buf[:e.Len]))
	}
	return nil
}
