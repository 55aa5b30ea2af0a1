package wire

import (
	"math"

	"github.com/gofabric/gofabric/fi"
)

// extRule says what the header of an operation of the extension looks like. Nothing else is taken: who wants more
// raises the version.
type extRule struct {
	words   uint8 // beside data and ranges
	flags   Flags
	context uint8 // largest op_data
	id      bool  // the low half of the first word is an id, not 0
	high    bool  // its high half means something
	ranges  bool  // rma_iov_cnt triples follow
	payload bool
}

const askFlags = FlagData | FlagTransmit | FlagDeliver | FlagMatch

var extRules = [maxOp]extRule{
	ExtMsg:       {words: 1, flags: askFlags, high: true, payload: true},
	ExtTagged:    {words: 2, flags: askFlags, high: true, payload: true},
	ExtRTS:       {words: 2, flags: FlagData, id: true, high: true},
	ExtTaggedRTS: {words: 3, flags: FlagData, id: true, high: true},
	ExtPull:      {words: 2, id: true},
	ExtData:      {words: 2, id: true, payload: true},
	ExtDone:      {words: 1, id: true, high: true},
	ExtCancel:    {words: 1, id: true},
	ExtWrite:     {words: 1, flags: FlagData | FlagCommit, id: true, ranges: true, payload: true},
	ExtRead:      {words: 1, id: true, ranges: true},
	ExtReadData:  {words: 2, id: true, payload: true},
	ExtAtomic:    {words: 1, id: true, high: true, ranges: true, payload: true, context: AtomicMore | AtomicRest},
	ExtResult:    {words: 1, id: true, payload: true},
	ExtHold:      {words: 1, context: 1},
	ExtHeld:      {words: 1},
	ExtPing:      {words: 1},
	ExtPong:      {words: 1},
	ExtGoodbye:   {context: GoodbyeLeave},
}

// extended reads the words of an operation of the extension. h has the base header.
func (d *Decoder) extended(b []byte, h *Header) error {
	r := &extRules[h.Op]
	if h.Flags&^r.flags != 0 {
		return refuse(h.Op.String(), "flags", uint64(h.Flags), "flags of this operation")
	}
	if h.Context > r.context {
		return refuse(h.Op.String(), "op_data", uint64(h.Context), "a smaller one")
	}
	words := int(r.words)
	if h.Flags&FlagData != 0 {
		words++
	}
	if r.ranges {
		words += 3 * int(h.Cnt)
	}
	if h.Cnt > MaxRMA || !r.ranges && h.Cnt != 0 || h.Op == ExtAtomic && h.Cnt != 1 {
		return refuse(h.Op.String(), "rma_iov_cnt", uint64(h.Cnt), "a count of this operation")
	}
	if h.Len != BaseSize+8*words {
		return tooShort(h)
	}
	if !r.payload {
		if err := noPayload(h); err != nil {
			return err
		}
	}
	if words == 0 {
		return nil
	}
	first := d.order.word(b)
	b = b[8:]
	h.ID, h.Group = uint32(first), uint32(first>>32)
	if r.id && h.ID == 0 {
		return refuse(h.Op.String(), "id", 0, "an operation's")
	}
	if r.id && !r.high && h.Group != 0 {
		return refuse(h.Op.String(), "first word", first, "an id of 32 bits")
	}
	if h.Flags&FlagData != 0 {
		h.Data = d.order.word(b)
		b = b[8:]
	}
	switch h.Op {
	case ExtMsg, ExtTagged:
		if h.Op == ExtTagged {
			h.Tag = d.order.word(b)
		}
		ask := h.Flags & ackFlags
		if ask&(ask-1) != 0 {
			return refuse(h.Op.String(), "flags", uint64(h.Flags), "one of the ways to ask for an answer")
		}
		if (h.ID != 0) != (ask != 0) {
			return refuse(h.Op.String(), "id", uint64(h.ID), "one if an answer is asked for, else 0")
		}
	case ExtTaggedRTS:
		h.Tag = d.order.word(b)
		return length(d.order.word(b[8:]), h, &h.Size, "message length")
	case ExtRTS:
		return length(d.order.word(b), h, &h.Size, "message length")
	case ExtPull:
		if err := length(d.order.word(b), h, &h.Size, "length"); err != nil {
			return err
		}
		if h.Size == 0 {
			return refuse(h.Op.String(), "length", 0, "at least 1")
		}
	case ExtData, ExtReadData:
		if err := length(d.order.word(b), h, &h.Offset, "offset"); err != nil {
			return err
		}
		if h.Offset > math.MaxInt-h.Payload {
			return refuse(h.Op.String(), "offset", uint64(h.Offset), "an end below 2^63")
		}
		if h.Payload == 0 && (h.Op == ExtData || h.Offset != 0) {
			return refuse(h.Op.String(), "payload", 0, "at least 1 byte")
		}
	case ExtDone:
		if h.Group > maxErrno {
			return refuse(h.Op.String(), "error", uint64(h.Group), "at most 32767")
		}
		h.Errno, h.Group = fi.Errno(h.Group), 0
	case ExtWrite:
		if err := d.ranges(b, h); err != nil {
			return err
		}
		return sameLength(h)
	case ExtRead:
		if err := d.ranges(b, h); err != nil {
			return err
		}
		return readLength(h)
	case ExtAtomic:
		return d.atomic(b, h)
	case ExtResult:
		if h.Payload > MaxAtomic {
			return refuse(h.Op.String(), "payload", uint64(h.Payload), "at most 4096 bytes")
		}
	case ExtHold, ExtHeld, ExtPing, ExtPong:
		h.Serial, h.ID, h.Group = first, 0, 0
	}
	return nil
}

// atomic reads what an atomic does. Whether type and operation go together is decided by who executes it.
func (d *Decoder) atomic(b []byte, h *Header) error {
	kind, typ, op, rest := uint8(h.Group), uint8(h.Group>>8), uint8(h.Group>>16), uint8(h.Group>>24)
	h.Group = 0
	a := Atomic{Type: fi.Datatype(typ), Op: fi.AtomicOp(op)}
	switch kind {
	case kindBase:
		a.Kind = fi.AtomicBase
	case kindFetch:
		a.Kind = fi.AtomicFetch
	case kindCompare:
		a.Kind = fi.AtomicCompare
	default:
		return refuse(h.Op.String(), "kind", uint64(kind), "at most 2")
	}
	if rest != 0 {
		return refuse(h.Op.String(), "byte after the operation", uint64(rest), "0")
	}
	if a.Op > fi.AtomicDiff {
		return refuse(h.Op.String(), "operation", uint64(op), "at most 19")
	}
	size := uint64(a.Type.Size())
	if size == 0 {
		return refuse(h.Op.String(), "type", uint64(typ), "at most 19")
	}
	if err := d.ranges(b, h); err != nil {
		return err
	}
	n := h.RMA[0].Len
	if n == 0 || n > MaxAtomic || n%size != 0 {
		return refuse(h.Op.String(), "range length", n, "whole elements, at most 4096 bytes")
	}
	h.Atomic = a
	if want := a.Payload(int(n)); h.Payload != want {
		return refuse(h.Op.String(), "payload", uint64(h.Payload), "operands and compare values of the range")
	}
	h.Size = int(n)
	return nil
}
