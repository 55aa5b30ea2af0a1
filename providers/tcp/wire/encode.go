package wire

import (
	"math/bits"

	"github.com/gofabric/gofabric/fi"
)

// Encoder writes the headers of one direction of a connection. Headers must leave in the order in which they were
// written, since they are numbered (a debug build of C checks that): write a header when its place in the stream is
// decided.
//
// The Put methods write to the beginning of b and return the length of the header; MaxHeader bytes are always enough.
// payload is how many bytes the caller sends after it. data is looked at when FlagData is in flags.
type Encoder struct {
	order Order
	seq   uint8
}

// NewEncoder gives an encoder of a stream in that order.
func NewEncoder(order Order) Encoder { return Encoder{order: order} }

func (e *Encoder) base(b []byte, op Op, flags Flags, context, cnt uint8, hdr, payload int) {
	size := uint64(hdr) + uint64(payload)
	if e.order != Little {
		flags, size = Flags(bits.ReverseBytes16(uint16(flags))), bits.ReverseBytes64(size)
	}
	le.PutUint64(b, Version|uint64(op)<<8|uint64(flags)<<16|uint64(context)<<32|uint64(cnt)<<40|uint64(hdr)<<48|uint64(e.seq)<<56)
	le.PutUint64(b[8:], size)
	e.seq++
}

// PutMsg writes the header of a message.
//
//fabric:fastpath
func (e *Encoder) PutMsg(b []byte, flags Flags, data uint64, payload int) int {
	n := BaseSize
	if flags&FlagData != 0 {
		e.order.put(b[n:], data)
		n += 8
	}
	e.base(b, OpMsg, flags, 0, 0, n, payload)
	return n
}

// PutTagged writes the header of a tagged message. Never send one to an MSG endpoint of C that is not known to take it.
//
//fabric:fastpath
func (e *Encoder) PutTagged(b []byte, flags Flags, data, tag uint64, payload int) int {
	n := BaseSize
	if flags&FlagData != 0 {
		e.order.put(b[n:], data)
		n += 8
	}
	e.order.put(b[n:], tag)
	n += 8
	e.base(b, OpTagged, flags, 0, 0, n, payload)
	return n
}

// PutAck writes an ack, 16 bytes. Never send one that was not asked for.
//
//fabric:fastpath
func (e *Encoder) PutAck(b []byte) int {
	e.base(b, OpMsg, 0, ackData, 0, BaseSize, 0)
	return BaseSize
}

// PutReadReq writes a read request of up to MaxRMA ranges.
//
//fabric:fastpath
func (e *Encoder) PutReadReq(b []byte, rma []fi.RMAIov) int {
	n := e.ranges(b, BaseSize, rma)
	e.base(b, OpReadReq, 0, 0, uint8(len(rma)), n, 0)
	return n
}

// PutReadRsp writes the header of a read response. cnt is that of the request.
//
//fabric:fastpath
func (e *Encoder) PutReadRsp(b []byte, cnt uint8, payload int) int {
	e.base(b, OpReadRsp, 0, 0, cnt, BaseSize, payload)
	return BaseSize
}

// PutWrite writes the header of a write to up to MaxRMA ranges, which have payload bytes in all.
//
//fabric:fastpath
func (e *Encoder) PutWrite(b []byte, flags Flags, data uint64, rma []fi.RMAIov, payload int) int {
	n := BaseSize
	if flags&FlagData != 0 {
		e.order.put(b[n:], data)
		n += 8
	}
	n = e.ranges(b, n, rma)
	e.base(b, OpWrite, flags, 0, uint8(len(rma)), n, payload)
	return n
}

// PutTaggedRTS announces a tagged message of size bytes. context is one of 1 to MaxContext that the sender does not use
// on this connection; it is free again when the CTS has come.
//
//fabric:fastpath
func (e *Encoder) PutTaggedRTS(b []byte, flags Flags, context uint8, data, tag uint64, size int) int {
	n := BaseSize
	if flags&FlagData != 0 {
		e.order.put(b[n:], data)
		n += 8
	}
	e.order.put(b[n:], tag)
	e.order.put(b[n+8:], uint64(size))
	n += 16
	e.base(b, OpTaggedRTS, flags, context, 0, n, 0)
	return n
}

// PutCTS asks for the message that was announced as context.
//
//fabric:fastpath
func (e *Encoder) PutCTS(b []byte, context uint8) int {
	e.base(b, OpCTS, 0, context, 0, BaseSize, 0)
	return BaseSize
}

// PutRTSData writes the header of an announced message. flags and payload are those of its RTS.
//
//fabric:fastpath
func (e *Encoder) PutRTSData(b []byte, flags Flags, context uint8, payload int) int {
	e.base(b, OpRTSData, flags, context, 0, BaseSize, payload)
	return BaseSize
}

func (e *Encoder) ranges(b []byte, n int, rma []fi.RMAIov) int {
	for i := range rma {
		e.order.put(b[n:], rma[i].Addr)
		e.order.put(b[n+8:], rma[i].Len)
		e.order.put(b[n+16:], rma[i].Key)
		n += 24
	}
	return n
}
