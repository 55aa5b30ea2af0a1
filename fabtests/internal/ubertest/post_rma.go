package ubertest

import "github.com/gofabric/gofabric/fi"

// rma reads or writes the beginning of the peer's region, by the function of the test.
func (s *side) rma(ctx any) error {
	b := s.mem.tx[:s.size]
	message := func() *fi.RMAMsg {
		return &fi.RMAMsg{Iov: s.vector(&s.tx, b, 1, s.info.Tx.IovLimit), Addr: s.peer, Context: ctx, Data: s.data(),
			RMAIov: []fi.RMAIov{{Addr: s.at.Addr, Len: uint64(len(b)), Key: s.at.Key}}}
	}
	switch s.t.Function {
	case funcRead:
		return s.again("fi_read", func() error { return s.ep.Read(b, s.peer, s.at, ctx) })
	case funcReadV:
		iov := s.vector(&s.tx, b, 1, s.info.Tx.IovLimit)
		return s.again("fi_readv", func() error { return s.ep.ReadV(iov, s.peer, s.at, ctx) })
	case funcReadMsg:
		m := message()
		return s.again("fi_readmsg", func() error { return s.ep.ReadMsg(m, s.t.MsgFlags) })
	case funcWriteV:
		iov := s.vector(&s.tx, b, 1, s.info.Tx.IovLimit)
		return s.again("fi_writev", func() error { return s.ep.WriteV(iov, s.peer, s.at, ctx) })
	case funcWriteMsg:
		m := message()
		return s.again("fi_writemsg", func() error { return s.ep.WriteMsg(m, s.t.MsgFlags) })
	case funcInjectWrite:
		return s.again("fi_inject_write", func() error { return s.ep.InjectWrite(b, s.peer, s.at) })
	case funcWriteData:
		return s.again("fi_writedata", func() error { return s.ep.WriteData(b, s.data(), s.peer, s.at, ctx) })
	case funcInjectWriteData:
		return s.again("fi_inject_writedata", func() error { return s.ep.InjectWriteData(b, s.data(), s.peer, s.at) })
	}
	return s.again("fi_write", func() error { return s.ep.Write(b, s.peer, s.at, ctx) })
}
