package wire

import (
	"encoding/hex"
	"math/bits"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// A sample is a header as it travels, without its payload.
type sample struct {
	name   string
	ops    Ops
	golden string // little endian; several headers in a row are samples of their own
	put    func(e *Encoder, b []byte) int
	want   Header // but for Op and Len
	op     Op
}

const key = 0xC0DE

func rma(w ...uint64) (r []fi.RMAIov) {
	for len(w) > 0 {
		r = append(r, fi.RMAIov{Addr: w[0], Len: w[1], Key: w[2]})
		w = w[3:]
	}
	return r
}

func ranges(w ...uint64) (a [MaxRMA]fi.RMAIov) {
	copy(a[:], rma(w...))
	return a
}

var allExt = ExtOps(AllFeatures, AllFeatures)

func samples() []sample { return append(baseSamples, extSamples...) }

// baseSamples are what C sends, as captured on its connections, and what only a peer of C's may send it.
var baseSamples = []sample{
	{"message", MSGOps, "03 00 0000 00 00 10 00 1500000000000000",
		func(e *Encoder, b []byte) int { return e.PutMsg(b, 0, 0, 5) },
		Header{Payload: 5}, OpMsg},
	{"empty message", MSGOps, "03 00 0000 00 00 10 00 1000000000000000",
		func(e *Encoder, b []byte) int { return e.PutMsg(b, 0, 0, 0) },
		Header{}, OpMsg},
	{"message with data", MSGOps, "03 00 0100 00 00 18 00 1d00000000000000 8877665544332211",
		func(e *Encoder, b []byte) int { return e.PutMsg(b, FlagData, 0x1122334455667788, 5) },
		Header{Flags: FlagData, Payload: 5, Data: 0x1122334455667788}, OpMsg},
	{"message, delivery complete", MSGOps, "03 00 0400 00 00 10 00 1400000000000000",
		func(e *Encoder, b []byte) int { return e.PutMsg(b, FlagDeliver, 0, 4) },
		Header{Flags: FlagDeliver, Payload: 4}, OpMsg},
	{"ack", MSGOps, "03 00 0000 02 00 10 00 1000000000000000",
		func(e *Encoder, b []byte) int { return e.PutAck(b) },
		Header{}, OpAck},
	{"message with data, delivery complete", MSGOps, "03 00 0500 00 00 18 00 1c00000000000000 aa00000000000000",
		func(e *Encoder, b []byte) int { return e.PutMsg(b, FlagData|FlagDeliver, 0xaa, 4) },
		Header{Flags: FlagData | FlagDeliver, Payload: 4, Data: 0xaa}, OpMsg},
	{"tagged", MSGTaggedOps, "03 01 0000 00 00 18 00 1e00000000000000 a8a7a6a5a4a3a2a1",
		func(e *Encoder, b []byte) int { return e.PutTagged(b, 0, 0, 0xA1A2A3A4A5A6A7A8, 6) },
		Header{Payload: 6, Tag: 0xA1A2A3A4A5A6A7A8}, OpTagged},
	{"tagged with data", RDM0Ops, "03 01 0100 00 00 20 00 2600000000000000 8877665500000000 a8a7a6a5a4a3a2a1",
		func(e *Encoder, b []byte) int { return e.PutTagged(b, FlagData, 0x55667788, 0xA1A2A3A4A5A6A7A8, 6) },
		Header{Flags: FlagData, Payload: 6, Data: 0x55667788, Tag: 0xA1A2A3A4A5A6A7A8}, OpTagged},
	{"write", MSGOps, "03 04 0000 00 01 28 00 3000000000000000 1000000000000000 0800000000000000 dec0000000000000",
		func(e *Encoder, b []byte) int { return e.PutWrite(b, 0, 0, rma(16, 8, key), 8) },
		Header{Cnt: 1, Payload: 8, RMA: ranges(16, 8, key)}, OpWrite},
	{"write with data", MSGOps, `03 04 0100 00 01 30 00 3800000000000000 efbe000000000000
		2000000000000000 0800000000000000 dec0000000000000`,
		func(e *Encoder, b []byte) int { return e.PutWrite(b, FlagData, 0xbeef, rma(32, 8, key), 8) },
		Header{Flags: FlagData, Cnt: 1, Payload: 8, Data: 0xbeef, RMA: ranges(32, 8, key)}, OpWrite},
	{"write of two ranges, delivery complete", MSGOps, `03 04 0400 00 02 40 00 4a00000000000000
		4000000000000000 0400000000000000 dec0000000000000 8000000000000000 0600000000000000 dec0000000000000`,
		func(e *Encoder, b []byte) int { return e.PutWrite(b, FlagDeliver, 0, rma(64, 4, key, 128, 6, key), 10) },
		Header{Flags: FlagDeliver, Cnt: 2, Payload: 10, RMA: ranges(64, 4, key, 128, 6, key)}, OpWrite},
	{"write of two ranges, commit complete", MSGOps, `03 04 0800 00 02 40 00 4a00000000000000
		4000000000000000 0400000000000000 dec0000000000000 8000000000000000 0600000000000000 dec0000000000000`,
		func(e *Encoder, b []byte) int { return e.PutWrite(b, FlagCommit, 0, rma(64, 4, key, 128, 6, key), 10) },
		Header{Flags: FlagCommit, Cnt: 2, Payload: 10, RMA: ranges(64, 4, key, 128, 6, key)}, OpWrite},
	{"largest write", MSGOps, `03 04 0500 00 04 78 00 8200000000000000 efbe000000000000
		0000000000000000 0100000000000000 0100000000000000 1000000000000000 0200000000000000 0200000000000000
		2000000000000000 0300000000000000 0300000000000000 3000000000000000 0400000000000000 0400000000000000`,
		func(e *Encoder, b []byte) int {
			return e.PutWrite(b, FlagData|FlagDeliver, 0xbeef, rma(0, 1, 1, 16, 2, 2, 32, 3, 3, 48, 4, 4), 10)
		},
		Header{Flags: FlagData | FlagDeliver, Cnt: 4, Payload: 10, Data: 0xbeef,
			RMA: ranges(0, 1, 1, 16, 2, 2, 32, 3, 3, 48, 4, 4)}, OpWrite},
	{"read", MSGOps, "03 02 0000 00 01 28 00 2800000000000000 0000000000000000 0c00000000000000 dec0000000000000",
		func(e *Encoder, b []byte) int { return e.PutReadReq(b, rma(0, 12, key)) },
		Header{Cnt: 1, Size: 12, RMA: ranges(0, 12, key)}, OpReadReq},
	{"read response", MSGOps, "03 03 0000 00 01 10 00 1c00000000000000",
		func(e *Encoder, b []byte) int { return e.PutReadRsp(b, 1, 12) },
		Header{Cnt: 1, Payload: 12}, OpReadRsp},
	{"read of two ranges", MSGOps, `03 02 0000 00 02 40 00 4000000000000000
		0000000000000000 0400000000000000 dec0000000000000 0a00000000000000 0600000000000000 dec0000000000000`,
		func(e *Encoder, b []byte) int { return e.PutReadReq(b, rma(0, 4, key, 10, 6, key)) },
		Header{Cnt: 2, Size: 10, RMA: ranges(0, 4, key, 10, 6, key)}, OpReadReq},
	{"read of nothing", MSGOps, "03 02 0000 00 00 10 00 1000000000000000",
		func(e *Encoder, b []byte) int { return e.PutReadReq(b, nil) },
		Header{}, OpReadReq},
	{"tagged RTS", RDM1Ops, "03 05 0000 01 00 20 00 2000000000000000 7700000000000000 204e000000000000",
		func(e *Encoder, b []byte) int { return e.PutTaggedRTS(b, 0, 1, 0, 0x77, 20000) },
		Header{Context: 1, Tag: 0x77, Size: 20000}, OpTaggedRTS},
	{"CTS", RDM1Ops, "03 06 0000 01 00 10 00 1000000000000000",
		func(e *Encoder, b []byte) int { return e.PutCTS(b, 1) },
		Header{Context: 1}, OpCTS},
	{"RTS data", RDM1Ops, "03 07 0000 01 00 10 00 304e000000000000",
		func(e *Encoder, b []byte) int { return e.PutRTSData(b, 0, 1, 20000) },
		Header{Context: 1, Payload: 20000}, OpRTSData},
	{"tagged RTS with data, delivery complete", RDM1Ops, `03 05 0500 01 00 28 00 2800000000000000
		d0d0000000000000 7800000000000000 204e000000000000`,
		func(e *Encoder, b []byte) int {
			return e.PutTaggedRTS(b, FlagData|FlagDeliver, 1, 0xd0d0, 0x78, 20000)
		},
		Header{Flags: FlagData | FlagDeliver, Context: 1, Data: 0xd0d0, Tag: 0x78, Size: 20000}, OpTaggedRTS},
	{"RTS data, delivery complete", RDM1Ops, "03 07 0500 fe 00 10 00 304e000000000000",
		func(e *Encoder, b []byte) int { return e.PutRTSData(b, FlagData|FlagDeliver, 254, 20000) },
		Header{Flags: FlagDeliver, Context: 254, Payload: 20000}, OpRTSData},
}

// wire gives the bytes of a sample in an order.
func (s *sample) wire(t testing.TB, o Order) []byte {
	b := unhex(t, s.golden)
	if o == Big {
		swap(b)
	}
	return b
}

// swap turns the byte order of a header round.
func swap(b []byte) {
	b[2], b[3] = b[3], b[2]
	for w := b[8:]; len(w) >= 8; w = w[8:] {
		le.PutUint64(w, bits.ReverseBytes64(le.Uint64(w)))
	}
}

func (s *sample) header(n int) Header {
	h := s.want
	h.Op, h.Len = s.op, n
	return h
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }
