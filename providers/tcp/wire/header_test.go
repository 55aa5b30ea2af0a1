package wire

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gofabric/gofabric/fi"
)

func TestGolden(t *testing.T) {
	for _, s := range samples() {
		for _, o := range []Order{Little, Big} {
			t.Run(s.name+", "+o.String(), func(t *testing.T) {
				want := s.wire(t, o)
				e := NewEncoder(o)
				b := bytes.Repeat([]byte{0xee}, MaxHeader)
				n := s.put(&e, b)
				if !bytes.Equal(b[:n], want) {
					t.Fatalf("written\n% x, want\n% x", b[:n], want)
				}
				if !bytes.Equal(b[n:], bytes.Repeat([]byte{0xee}, MaxHeader-n)) {
					t.Errorf("bytes behind the header were written: % x", b[n:])
				}
				d := NewDecoder(o, s.ops)
				var h Header
				m, err := d.Header(append(b[:n:n], "payload"...), &h)
				if m != n || err != nil {
					t.Fatalf("read %d, %v", m, err)
				}
				if diff := cmp.Diff(s.header(n), h); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestEveryOperation sees that no operation is without a sample and a name.
func TestEveryOperation(t *testing.T) {
	seen := Ops(0)
	for _, s := range samples() {
		seen |= 1 << s.op
	}
	if all := RDM1Ops | allExt; seen != all {
		t.Errorf("samples for %b, operations %b", seen, all)
	}
	names := map[string]bool{}
	for op := range Op(maxOp) {
		if n := op.String(); seen.Has(op) == (n == Op(255).String()) || seen.Has(op) && names[n] {
			t.Errorf("operation %d is called %q", op, n)
		} else {
			names[n] = true
		}
	}
}

// TestExactRoom writes each header into a slice that just holds it.
func TestExactRoom(t *testing.T) {
	for _, s := range samples() {
		e := NewEncoder(Little)
		b := s.wire(t, Little)
		if n := s.put(&e, make([]byte, len(b))); n != len(b) {
			t.Errorf("%s: %d", s.name, n)
		}
	}
}

// TestNumbers counts all headers of a direction, modulo 256.
func TestNumbers(t *testing.T) {
	e := NewEncoder(Little)
	b := make([]byte, MaxHeader)
	all := samples()
	for i := range 600 {
		s := &all[i%len(all)]
		if s.put(&e, b); b[7] != byte(i) {
			t.Fatalf("header %d has number %d", i, b[7])
		}
	}
	d := NewDecoder(Little, MSGOps)
	e.PutMsg(b, 0, 0, 1)
	b[7] = 99
	if n, err := d.Header(b, new(Header)); n != BaseSize || err != nil {
		t.Error("the number is looked at:", n, err)
	}
}

// TestTruncated offers every beginning of every header: the decoder asks for the rest and for no more.
func TestTruncated(t *testing.T) {
	for _, s := range samples() {
		for _, o := range []Order{Little, Big} {
			b := s.wire(t, o)
			d := NewDecoder(o, s.ops)
			for n := range b {
				want := BaseSize
				if n >= BaseSize {
					want = len(b)
				}
				h := Header{}
				if m, err := d.Header(b[:n:n], &h); m != n-want || err != nil {
					t.Fatalf("%s: of %d bytes: %d, %v", s.name, n, m, err)
				}
			}
		}
	}
}

// TestSurplus takes headers that are longer than necessary, as C does, in plain streams.
func TestSurplus(t *testing.T) {
	for _, s := range baseSamples {
		if s.op == OpAck {
			continue
		}
		b := s.wire(t, Little)
		n := len(b)
		for len(b) < MaxBaseHeader {
			b = append(b, 1, 2, 3, 4, 5, 6, 7, 8)
			b[6] = byte(len(b))
			le.PutUint64(b[8:], le.Uint64(b[8:])+8)
			d := NewDecoder(Little, s.ops)
			var h Header
			m, err := d.Header(b, &h)
			if m != len(b) || err != nil {
				t.Fatalf("%s of %d bytes in %d: %d, %v", s.name, n, len(b), m, err)
			}
			if diff := cmp.Diff(s.header(len(b)), h); diff != "" {
				t.Fatal(s.name, diff)
			}
		}
	}
}

// TestStale takes what C leaves in fields that it does not use.
func TestStale(t *testing.T) {
	for _, s := range []struct {
		hex  string
		want Header
	}{
		{"03 00 0000 01 07 10 63 1500000000000000", Header{Op: OpMsg, Len: 16, Payload: 5}},
		{"03 01 0000 09 ff 18 63 1e00000000000000 0100000000000000", Header{Op: OpTagged, Len: 24, Payload: 6, Tag: 1}},
		{"03 00 0600 00 00 10 63 1500000000000000", Header{Op: OpMsg, Len: 16, Flags: FlagDeliver, Payload: 5}},
		{"03 00 0500 02 09 10 63 1000000000000000", Header{}}, // an ack with a flag for a word that is not there
		{"03 03 0f00 09 ff 10 63 1c00000000000000", Header{Op: OpReadRsp, Len: 16, Context: 9, Cnt: 255, Payload: 12}},
		{"03 02 0f00 09 00 10 63 1000000000000000", Header{Op: OpReadReq, Len: 16, Context: 9}},
		{"03 06 0f00 09 ff 10 63 1000000000000000", Header{Op: OpCTS, Len: 16, Context: 9, Cnt: 255}},
	} {
		d := NewDecoder(Little, RDM1Ops)
		var h Header
		n, err := d.Header(unhex(t, s.hex), &h)
		if s.want.Len == 0 {
			if err == nil {
				t.Errorf("%s was taken", s.hex)
			}
			continue
		}
		if diff := cmp.Diff(s.want, h); diff != "" || n != s.want.Len || err != nil {
			t.Error(s.hex, n, err, diff)
		}
		if h.Ranges() == nil && h.Cnt != 0 {
			t.Error("no ranges")
		}
	}
}

// TestErrno sees that no error number leaves that the other side refuses.
func TestErrno(t *testing.T) {
	e, d := NewEncoder(Little), NewDecoder(Little, allExt)
	b := make([]byte, MaxHeader)
	for in, want := range map[fi.Errno]fi.Errno{0: 0, 1: 1, maxErrno: maxErrno, maxErrno + 1: fi.ErrOther, -1: fi.ErrOther} {
		var h Header
		if _, err := d.Header(b[:e.PutExtDone(b, 1, in)], &h); err != nil || h.Errno != want {
			t.Errorf("%d: %d, %v", in, h.Errno, err)
		}
	}
}

func TestWantsAck(t *testing.T) {
	for f, want := range map[Flags]bool{0: false, FlagData: false, FlagTransmit: false, FlagDeliver: true, FlagCommit | FlagData: true} {
		if f.WantsAck() != want {
			t.Errorf("%#x", f)
		}
	}
}
