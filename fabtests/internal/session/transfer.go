package session

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fi"
)

// CQData is what messages with remote CQ data carry, as far as the provider has room for it.
const CQData uint64 = 0x0123456789abcdef

// RemoteCQData is CQData cut to the size that the domain carries.
func (s *Session) RemoteCQData() uint64 {
	if n := s.Info.Domain.CQDataSize; n < 8 {
		return CQData & (1<<(8*n) - 1)
	}
	return CQData
}

// again drives the endpoint when a post was refused for want of room; other errors are returned.
func (s *Session) again(err error, call string, p *patience) error {
	if err != fi.ErrAgain { //nolint:errorlint // a bare value
		return fail.Call(call, err)
	}
	if err := s.Progress(); err != nil {
		return err
	}
	return s.tired(p)
}

// tag gives the tag of the next message.
func tag(fixed, seq uint64) uint64 {
	if fixed != 0 {
		return fixed
	}
	return seq
}

// Tags makes messages tagged ones from now on, or plain ones. The capabilities must have both.
func (s *Session) Tags(on bool) { s.tagged = on }

// PostTx sends buf; a completion follows.
func (s *Session) PostTx(buf []byte, ctx any) error {
	var p patience
	for {
		err := s.send(buf, ctx)
		if err == nil {
			s.TxSeq++
			return nil
		}
		if err = s.again(err, "fi_send", &p); err != nil {
			return err
		}
	}
}

// send tries to send.
func (s *Session) send(buf []byte, ctx any) error {
	if s.tagged {
		return s.EP.TSend(buf, s.Peer, tag(s.TxTag, s.TxSeq), ctx)
	}
	return s.EP.Send(buf, s.Peer, ctx)
}

// PostTxMsg sends buf by the message form, with flags.
func (s *Session) PostTxMsg(buf []byte, ctx any, data uint64, fl fi.OpFlags) error {
	s.syncIov[0] = buf
	var p patience
	for {
		var err error
		if s.tagged {
			s.syncTMsg = fi.TaggedMsg{Iov: s.syncIov[:], Addr: s.Peer, Tag: tag(s.TxTag, s.TxSeq), Context: ctx, Data: data}
			err = s.EP.TSendMsg(&s.syncTMsg, fl)
		} else {
			s.syncMsg = fi.Msg{Iov: s.syncIov[:], Addr: s.Peer, Context: ctx, Data: data}
			err = s.EP.SendMsg(&s.syncMsg, fl)
		}
		if err == nil {
			s.TxSeq++
			return nil
		}
		if err = s.again(err, "fi_sendmsg", &p); err != nil {
			return err
		}
	}
}

// PostTxData sends buf with remote CQ data.
func (s *Session) PostTxData(buf []byte, data uint64, ctx any) error {
	var p patience
	for {
		var err error
		if s.tagged {
			err = s.EP.TSendData(buf, data, s.Peer, tag(s.TxTag, s.TxSeq), ctx)
		} else {
			err = s.EP.SendData(buf, data, s.Peer, ctx)
		}
		if err == nil {
			s.TxSeq++
			return nil
		}
		if err = s.again(err, "fi_senddata", &p); err != nil {
			return err
		}
	}
}

// Inject sends buf without a completion.
func (s *Session) Inject(buf []byte) error {
	var p patience
	for {
		var err error
		if s.tagged {
			err = s.EP.TInject(buf, s.Peer, tag(s.TxTag, s.TxSeq))
		} else {
			err = s.EP.Inject(buf, s.Peer)
		}
		if err == nil {
			s.TxSeq++
			s.TxDone++
			return nil
		}
		if err = s.again(err, "fi_inject", &p); err != nil {
			return err
		}
	}
}

// PostRx posts a receive.
func (s *Session) PostRx(buf []byte, ctx any) error {
	var p patience
	for {
		err := s.recv(buf, ctx)
		if err == nil {
			s.RxSeq++
			return nil
		}
		if err = s.again(err, "fi_recv", &p); err != nil {
			return err
		}
	}
}

// recv tries to post a receive, where messages are received.
func (s *Session) recv(buf []byte, ctx any) error {
	switch {
	case s.SRX != nil && s.tagged:
		return s.SRX.TRecv(buf, s.From, tag(s.RxTag, s.RxSeq), 0, ctx)
	case s.SRX != nil:
		return s.SRX.Recv(buf, s.From, ctx)
	case s.tagged:
		return s.EP.TRecv(buf, s.From, tag(s.RxTag, s.RxSeq), 0, ctx)
	}
	return s.EP.Recv(buf, s.From, ctx)
}

// Repost posts the one receive that is always there.
func (s *Session) Repost() error { return s.PostRx(s.Rx[:s.Slot], s.contexts[0]) }

// Send sends the first n bytes of the transmit buffer and waits for the completion.
func (s *Session) Send(n int) error {
	if err := s.prepare(s.Tx[:n]); err != nil {
		return err
	}
	if err := s.PostTx(s.Tx[:n], s.contexts[0]); err != nil {
		return err
	}
	return s.WaitTx(s.TxSeq)
}

// SendOrInject sends n bytes the cheapest way.
func (s *Session) SendOrInject(n int) error {
	if n > s.inject {
		return s.Send(n)
	}
	if err := s.prepare(s.Tx[:n]); err != nil {
		return err
	}
	return s.Inject(s.Tx[:n])
}

// Receive waits for the next message, of n bytes, and posts the receive for the one after it.
func (s *Session) Receive(n int) error {
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	if err := s.Inspect(s.Rx[:n]); err != nil {
		return err
	}
	return s.Repost()
}

// prepare writes a buffer before it is sent, with -v or --touch.
func (s *Session) prepare(buf []byte) error {
	if s.Opt.Verify || s.scratch != nil {
		s.Prepare(buf)
	}
	return nil
}

// Prepare writes what -v and --touch want into a buffer that is about to be sent.
//
//go:noinline
func (s *Session) Prepare(buf []byte) {
	switch {
	case s.scratch != nil && len(buf) <= len(s.scratch):
		copy(buf, s.scratch)
	case s.Opt.Verify:
		pattern.Fill(buf)
	}
}

// Inspect reads a buffer that was received, with -v or --touch.
func (s *Session) Inspect(buf []byte) error {
	if s.Opt.Verify || s.scratch != nil {
		return s.inspect(buf)
	}
	return nil
}

//go:noinline
func (s *Session) inspect(buf []byte) error {
	if s.scratch != nil {
		s.seen += sum(buf)
	}
	if s.Opt.Verify && !s.warming {
		return fail.Call("ft_check_buf", pattern.Check(buf))
	}
	return nil
}

// TryTx is PostTx that does not wait for room: false says that there is none.
func (s *Session) TryTx(buf []byte, ctx any) (bool, error) {
	err := s.send(buf, ctx)
	if err == nil {
		s.TxSeq++
	}
	return tried(err, "fi_send")
}

// TryRx is PostRx that does not wait for room: false says that there is none.
func (s *Session) TryRx(buf []byte, ctx any) (bool, error) {
	err := s.recv(buf, ctx)
	if err == nil {
		s.RxSeq++
	}
	return tried(err, "fi_recv")
}

func tried(err error, call string) (bool, error) {
	if err == fi.ErrAgain { //nolint:errorlint // a bare value
		return false, nil
	}
	return err == nil, fail.Call(call, err)
}
