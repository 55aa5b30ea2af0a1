package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// word is the i-th 8 bytes of a pattern.
func word(seed, i uint64) uint64 {
	x := seed*0x9E3779B97F4A7C15 + i*0xBF58476D1CE4E5B9 + 0x94D049BB133111EB
	x ^= x >> 31
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>29
}

// fill writes bytes from off on of a pattern.
func fill(b []byte, seed uint64, off int) {
	var w [8]byte
	for len(b) > 0 {
		binary.LittleEndian.PutUint64(w[:], word(seed, uint64(off/8)))
		n := copy(b, w[off%8:])
		b, off = b[n:], off+n
	}
}

// pattern gives n bytes.
func pattern(seed uint64, n int) []byte {
	b := make([]byte, n)
	fill(b, seed, 0)
	return b
}

func fillByte(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

// differs tells where got is not the pattern from off on; "" when it is.
func differs(got []byte, seed uint64, off int) string {
	want := make([]byte, len(got))
	fill(want, seed, off)
	return firstDiff(got, want)
}

// firstDiff tells where two buffers differ; "" when they do not.
func firstDiff(got, want []byte) string {
	if bytes.Equal(got, want) {
		return ""
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d bytes, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			end := min(i+8, len(got))
			return fmt.Sprintf("byte %d of %d: %x, want %x", i, len(got), got[i:end], want[i:end])
		}
	}
	return ""
}

// allBytes tells whether every byte is v.
func allBytes(b []byte, v byte) bool {
	for _, x := range b {
		if x != v {
			return false
		}
	}
	return true
}
