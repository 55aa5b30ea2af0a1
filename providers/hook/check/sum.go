package check

import "hash/crc32"

var table = crc32.MakeTable(crc32.Castagnoli)

// A buffer longer than whole bytes is summed at its ends and at some places between.
const (
	whole = 8 << 10
	edge  = 2 << 10
	parts = 32
	part  = 64
)

// sum is a checksum of buffers.
func sum(bufs [][]byte) uint64 {
	s, n := uint32(0), 0
	for _, b := range bufs {
		n += len(b)
		if len(b) <= whole {
			s = crc32.Update(s, table, b)
			continue
		}
		s = crc32.Update(s, table, b[:edge])
		s = crc32.Update(s, table, b[len(b)-edge:])
		step := (len(b) - 2*edge) / parts
		for at := edge; at+part <= len(b)-edge; at += step {
			s = crc32.Update(s, table, b[at:at+part])
		}
	}
	return uint64(s) | uint64(n)<<32
}
