package wire

import "testing"

// TestAllocs writes and reads everything without allocating.
//
// allocs: Decoder.Header, Encoder.PutMsg, Encoder.PutTagged, Encoder.PutAck, Encoder.PutReadReq, Encoder.PutReadRsp
// allocs: Encoder.PutWrite, Encoder.PutTaggedRTS, Encoder.PutCTS, Encoder.PutRTSData
// allocs: Encoder.PutExtMsg, Encoder.PutExtTagged, Encoder.PutExtRTS, Encoder.PutExtTaggedRTS, Encoder.PutExtPull
// allocs: Encoder.PutExtData, Encoder.PutExtDone, Encoder.PutExtWrite, Encoder.PutExtRead, Encoder.PutExtReadData
// allocs: Encoder.PutExtAtomic, Encoder.PutExtResult
func TestAllocs(t *testing.T) {
	b := make([]byte, MaxHeader)
	var h Header
	for _, s := range samples() {
		w := s.wire(t, Big)
		d, e := NewDecoder(Big, s.ops), NewEncoder(Big)
		if n := testing.AllocsPerRun(10, func() {
			d.Header(w, &h)
			rewrite(&e, b, &h)
		}); n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
	buf := make([]byte, 0, MaxControl)
	for _, s := range controls {
		w := unhex(t, s.golden)
		var c Control
		if n := testing.AllocsPerRun(10, func() {
			decode(w, &c)
			AppendControl(buf, &s.c)
			if len(c.Data) == RDMSize {
				r, _ := DecodeRDM(c.Data, c.Type)
				AppendRDM(buf, r.Answer(RDMVersion, 1))
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
}
