package wire

import (
	"math"
	"math/bits"
)

// Decoder reads the headers of one direction of a connection.
type Decoder struct {
	order  Order
	ops    Ops
	refuse Flags // that mean something in a plain stream only
	max    int   // bytes of a header
}

// NewDecoder gives a decoder of streams in that order in which these operations may come.
func NewDecoder(order Order, ops Ops) Decoder {
	d := Decoder{order: order, ops: ops, max: MaxBaseHeader}
	if ops&anyExt != 0 {
		d.refuse, d.max = ackFlags, MaxHeader
	}
	return d
}

// Header reads the header at the beginning of b into h; n as the package says. The payload follows it.
//
//fabric:fastpath
func (d *Decoder) Header(b []byte, h *Header) (n int, err error) {
	if len(b) < BaseSize {
		return len(b) - BaseSize, nil
	}
	w, size := le.Uint64(b), le.Uint64(b[8:])
	flags := Flags(w >> 16)
	if d.order != Little {
		flags, size = Flags(bits.ReverseBytes16(uint16(flags))), bits.ReverseBytes64(size)
	}
	op, hdr := Op(w>>8), int(byte(w>>48))
	if byte(w) != Version || hdr&7 != 0 || hdr < BaseSize || hdr > d.max || size < uint64(hdr) || size > math.MaxInt || !d.ops.Has(op) || op == OpAck {
		return 0, d.badBase(b, size)
	}
	if len(b) < hdr {
		return len(b) - hdr, nil
	}
	b = b[:hdr]
	h.Op, h.Len, h.Payload = op, hdr, int(size)-hdr
	if op >= ExtMsg {
		h.Context, h.Cnt, h.Flags = byte(w>>32), byte(w>>40), flags
		if err := d.extended(b[BaseSize:], h); err != nil {
			return 0, err
		}
		return hdr, nil
	}
	if flags&^baseFlags != 0 || flags&d.refuse != 0 {
		return 0, refuse(op.String(), "flags", uint64(flags), "known ones")
	}
	h.Flags = flags &^ FlagTransmit
	b = b[BaseSize:]
	if flags&FlagData != 0 && op != OpReadReq && op != OpReadRsp && op < OpCTS {
		if len(b) < 8 {
			return 0, tooShort(h)
		}
		h.Data = d.order.word(b)
		b = b[8:]
	}
	switch op {
	case OpMsg:
		if byte(w>>32) == ackData {
			return d.ack(h, flags)
		}
	case OpTagged:
		if len(b) < 8 {
			return 0, tooShort(h)
		}
		h.Tag = d.order.word(b)
	default:
		h.Context, h.Cnt = byte(w>>32), byte(w>>40)
		if err := d.rest(b, h); err != nil {
			return 0, err
		}
	}
	return hdr, nil
}

// rest reads everything but messages.
func (d *Decoder) rest(b []byte, h *Header) error {
	switch h.Op {
	case OpReadReq:
		h.Flags = 0
		if err := d.ranges(b, h); err != nil {
			return err
		}
		if err := readLength(h); err != nil {
			return err
		}
		return noPayload(h)
	case OpReadRsp:
		h.Flags = 0
	case OpWrite:
		if err := d.ranges(b, h); err != nil {
			return err
		}
		return sameLength(h)
	case OpTaggedRTS:
		if len(b) < 16 {
			return tooShort(h)
		}
		h.Tag = d.order.word(b)
		if err := length(d.order.word(b[8:]), h, &h.Size, "message length"); err != nil {
			return err
		}
		if err := context(h); err != nil {
			return err
		}
		return noPayload(h)
	case OpCTS:
		h.Flags = 0
		if err := context(h); err != nil {
			return err
		}
		return noPayload(h)
	case OpRTSData:
		h.Flags &^= FlagData
		return context(h)
	}
	return nil
}

// context checks the number of an RTS.
func context(h *Header) error {
	if h.Context == 0 || h.Context > MaxContext {
		return refuse(h.Op.String(), "op_data", uint64(h.Context), "1 to 254")
	}
	return nil
}

func noPayload(h *Header) error {
	if h.Payload != 0 {
		return refuse(h.Op.String(), "size", uint64(h.Len+h.Payload), "hdr_size, it has no payload")
	}
	return nil
}

func length(n uint64, h *Header, to *int, field string) error {
	if n > math.MaxInt {
		return refuse(h.Op.String(), field, n, "less than 2^63")
	}
	*to = int(n)
	return nil
}

// readLength checks that the ranges of a read make a length at all.
func readLength(h *Header) error {
	left := uint64(math.MaxInt)
	for i := range h.RMA[:h.Cnt] {
		n := h.RMA[i].Len
		if n > left {
			return refuse(h.Op.String(), "range length", n, "less than 2^63 bytes in all")
		}
		left -= n
	}
	h.Size = int(math.MaxInt - left)
	return nil
}

func (d *Decoder) ack(h *Header, flags Flags) (int, error) {
	if d.ops&anyExt != 0 {
		return 0, refuse("message", "op_data", ackData, "no ack, they have ids in the extension")
	}
	if h.Len != BaseSize || h.Payload != 0 {
		return 0, refuse("ack", "size", uint64(h.Len+h.Payload), "16")
	}
	h.Op, h.Flags = OpAck, 0
	return BaseSize, nil
}

// ranges reads h.Cnt triples.
func (d *Decoder) ranges(b []byte, h *Header) error {
	if h.Cnt > MaxRMA {
		return refuse(h.Op.String(), "rma_iov_cnt", uint64(h.Cnt), "at most 4")
	}
	if len(b) < 24*int(h.Cnt) {
		return tooShort(h)
	}
	for i := range h.RMA[:h.Cnt] {
		r := &h.RMA[i]
		r.Addr, r.Len, r.Key = d.order.word(b), d.order.word(b[8:]), d.order.word(b[16:])
		b = b[24:]
	}
	return nil
}

// sameLength checks that a write's ranges take its payload.
func sameLength(h *Header) error {
	left := uint64(h.Payload)
	for i := range h.RMA[:h.Cnt] {
		n := h.RMA[i].Len
		if n > left {
			return refuse(h.Op.String(), "range length", n, "as many bytes as the payload has")
		}
		left -= n
	}
	if left != 0 {
		return refuse(h.Op.String(), "payload", uint64(h.Payload), "as many bytes as the ranges have")
	}
	return nil
}

//go:noinline
func (d *Decoder) badBase(b []byte, size uint64) error {
	op, hdr := Op(b[1]), b[6]
	switch {
	case b[0] != Version:
		return refuse("data header", "version", uint64(b[0]), "3")
	case op == OpAck || !d.ops.Has(op):
		return refuse("data header", "op", uint64(op), "one that this connection takes")
	case hdr&7 != 0 || int(hdr) < BaseSize || int(hdr) > d.max:
		return refuse(op.String(), "hdr_size", uint64(hdr), "16 to 120 in steps of 8")
	case size < uint64(hdr):
		return refuse(op.String(), "size", size, "at least hdr_size")
	}
	return refuse(op.String(), "size", size, "less than 2^63")
}

//go:noinline
func tooShort(h *Header) error {
	return refuse(h.Op.String(), "hdr_size", uint64(h.Len), "room for its words")
}
