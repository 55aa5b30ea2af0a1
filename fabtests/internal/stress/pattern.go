package stress

import (
	"encoding/binary"
	"fmt"
)

// mix scatters the bits of a number.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// fill writes the bytes that belong to a key.
func fill(b []byte, key uint64) {
	i := uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, word(key, i))
		i++
	}
	last := word(key, i)
	for j := range b {
		b[j] = byte(last >> (8 * j))
	}
}

// word is the i-th word of a pattern: cheap, and different in every word and for every key.
func word(key, i uint64) uint64 { return (key+i)*0x9e3779b97f4a7c15 ^ key>>7 }

// differs says where b is not what fill writes; "" when it is.
func differs(b []byte, key uint64) string { return differsFrom(b, key, 0) }

// headerSize is what a message that names its step has at least.
const headerSize = 16

// fillMessage writes what a step sends: the pattern, behind the number of the step where that is needed to know it.
func (p *phase) fillMessage(b []byte, s *step) {
	fill(b, p.key(s.ID))
	if s.Header {
		binary.LittleEndian.PutUint64(b, uint64(s.ID))
	}
}

// messageDiffers says how b is not what the step sends.
func (p *phase) messageDiffers(b []byte, s *step) string {
	if !s.Header {
		return differs(b, p.key(s.ID))
	}
	if got := binary.LittleEndian.Uint64(b); got != uint64(s.ID) {
		return fmt.Sprintf("it begins with %d, sent was %d", got, s.ID)
	}
	var whole [headerSize]byte
	fill(whole[:], p.key(s.ID))
	copy(whole[8:], b[8:headerSize])
	if d := differs(whole[:], p.key(s.ID)); d != "" {
		return d
	}
	return differsFrom(b[headerSize:], p.key(s.ID), headerSize/8)
}

// differsFrom is differs for the words from the i-th on.
func differsFrom(b []byte, key, i uint64) string {
	for ; len(b) >= 8; b = b[8:] {
		if got, want := binary.LittleEndian.Uint64(b), word(key, i); got != want {
			return fmt.Sprintf("word %d is %#016x, sent was %#016x", i, got, want)
		}
		i++
	}
	for j := range b {
		if want := byte(word(key, i) >> (8 * j)); b[j] != want {
			return fmt.Sprintf("byte %d is %#02x, sent was %#02x", int(i)*8+j, b[j], want)
		}
	}
	return ""
}

// dirt is what buffers hold before and behind what belongs in them.
const dirt = 0xa5

// guard is how many bytes behind each buffer are watched.
const guard = 16

func soil(b []byte) {
	for i := range b {
		b[i] = dirt
	}
}

// soiled tells whether nobody has written there.
func soiled(b []byte) bool {
	for _, c := range b {
		if c != dirt {
			return false
		}
	}
	return true
}
