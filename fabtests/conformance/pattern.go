package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// word is the i-th 8 bytes of a pattern.
//
//go:norace
func word(seed, i uint64) uint64 {
	x := seed*0x9E3779B97F4A7C15 + i*0xBF58476D1CE4E5B9 + 0x94D049BB133111EB
	x ^= x >> 31
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>29
}

// fill writes bytes from off on of a pattern.
func fill(b []byte, seed uint64, off int) {
	var piece [1024]byte
	for len(b) > 0 {
		words(piece[:], seed, off/8)
		n := copy(b, piece[off%8:])
		b, off = b[n:], off+n
	}
}

// words writes whole words of a pattern. What it writes to is fill's own: the race detector, which would take most of
// the time, sees the copy.
//
//go:norace
func words(b []byte, seed uint64, first int) {
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], word(seed, uint64(first+i/8)))
	}
}

// pattern gives n bytes.
func pattern(seed uint64, n int) []byte {
	b := make([]byte, n)
	fill(b, seed, 0)
	return b
}

func fillByte(b []byte, v byte) {
	if len(b) == 0 {
		return
	}
	b[0] = v
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
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
	return bytes.Count(b, []byte{v}) == len(b)
}
