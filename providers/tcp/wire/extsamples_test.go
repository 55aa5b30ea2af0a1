package wire

import "github.com/gofabric/gofabric/fi"

var extSamples = []sample{
	{"plain message of an extended stream", allExt, "03 00 0100 00 00 18 00 1d00000000000000 8877665544332211",
		func(e *Encoder, b []byte) int { return e.PutMsg(b, FlagData, 0x1122334455667788, 5) },
		Header{Flags: FlagData, Payload: 5, Data: 0x1122334455667788}, OpMsg},
	{"plain tagged message of an extended stream", allExt, "03 01 0000 00 00 18 00 1e00000000000000 a8a7a6a5a4a3a2a1",
		func(e *Encoder, b []byte) int { return e.PutTagged(b, 0, 0, 0xA1A2A3A4A5A6A7A8, 6) },
		Header{Payload: 6, Tag: 0xA1A2A3A4A5A6A7A8}, OpTagged},
	{"message of a group", allExt, "03 20 0000 00 00 18 00 1d00000000000000 0000000007000000",
		func(e *Encoder, b []byte) int { return e.PutExtMsg(b, 0, 0, 7, 0, 5) },
		Header{Payload: 5, Group: 7}, ExtMsg},
	{"message, match complete", allExt, "03 20 1100 00 00 20 00 2500000000000000 0403020100000000 8877665500000000",
		func(e *Encoder, b []byte) int {
			return e.PutExtMsg(b, FlagData|FlagMatch, 0x01020304, 0, 0x55667788, 5)
		},
		Header{Flags: FlagData | FlagMatch, Payload: 5, ID: 0x01020304, Data: 0x55667788}, ExtMsg},
	{"message, transmit complete", allExt, "03 20 0200 00 00 18 00 1800000000000000 0100000002000000",
		func(e *Encoder, b []byte) int { return e.PutExtMsg(b, FlagTransmit, 1, 2, 0, 0) },
		Header{Flags: FlagTransmit, ID: 1, Group: 2}, ExtMsg},
	{"tagged, delivery complete", allExt, `03 21 0500 00 00 28 00 2d00000000000000
		0100000000000000 bb00000000000000 a8a7a6a5a4a3a2a1`,
		func(e *Encoder, b []byte) int {
			return e.PutExtTagged(b, FlagData|FlagDeliver, 1, 0, 0xbb, 0xA1A2A3A4A5A6A7A8, 5)
		},
		Header{Flags: FlagData | FlagDeliver, Payload: 5, ID: 1, Data: 0xbb, Tag: 0xA1A2A3A4A5A6A7A8}, ExtTagged},
	{"RTS", allExt, "03 22 0000 00 00 20 00 2000000000000000 0500000003000000 0000100000000000",
		func(e *Encoder, b []byte) int { return e.PutExtRTS(b, 0, 5, 3, 0, 1<<20) },
		Header{ID: 5, Group: 3, Size: 1 << 20}, ExtRTS},
	{"tagged RTS with data", allExt, `03 23 0100 00 00 30 00 3000000000000000
		0500000000000000 d0d0000000000000 7800000000000000 0000100000000000`,
		func(e *Encoder, b []byte) int { return e.PutExtTaggedRTS(b, FlagData, 5, 0, 0xd0d0, 0x78, 1<<20) },
		Header{Flags: FlagData, ID: 5, Data: 0xd0d0, Tag: 0x78, Size: 1 << 20}, ExtTaggedRTS},
	{"pull", allExt, "03 24 0000 00 00 20 00 2000000000000000 0500000000000000 0000080000000000",
		func(e *Encoder, b []byte) int { return e.PutExtPull(b, 5, 1<<19) },
		Header{ID: 5, Size: 1 << 19}, ExtPull},
	{"pulled data", allExt, "03 25 0000 00 00 20 00 2000010000000000 0500000000000000 0000040000000000",
		func(e *Encoder, b []byte) int { return e.PutExtData(b, 5, 1<<18, 1<<16) },
		Header{ID: 5, Offset: 1 << 18, Payload: 1 << 16}, ExtData},
	{"done", allExt, "03 26 0000 00 00 18 00 1800000000000000 0500000000000000",
		func(e *Encoder, b []byte) int { return e.PutExtDone(b, 5, 0) },
		Header{ID: 5}, ExtDone},
	{"failed", allExt, "03 26 0000 00 00 18 00 1800000000000000 0500000009010000",
		func(e *Encoder, b []byte) int { return e.PutExtDone(b, 5, fi.ErrTruncated) },
		Header{ID: 5, Errno: fi.ErrTruncated}, ExtDone},
	{"cancel", allExt, "03 27 0000 00 00 18 00 1800000000000000 0500000000000000",
		func(e *Encoder, b []byte) int { return e.PutExtCancel(b, 5) },
		Header{ID: 5}, ExtCancel},
	{"write", allExt, `03 28 0000 00 01 30 00 3800000000000000
		0600000000000000 1000000000000000 0800000000000000 dec0000000000000`,
		func(e *Encoder, b []byte) int { return e.PutExtWrite(b, 0, 6, 0, rma(16, 8, key), 8) },
		Header{ID: 6, Cnt: 1, Payload: 8, RMA: ranges(16, 8, key)}, ExtWrite},
	{"largest write", allExt, `03 28 0900 00 04 80 00 8a00000000000000 0600000000000000 efbe000000000000
		0000000000000000 0100000000000000 0100000000000000 1000000000000000 0200000000000000 0200000000000000
		2000000000000000 0300000000000000 0300000000000000 3000000000000000 0400000000000000 0400000000000000`,
		func(e *Encoder, b []byte) int {
			return e.PutExtWrite(b, FlagData|FlagCommit, 6, 0xbeef, rma(0, 1, 1, 16, 2, 2, 32, 3, 3, 48, 4, 4), 10)
		},
		Header{Flags: FlagData | FlagCommit, ID: 6, Cnt: 4, Payload: 10, Data: 0xbeef,
			RMA: ranges(0, 1, 1, 16, 2, 2, 32, 3, 3, 48, 4, 4)}, ExtWrite},
	{"read", allExt, `03 29 0000 00 02 48 00 4800000000000000 0700000000000000
		0000000000000000 0400000000000000 dec0000000000000 0a00000000000000 0600000000000000 dec0000000000000`,
		func(e *Encoder, b []byte) int { return e.PutExtRead(b, 7, rma(0, 4, key, 10, 6, key)) },
		Header{ID: 7, Cnt: 2, Size: 10, RMA: ranges(0, 4, key, 10, 6, key)}, ExtRead},
	{"read data", allExt, "03 2a 0000 00 00 20 00 2a00000000000000 0700000000000000 0000000000000000",
		func(e *Encoder, b []byte) int { return e.PutExtReadData(b, 7, 0, 10) },
		Header{ID: 7, Payload: 10}, ExtReadData},
	{"data of an empty read", allExt, "03 2a 0000 00 00 20 00 2000000000000000 0700000000000000 0000000000000000",
		func(e *Encoder, b []byte) int { return e.PutExtReadData(b, 7, 0, 0) },
		Header{ID: 7}, ExtReadData},
	{"atomic add", allExt, `03 2b 0000 00 01 30 00 4000000000000000
		0800000000070200 4000000000000000 1000000000000000 dec0000000000000`,
		func(e *Encoder, b []byte) int {
			return e.PutExtAtomic(b, 8, Atomic{fi.AtomicBase, fi.TypeUint64, fi.AtomicSum}, rma(64, 16, key)[0], 0)
		},
		Header{ID: 8, Cnt: 1, Payload: 16, Size: 16, Atomic: Atomic{fi.AtomicBase, fi.TypeUint64, fi.AtomicSum},
			RMA: ranges(64, 16, key)}, ExtAtomic},
	{"atomic add, the second range of three", allExt, `03 2b 0000 03 01 30 00 3800000000000000
		0900000000070200 8000000000000000 0800000000000000 dec0000000000000`,
		func(e *Encoder, b []byte) int {
			return e.PutExtAtomic(b, 9, Atomic{fi.AtomicBase, fi.TypeUint64, fi.AtomicSum}, rma(128, 8, key)[0], AtomicMore|AtomicRest)
		},
		Header{ID: 9, Context: AtomicMore | AtomicRest, Cnt: 1, Payload: 8, Size: 8,
			Atomic: Atomic{fi.AtomicBase, fi.TypeUint64, fi.AtomicSum}, RMA: ranges(128, 8, key)}, ExtAtomic},
	{"atomic read", allExt, `03 2b 0000 00 01 30 00 3000000000000000
		08000000010a0a00 4000000000000000 0800000000000000 dec0000000000000`,
		func(e *Encoder, b []byte) int {
			return e.PutExtAtomic(b, 8, Atomic{fi.AtomicFetch, fi.TypeFloatComplex, fi.AtomicRead}, rma(64, 8, key)[0], 0)
		},
		Header{ID: 8, Cnt: 1, Size: 8, Atomic: Atomic{fi.AtomicFetch, fi.TypeFloatComplex, fi.AtomicRead},
			RMA: ranges(64, 8, key)}, ExtAtomic},
	{"atomic compare and swap", allExt, `03 2b 0000 00 01 30 00 3800000000000000
		0800000002050c00 4000000000000000 0400000000000000 dec0000000000000`,
		func(e *Encoder, b []byte) int {
			return e.PutExtAtomic(b, 8, Atomic{fi.AtomicCompare, fi.TypeUint32, fi.AtomicCSwap}, rma(64, 4, key)[0], 0)
		},
		Header{ID: 8, Cnt: 1, Payload: 8, Size: 4, Atomic: Atomic{fi.AtomicCompare, fi.TypeUint32, fi.AtomicCSwap},
			RMA: ranges(64, 4, key)}, ExtAtomic},
	{"atomic result", allExt, "03 2c 0000 00 00 18 00 1c00000000000000 0800000000000000",
		func(e *Encoder, b []byte) int { return e.PutExtResult(b, 8, 4) },
		Header{ID: 8, Payload: 4}, ExtResult},
	{"hold", allExt, "03 2d 0000 01 00 18 00 1800000000000000 0900000000000000",
		func(e *Encoder, b []byte) int { return e.PutExtHold(b, 1, 9) },
		Header{Context: 1, Serial: 9}, ExtHold},
	{"hold no longer", allExt, "03 2d 0000 00 00 18 00 1800000000000000 0a00000000000000",
		func(e *Encoder, b []byte) int { return e.PutExtHold(b, 0, 10) },
		Header{Serial: 10}, ExtHold},
	{"held", allExt, "03 2e 0000 00 00 18 00 1800000000000000 0900000000000000",
		func(e *Encoder, b []byte) int { return e.PutExtHeld(b, 9) },
		Header{Serial: 9}, ExtHeld},
	{"ping", allExt, "03 2f 0000 00 00 18 00 1800000000000000 efcdab8967452301",
		func(e *Encoder, b []byte) int { return e.PutExtPing(b, 0x0123456789abcdef) },
		Header{Serial: 0x0123456789abcdef}, ExtPing},
	{"pong", allExt, "03 30 0000 00 00 18 00 1800000000000000 efcdab8967452301",
		func(e *Encoder, b []byte) int { return e.PutExtPong(b, 0x0123456789abcdef) },
		Header{Serial: 0x0123456789abcdef}, ExtPong},
	{"goodbye", allExt, "03 31 0000 01 00 10 00 1000000000000000",
		func(e *Encoder, b []byte) int { return e.PutExtGoodbye(b, GoodbyeAgree) },
		Header{Context: GoodbyeAgree}, ExtGoodbye},
}
