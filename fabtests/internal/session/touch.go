package session

import "encoding/binary"

// sum reads every byte of b, eight at a time.
func sum(b []byte) (t uint64) {
	var t1, t2, t3 uint64
	for len(b) >= 32 {
		t += binary.NativeEndian.Uint64(b)
		t1 += binary.NativeEndian.Uint64(b[8:])
		t2 += binary.NativeEndian.Uint64(b[16:])
		t3 += binary.NativeEndian.Uint64(b[24:])
		b = b[32:]
	}
	for _, c := range b {
		t += uint64(c)
	}
	return t + t1 + t2 + t3
}
