package device

import (
	"errors"

	"github.com/gofabric/gofabric/fi"
)

// Send posts a message to a rank, with data that the receiver's operation shows, or without for 0, which is faster. With op
// nil, len(buf) is at most d.Inject, buf is free at once and nothing completes; else buf belongs to the device until op is
// over.
//
// Errors: those of fabric's TSend but fi.ErrAgain; op is as it was then.
//
//fabric:fastpath
func (d *Device) Send(op *Op, buf []byte, to int, tag, data uint64) error {
	if op != nil {
		op.Peer, op.Want = to, tag
		op.Begin()
	}
	if d.backlog.empty() {
		err := d.send(op, buf, d.addrs[to], tag, data)
		if err == nil {
			return nil
		}
		if err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
			return op.refused(err)
		}
	}
	return d.backlog.add(d, late{kind: lateSend, op: op, buf: buf, peer: to, tag: tag, data: data})
}

// send hands a message to the endpoint.
func (d *Device) send(op *Op, buf []byte, addr fi.Addr, tag, data uint64) error {
	if op == nil {
		if data == 0 {
			return d.ep.TInject(buf, addr, tag)
		}
		return d.ep.TInjectData(buf, data, addr, tag)
	}
	d.sends.Add(1)
	var err error
	if data == 0 {
		err = d.ep.TSend(buf, addr, tag, op)
	} else {
		err = d.ep.TSendData(buf, data, addr, tag, op)
	}
	if err != nil {
		d.sends.Add(-1)
	}
	return err
}

// SendMatched is Send whose operation is over when a receive has matched the message (FI_MATCH_COMPLETE).
func (d *Device) SendMatched(op *Op, buf []byte, to int, tag, data uint64) error {
	return d.general(op, lateMatched, buf, to, tag, 0, data)
}

// Recv posts a receive from a rank, or from AnyPeer, of a message whose tag is equal in all bits that are not in ignore.
//
//fabric:fastpath
func (d *Device) Recv(op *Op, buf []byte, from int, tag, ignore uint64) error {
	op.Peer, op.Want = from, tag|ignore
	op.Begin()
	if d.backlog.empty() {
		err := d.ep.TRecv(buf, d.from(from), tag, ignore, op)
		if err == nil {
			return nil
		}
		if err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
			return op.refused(err)
		}
	}
	return d.backlog.add(d, late{kind: lateRecv, op: op, buf: buf, peer: from, tag: tag, ignore: ignore})
}

func (d *Device) from(rank int) fi.Addr {
	if rank == AnyPeer {
		return fi.AddrUnspec
	}
	return d.addrs[rank]
}

// Peek looks for a message that no receive has matched: op's Err is fi.ErrNoMsg when there is none. With claim the message
// is kept for Claimed with the same op.
func (d *Device) Peek(op *Op, from int, tag, ignore uint64, claim bool) error {
	kind := latePeek
	if claim {
		kind = lateClaim
	}
	return d.general(op, kind, nil, from, tag, ignore, 0)
}

// Claimed receives the message that a Peek with this op has claimed.
func (d *Device) Claimed(op *Op, buf []byte) error {
	op.Err, op.bell, op.why = nil, nil, nil
	return d.general(op, lateClaimed, buf, op.Peer, op.Tag, 0, 0)
}

// general posts what needs flags of its own.
func (d *Device) general(op *Op, kind lateKind, buf []byte, peer int, tag, ignore, data uint64) error {
	op.Peer, op.Want = peer, tag
	op.Begin()
	l := late{kind: kind, op: op, buf: buf, peer: peer, tag: tag, ignore: ignore, data: data}
	if d.backlog.empty() {
		err := l.post(d)
		if err == nil {
			return nil
		}
		if err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
			return op.refused(err)
		}
	}
	return d.backlog.add(d, l)
}

// Cancel withdraws a receive that has not matched, or a send of which nothing has reached a receive; the op is over with
// fi.ErrCanceled then. What cannot be withdrawn any more completes as if nothing had been asked.
func (d *Device) Cancel(op *Op) {
	if d.backlog.cancel(op) {
		op.Err = op.reason(fi.ErrCanceled)
		op.complete()
		return
	}
	_ = d.ep.Cancel(op) // not there: it completes, or has completed
}

// Withdraw is Cancel for a reason, which becomes the operation's error.
func (d *Device) Withdraw(op *Op, why error) {
	op.ask.Lock()
	if op.why == nil {
		op.why = why
	}
	op.ask.Unlock()
	d.Cancel(op)
}

// reason gives what an operation was withdrawn for instead of the error of who has withdrawn it.
func (o *Op) reason(err error) error {
	if !errors.Is(err, fi.ErrCanceled) {
		return err
	}
	o.ask.Lock()
	defer o.ask.Unlock()
	if o.why != nil {
		return o.why
	}
	return err
}

// doomed gives what an operation was withdrawn for.
func (o *Op) doomed() error {
	o.ask.Lock()
	defer o.ask.Unlock()
	return o.why
}
