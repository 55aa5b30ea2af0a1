package wire

import "github.com/gofabric/gofabric/fi"

// PutExtMsg writes the header of a message that asks for an answer or belongs to a peer group. id is 0 unless flags has
// FlagTransmit, FlagDeliver or FlagMatch, at most one of them.
//
//fabric:fastpath
func (e *Encoder) PutExtMsg(b []byte, flags Flags, id, group uint32, data uint64, payload int) int {
	n := e.first(b, flags, uint64(id)|uint64(group)<<32, data)
	e.base(b, ExtMsg, flags, 0, 0, n, payload)
	return n
}

// PutExtTagged is PutExtMsg for a tagged message.
//
//fabric:fastpath
func (e *Encoder) PutExtTagged(b []byte, flags Flags, id, group uint32, data, tag uint64, payload int) int {
	n := e.first(b, flags, uint64(id)|uint64(group)<<32, data)
	e.order.put(b[n:], tag)
	n += 8
	e.base(b, ExtTagged, flags, 0, 0, n, payload)
	return n
}

// PutExtRTS announces a message of size bytes. flags is FlagData or 0.
//
//fabric:fastpath
func (e *Encoder) PutExtRTS(b []byte, flags Flags, id, group uint32, data uint64, size int) int {
	n := e.first(b, flags, uint64(id)|uint64(group)<<32, data)
	e.order.put(b[n:], uint64(size))
	n += 8
	e.base(b, ExtRTS, flags, 0, 0, n, 0)
	return n
}

// PutExtTaggedRTS announces a tagged message of size bytes. flags is FlagData or 0.
//
//fabric:fastpath
func (e *Encoder) PutExtTaggedRTS(b []byte, flags Flags, id, group uint32, data, tag uint64, size int) int {
	n := e.first(b, flags, uint64(id)|uint64(group)<<32, data)
	e.order.put(b[n:], tag)
	e.order.put(b[n+8:], uint64(size))
	n += 16
	e.base(b, ExtTaggedRTS, flags, 0, 0, n, 0)
	return n
}

// PutExtPull asks for the first size bytes of the announced message id, at least 1.
//
//fabric:fastpath
func (e *Encoder) PutExtPull(b []byte, id uint32, size int) int {
	return e.two(b, ExtPull, id, uint64(size), 0)
}

// PutExtData writes the header of the bytes of the message id from offset on.
//
//fabric:fastpath
func (e *Encoder) PutExtData(b []byte, id uint32, offset, payload int) int {
	return e.two(b, ExtData, id, uint64(offset), payload)
}

// PutExtDone ends the peer's operation id, with errno 0 well.
//
//fabric:fastpath
func (e *Encoder) PutExtDone(b []byte, id uint32, errno fi.Errno) int {
	if errno < 0 || errno > maxErrno {
		errno = fi.ErrOther
	}
	return e.one(b, ExtDone, 0, uint64(id)|uint64(errno)<<32)
}

// PutExtCancel asks for the message id back.
func (e *Encoder) PutExtCancel(b []byte, id uint32) int { return e.one(b, ExtCancel, 0, uint64(id)) }

// PutExtWrite writes the header of a write to up to MaxRMA ranges, which have payload bytes in all. flags are of
// FlagData and FlagCommit.
//
//fabric:fastpath
func (e *Encoder) PutExtWrite(b []byte, flags Flags, id uint32, data uint64, rma []fi.RMAIov, payload int) int {
	n := e.first(b, flags, uint64(id), data)
	n = e.ranges(b, n, rma)
	e.base(b, ExtWrite, flags, 0, uint8(len(rma)), n, payload)
	return n
}

// PutExtRead asks for up to MaxRMA ranges.
//
//fabric:fastpath
func (e *Encoder) PutExtRead(b []byte, id uint32, rma []fi.RMAIov) int {
	n := e.first(b, 0, uint64(id), 0)
	n = e.ranges(b, n, rma)
	e.base(b, ExtRead, 0, 0, uint8(len(rma)), n, 0)
	return n
}

// PutExtReadData writes the header of the bytes of the read id from offset on. A read of nothing is answered by one
// without payload.
//
//fabric:fastpath
func (e *Encoder) PutExtReadData(b []byte, id uint32, offset, payload int) int {
	return e.two(b, ExtReadData, id, uint64(offset), payload)
}

// PutExtAtomic writes the header of an atomic on rma, at most MaxAtomic bytes; a.Payload(rma.Len) bytes follow it. part is 0,
// or AtomicMore and AtomicRest.
//
//fabric:fastpath
func (e *Encoder) PutExtAtomic(b []byte, id uint32, a Atomic, rma fi.RMAIov, part uint8) int {
	n := e.first(b, 0, uint64(id)|a.word(), 0)
	e.order.put(b[n:], rma.Addr)
	e.order.put(b[n+8:], rma.Len)
	e.order.put(b[n+16:], rma.Key)
	n += 24
	e.base(b, ExtAtomic, 0, part, 1, n, a.Payload(int(rma.Len)))
	return n
}

// PutExtResult writes the header of the old values that the atomic id brings back.
//
//fabric:fastpath
func (e *Encoder) PutExtResult(b []byte, id uint32, payload int) int {
	n := e.first(b, 0, uint64(id), 0)
	e.base(b, ExtResult, 0, 0, 0, n, payload)
	return n
}

// PutExtHold asks to announce every message from now on (on is 1), or says that this is over (0).
func (e *Encoder) PutExtHold(b []byte, on uint8, serial uint64) int {
	return e.one(b, ExtHold, on, serial)
}

// PutExtHeld says that every message after it is announced. serial is that of the ExtHold.
func (e *Encoder) PutExtHeld(b []byte, serial uint64) int { return e.one(b, ExtHeld, 0, serial) }

// PutExtPing asks for an ExtPong.
func (e *Encoder) PutExtPing(b []byte, serial uint64) int { return e.one(b, ExtPing, 0, serial) }

// PutExtPong answers the ExtPing of that serial.
func (e *Encoder) PutExtPong(b []byte, serial uint64) int { return e.one(b, ExtPong, 0, serial) }

// PutExtGoodbye writes a goodbye; which is GoodbyeAsk or another of its kind.
func (e *Encoder) PutExtGoodbye(b []byte, which uint8) int {
	e.base(b, ExtGoodbye, 0, which, 0, BaseSize, 0)
	return BaseSize
}

// first writes the first word, and the data if there is any.
func (e *Encoder) first(b []byte, flags Flags, w, data uint64) int {
	e.order.put(b[BaseSize:], w)
	if flags&FlagData == 0 {
		return BaseSize + 8
	}
	e.order.put(b[BaseSize+8:], data)
	return BaseSize + 16
}

func (e *Encoder) one(b []byte, op Op, context uint8, w uint64) int {
	e.order.put(b[BaseSize:], w)
	e.base(b, op, 0, context, 0, BaseSize+8, 0)
	return BaseSize + 8
}

func (e *Encoder) two(b []byte, op Op, id uint32, w uint64, payload int) int {
	e.order.put(b[BaseSize:], uint64(id))
	e.order.put(b[BaseSize+8:], w)
	e.base(b, op, 0, 0, 0, BaseSize+16, payload)
	return BaseSize + 16
}
