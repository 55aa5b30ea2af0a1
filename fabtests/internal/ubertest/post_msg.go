package ubertest

import (
	"github.com/gofabric/gofabric/fi"
)

// postReceives posts receives until there are as many as there may be.
func (s *side) postReceives() error {
	for ; s.posted < credits; s.posted++ {
		var ctx any
		if s.t.remote() || s.t.EP == fi.EPDgram || s.t.receiveCompletes() {
			ctx = s.rx.context()
		}
		buf := s.mem.rx
		switch {
		case s.dgrams != nil:
			buf = s.dgrams.buffer(ctx)
		case uint64(len(buf)) > s.info.EP.MaxMsgSize:
			buf = buf[:s.info.EP.MaxMsgSize]
		}
		post, name := s.plainReceive, "fi_recv"
		if s.t.Class&fi.CapTagged != 0 {
			post, name = s.taggedReceive, "fi_trecv"
		}
		call := post(buf, ctx)
		if err := s.again(name, call); err != nil {
			return err
		}
		s.rx.tag++
	}
	return nil
}

// plainReceive is the receive that belongs to the function of the test.
func (s *side) plainReceive(buf []byte, ctx any) func() error {
	switch s.t.Function {
	case funcSendV:
		iov := s.vector(&s.rx, buf, 1, s.info.Rx.IovLimit)
		return func() error { return s.ep.RecvV(iov, s.from, ctx) }
	case funcSendMsg:
		m := &fi.Msg{Iov: s.vector(&s.rx, buf, 1, s.info.Rx.IovLimit), Addr: s.from, Context: ctx}
		return func() error { return s.ep.RecvMsg(m, s.t.rxFlags()) }
	}
	return func() error { return s.ep.Recv(buf, s.from, ctx) }
}

func (s *side) taggedReceive(buf []byte, ctx any) func() error {
	tag := s.rx.tag
	switch s.t.Function {
	case funcSendV:
		iov := s.vector(&s.rx, buf, 1, s.info.Rx.IovLimit)
		return func() error { return s.ep.TRecvV(iov, s.from, tag, 0, ctx) }
	case funcSendMsg:
		m := &fi.TaggedMsg{Iov: s.vector(&s.rx, buf, 1, s.info.Rx.IovLimit), Addr: s.from, Tag: tag, Context: ctx}
		return func() error { return s.ep.TRecvMsg(m, s.t.rxFlags()) }
	}
	return func() error { return s.ep.TRecv(buf, s.from, tag, 0, ctx) }
}

// plainSend sends a message by the function of the test.
func (s *side) plainSend(ctx any) error {
	b := s.mem.tx[:s.size]
	switch s.t.Function {
	case funcSendV:
		iov := s.vector(&s.tx, b, 1, s.info.Tx.IovLimit)
		return s.again("fi_sendv", func() error { return s.ep.SendV(iov, s.peer, ctx) })
	case funcSendMsg:
		m := &fi.Msg{Iov: s.vector(&s.tx, b, 1, s.info.Tx.IovLimit), Addr: s.peer, Context: ctx, Data: s.data()}
		return s.again("fi_sendmsg", func() error { return s.ep.SendMsg(m, s.t.MsgFlags) })
	case funcInject:
		return s.again("fi_inject", func() error { return s.ep.Inject(b, s.peer) })
	case funcInjectData:
		return s.again("fi_injectdata", func() error { return s.ep.InjectData(b, s.data(), s.peer) })
	case funcSendData:
		return s.again("fi_senddata", func() error { return s.ep.SendData(b, s.data(), s.peer, ctx) })
	}
	return s.again("fi_send", func() error { return s.ep.Send(b, s.peer, ctx) })
}

func (s *side) taggedSend(ctx any) error {
	b, tag := s.mem.tx[:s.size], s.tx.tag
	s.tx.tag++
	switch s.t.Function {
	case funcSendV:
		iov := s.vector(&s.tx, b, 1, s.info.Tx.IovLimit)
		return s.again("fi_tsendv", func() error { return s.ep.TSendV(iov, s.peer, tag, ctx) })
	case funcSendMsg:
		m := &fi.TaggedMsg{Iov: s.vector(&s.tx, b, 1, s.info.Tx.IovLimit), Addr: s.peer, Tag: tag, Context: ctx, Data: s.data()}
		return s.again("fi_tsendmsg", func() error { return s.ep.TSendMsg(m, s.t.MsgFlags) })
	case funcInject:
		return s.again("fi_tinject", func() error { return s.ep.TInject(b, s.peer, tag) })
	case funcInjectData:
		return s.again("fi_tinjectdata", func() error { return s.ep.TInjectData(b, s.data(), s.peer, tag) })
	case funcSendData:
		return s.again("fi_tsenddata", func() error { return s.ep.TSendData(b, s.data(), s.peer, tag, ctx) })
	}
	return s.again("fi_tsend", func() error { return s.ep.TSend(b, s.peer, tag, ctx) })
}
