package wire

import (
	"bytes"
	"testing"
)

// FuzzHeader reads any bytes as headers of any kind of stream, in both orders. testdata/fuzz has the seeds that are not
// samples.
func FuzzHeader(f *testing.F) {
	for _, s := range samples() {
		f.Add(byte(s.op/ExtMsg), s.wire(f, Little))
		f.Add(byte(s.op/ExtMsg)|0x80, s.wire(f, Big))
	}
	streams := [...]Ops{RDM1Ops, allExt, MSGOps, MSGTaggedOps, RDM0Ops, ExtOps(0, 0), ExtOps(AllFeatures, 0), ExtOps(FeatureRMA, FeatureAtomic)}
	f.Fuzz(func(t *testing.T, stream byte, b []byte) {
		d := NewDecoder(Order(stream>>7), streams[int(stream&0x7f)%len(streams)])
		before := bytes.Clone(b)
		for {
			var h Header
			n, err := d.Header(b, &h)
			if err != nil {
				if n != 0 || err.Error() == "" {
					t.Fatal(n, err)
				}
				break
			}
			checkHeader(t, &d, b, &h, n)
			if n < 0 || n+h.Payload > len(b) {
				break
			}
			b = b[n+h.Payload:]
		}
		if end := before[len(before)-len(b):]; !bytes.Equal(b, end) {
			t.Fatal("the bytes were changed")
		}
	})
}

// FuzzRequest reads any bytes as the first message to a listener.
func FuzzRequest(f *testing.F) {
	for _, s := range controls {
		f.Add(unhex(f, s.golden))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkControl(t, b, DecodeRequest) })
}

// FuzzResponse reads any bytes as the answer to a request.
func FuzzResponse(f *testing.F) {
	for _, s := range controls {
		f.Add(unhex(f, s.golden))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkControl(t, b, DecodeResponse) })
}

func checkControl(t *testing.T, b []byte, decode func([]byte, *Control) (int, error)) {
	var c Control
	n, err := decode(b, &c)
	switch {
	case err != nil:
		if n != 0 || err.Error() == "" || c.Data != nil {
			t.Fatal(n, err, c)
		}
	case n < 0:
		if len(b)-n > MaxControl || c.Data != nil {
			t.Fatal(n, c)
		}
	case n < ControlSize || n > len(b) || n != ControlSize+len(c.Data) || len(c.Data) > MaxPrivate:
		t.Fatal(n, c)
	default:
		out, err := AppendControl(nil, &c)
		var again Control
		m, err2 := decode(out, &again)
		if err != nil || err2 != nil || m != n || c.Type != again.Type || c.Order != again.Order || c.Offer != again.Offer ||
			!bytes.Equal(c.Data, again.Data) {
			t.Fatal(c, again, err, err2)
		}
		mine := Offer{Version: ExtVersion, Oldest: 1, Features: AllFeatures}
		if a := mine.Answer(c.Offer); a.Version > ExtVersion {
			t.Fatal(a)
		}
		if spoken, err := mine.Confirm(c.Offer); spoken && err != nil {
			t.Fatal(err)
		}
		for _, typ := range []ControlType{ConnRequest, ConnResponse, ConnReject} {
			if r, err := DecodeRDM(c.Data, typ); err == nil && !bytes.Equal(AppendRDM(nil, r), c.Data) {
				t.Fatal(r)
			}
		}
	}
}

// FuzzRDM reads any private data as an RDM record.
func FuzzRDM(f *testing.F) {
	f.Add([]byte{1, 0, 0xba, 0xda, 0, 0, 0x1f, 0xf1}, byte(1))
	f.Add([]byte{0x81, 0, 0xba, 0xda, 0, 0, 0x1f, 0xf1}, byte(1))
	f.Fuzz(func(t *testing.T, b []byte, newest byte) {
		r, err := DecodeRDM(b, ConnRequest)
		if err != nil {
			return
		}
		a := r.Answer(newest&1, 1)
		if v := a.Agreed(r.Version); v > newest&1 || v > r.Version || a.Port != r.Port {
			t.Fatal(r, a, v)
		}
		if v := r.Agreed(newest & 1); v > 1 {
			t.Fatal(r, v)
		}
	})
}
