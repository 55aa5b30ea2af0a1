package session

import (
	"encoding/binary"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// keySize is the length of the message that names a region: address, length and key, 64 bits each in the order of the
// machine.
const keySize = 24

// RegionMessage is the message that names a region to a peer.
func RegionMessage(m *fabric.MR) []byte {
	at := m.Remote()
	b := binary.NativeEndian.AppendUint64(make([]byte, 0, keySize), at.Addr)
	b = binary.NativeEndian.AppendUint64(b, m.Len())
	return binary.NativeEndian.AppendUint64(b, at.Key)
}

// RegionOf is the region that such a message names.
func RegionOf(b []byte) mr.Remote {
	return mr.Remote{Addr: binary.NativeEndian.Uint64(b), Key: binary.NativeEndian.Uint64(b[16:])}
}

// ExchangeKeys tells each side of the other's region.
func (s *Session) ExchangeKeys() (err error) {
	if s.Remote, err = s.ExchangeKey(s.MR); err != nil {
		return err
	}
	return s.Sync()
}

// ExchangeKey tells the other side of one of our regions, and gives the one that it tells us of.
func (s *Session) ExchangeKey(m *fabric.MR) (mr.Remote, error) {
	n := copy(s.Tx, RegionMessage(m))
	if err := s.PostTx(s.Tx[:n], s.contexts[0]); err != nil {
		return mr.Remote{}, err
	}
	if err := s.WaitTx(s.TxSeq); err != nil {
		return mr.Remote{}, err
	}
	if err := s.WaitRx(s.RxSeq); err != nil {
		return mr.Remote{}, err
	}
	remote := RegionOf(s.Rx)
	return remote, s.Repost()
}

// offset is where buf, a part of the transmit or receive buffers, lies in them.
func offset(all, buf []byte) uint64 { return uint64(cap(all) - cap(buf)) }

// target is the place in the peer's receive buffers that a part of our transmit buffers is written to.
func (s *Session) target(buf []byte) mr.Remote {
	return s.Remote.At(offset(s.Tx, buf))
}

// source is the place in the peer's transmit buffers that a part of our receive buffers is read from.
func (s *Session) source(buf []byte) mr.Remote {
	return s.Remote.At(uint64(s.remoteOff) + offset(s.Rx, buf))
}

// PostWrite writes buf, a part of Tx, into the peer's Rx at the same place.
func (s *Session) PostWrite(buf []byte, ctx any) error {
	to := s.target(buf)
	var p patience
	for {
		err := s.EP.Write(buf, s.Peer, to, ctx)
		if err == nil {
			s.TxSeq++
			return nil
		}
		if err = s.again(err, "fi_write", &p); err != nil {
			return err
		}
	}
}

// PostWriteMore is PostWrite by the message form, with flags.
func (s *Session) PostWriteMore(buf []byte, ctx any, fl fi.OpFlags) error {
	to := s.target(buf)
	m := fi.RMAMsg{Iov: [][]byte{buf}, Addr: s.Peer, RMAIov: []fi.RMAIov{{Addr: to.Addr, Len: uint64(len(buf)), Key: to.Key}}, Context: ctx, Data: s.RemoteCQData()}
	var p patience
	for {
		err := s.EP.WriteMsg(&m, fl)
		if err == nil {
			s.TxSeq++
			return nil
		}
		if err = s.again(err, "fi_writemsg", &p); err != nil {
			return err
		}
	}
}

// PostWriteData is PostWrite with remote CQ data.
func (s *Session) PostWriteData(buf []byte, ctx any) error {
	to := s.target(buf)
	var p patience
	for {
		err := s.EP.WriteData(buf, s.RemoteCQData(), s.Peer, to, ctx)
		if err == nil {
			s.TxSeq++
			return nil
		}
		if err = s.again(err, "fi_writedata", &p); err != nil {
			return err
		}
	}
}

// InjectWrite is PostWrite without a completion.
func (s *Session) InjectWrite(buf []byte) error {
	to := s.target(buf)
	var p patience
	for {
		err := s.EP.InjectWrite(buf, s.Peer, to)
		if err == nil {
			s.TxSeq++
			s.TxDone++
			return nil
		}
		if err = s.again(err, "fi_inject_write", &p); err != nil {
			return err
		}
	}
}

// InjectWriteData is PostWriteData without a completion here.
func (s *Session) InjectWriteData(buf []byte) error {
	to := s.target(buf)
	var p patience
	for {
		err := s.EP.InjectWriteData(buf, s.RemoteCQData(), s.Peer, to)
		if err == nil {
			s.TxSeq++
			s.TxDone++
			return nil
		}
		if err = s.again(err, "fi_inject_writedata", &p); err != nil {
			return err
		}
	}
}

// PostRead reads into buf, a part of Rx, from the peer's Tx at the same place.
func (s *Session) PostRead(buf []byte, ctx any) error {
	from := s.source(buf)
	var p patience
	for {
		err := s.EP.Read(buf, s.Peer, from, ctx)
		if err == nil {
			s.TxSeq++
			return nil
		}
		if err = s.again(err, "fi_read", &p); err != nil {
			return err
		}
	}
}

// RMAInject is the longest write that is injected: none with -v, which needs completions.
func (s *Session) RMAInject() int {
	if s.Opt.Verify {
		return -1
	}
	return s.limitInject(s.EP.InjectSizes().RMA)
}

// RMAStart is where RMA begins in the buffers, behind what messages that synchronise use: where a C program looks for the
// data with -v, and else at the next cache line, since copies between lines that are shifted against each other are slow.
func (s *Session) RMAStart() int {
	if s.Opt.Verify {
		return AckSize
	}
	return lineSize
}
