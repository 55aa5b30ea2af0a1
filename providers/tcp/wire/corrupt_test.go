package wire

import (
	"bytes"
	"math"
	"testing"
)

// TestCorrupt sets every byte of every header to every value. What the decoder takes is a header within all bounds that
// says the same when it is written again; in the extension nothing but what a field may hold is taken at all.
func TestCorrupt(t *testing.T) {
	for _, s := range samples() {
		for _, o := range []Order{Little, Big} {
			b := s.wire(t, o)
			ops := RDM1Ops
			if s.ops == allExt {
				ops = allExt
			}
			d := NewDecoder(o, ops)
			b = append(b, make([]byte, MaxHeader)...)
			for at := range s.wire(t, o) {
				old := b[at]
				for v := range 256 {
					b[at] = byte(v)
					var h Header
					n, err := d.Header(b, &h)
					if err == nil {
						checkHeader(t, &d, b, &h, n)
					} else if n != 0 {
						t.Fatalf("%s: byte %d = %d: %d with %v", s.name, at, v, n, err)
					}
				}
				b[at] = old
			}
		}
	}
}

// checkHeader says what holds for whatever was decoded from b.
func checkHeader(t *testing.T, d *Decoder, b []byte, h *Header, n int) {
	t.Helper()
	if n <= 0 {
		if -n > MaxHeader || len(b)-n > MaxHeader || n == 0 {
			t.Fatalf("% x: %d", b, n)
		}
		return
	}
	ranged := h.Op == OpReadReq || h.Op == OpWrite || h.Op == ExtRead || h.Op == ExtWrite || h.Op == ExtAtomic
	switch {
	case n > len(b), n > d.max, n != h.Len, n&7 != 0, n < BaseSize, h.Payload < 0, h.Payload > math.MaxInt-n:
	case !d.ops.Has(h.Op), h.Size < 0, h.Offset < 0, h.Offset > math.MaxInt-h.Payload, ranged && h.Cnt > MaxRMA:
	case h.Errno < 0, h.Errno > maxErrno, h.Op == ExtAtomic && h.Size > MaxAtomic, h.Op == ExtResult && h.Payload > MaxAtomic:
	default:
		checkAgain(t, d, b[:n], h)
		return
	}
	t.Fatalf("% x: %d, %+v", b, n, *h)
}

// checkAgain writes a header again.
func checkAgain(t *testing.T, d *Decoder, b []byte, h *Header) {
	t.Helper()
	e := Encoder{order: d.order, seq: b[7]}
	out := make([]byte, MaxHeader)
	m := rewrite(&e, out, h)
	var again Header
	n, err := d.Header(out[:m], &again)
	if err != nil || n != m {
		t.Fatalf("% x was written again as\n% x: %d, %v", b, out[:m], n, err)
	}
	again.Len = h.Len // surplus words are gone
	if h.Op < OpCTS { // stale bytes, too
		again.Context, again.Cnt = h.Context, h.Cnt
	} else if h.Op < ExtMsg {
		again.Cnt = h.Cnt
	}
	if again != *h {
		t.Fatalf("% x\n%+v, again\n%+v", b, *h, again)
	}
	if h.Op >= ExtMsg && !bytes.Equal(b, out[:m]) {
		t.Fatalf("% x is taken for\n% x", b, out[:m])
	}
}

func rewrite(e *Encoder, b []byte, h *Header) int {
	switch h.Op {
	case OpMsg:
		return e.PutMsg(b, h.Flags, h.Data, h.Payload)
	case OpTagged:
		return e.PutTagged(b, h.Flags, h.Data, h.Tag, h.Payload)
	case OpReadReq:
		return e.PutReadReq(b, h.Ranges())
	case OpReadRsp:
		return e.PutReadRsp(b, h.Cnt, h.Payload)
	case OpWrite:
		return e.PutWrite(b, h.Flags, h.Data, h.Ranges(), h.Payload)
	case OpTaggedRTS:
		return e.PutTaggedRTS(b, h.Flags, h.Context, h.Data, h.Tag, h.Size)
	case OpCTS:
		return e.PutCTS(b, h.Context)
	case OpRTSData:
		return e.PutRTSData(b, h.Flags, h.Context, h.Payload)
	case OpAck:
		return e.PutAck(b)
	case ExtMsg:
		return e.PutExtMsg(b, h.Flags, h.ID, h.Group, h.Data, h.Payload)
	case ExtTagged:
		return e.PutExtTagged(b, h.Flags, h.ID, h.Group, h.Data, h.Tag, h.Payload)
	case ExtRTS:
		return e.PutExtRTS(b, h.Flags, h.ID, h.Group, h.Data, h.Size)
	case ExtTaggedRTS:
		return e.PutExtTaggedRTS(b, h.Flags, h.ID, h.Group, h.Data, h.Tag, h.Size)
	case ExtPull:
		return e.PutExtPull(b, h.ID, h.Size)
	case ExtData:
		return e.PutExtData(b, h.ID, h.Offset, h.Payload)
	case ExtDone:
		return e.PutExtDone(b, h.ID, h.Errno)
	case ExtCancel:
		return e.PutExtCancel(b, h.ID)
	case ExtWrite:
		return e.PutExtWrite(b, h.Flags, h.ID, h.Data, h.Ranges(), h.Payload)
	case ExtRead:
		return e.PutExtRead(b, h.ID, h.Ranges())
	case ExtReadData:
		return e.PutExtReadData(b, h.ID, h.Offset, h.Payload)
	case ExtAtomic:
		return e.PutExtAtomic(b, h.ID, h.Atomic, h.RMA[0], h.Context)
	case ExtResult:
		return e.PutExtResult(b, h.ID, h.Payload)
	case ExtHold:
		return e.PutExtHold(b, h.Context, h.Serial)
	case ExtHeld:
		return e.PutExtHeld(b, h.Serial)
	case ExtPing:
		return e.PutExtPing(b, h.Serial)
	case ExtPong:
		return e.PutExtPong(b, h.Serial)
	case ExtGoodbye:
		return e.PutExtGoodbye(b, h.Context)
	}
	return 0
}
