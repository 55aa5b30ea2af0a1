package match

import "math/bits"

const (
	// inlineMax is the size up to which a payload lies in the message itself.
	inlineMax = 40
	// Buffers are powers of two from 128 B to 16 KiB; larger payloads are left to the allocator.
	minBufferShift, maxBufferShift = 7, 14
	// pooledMax bounds the bytes of free buffers that a queue keeps.
	pooledMax = 1 << 20
)

// buffers holds free payload buffers by size.
type buffers struct {
	free   [maxBufferShift - minBufferShift + 1][][]byte
	pooled int // bytes
}

// shiftOf is the power of two that holds n bytes.
func shiftOf(n int) int { return max(bits.Len(uint(n-1)), minBufferShift) }

// get gives a buffer with room for n > 0 bytes.
func (b *buffers) get(n int) []byte {
	shift := shiftOf(n)
	if shift > maxBufferShift {
		return make([]byte, n)
	}
	l := &b.free[shift-minBufferShift]
	if k := len(*l) - 1; k >= 0 {
		buf := (*l)[k]
		(*l)[k] = nil
		*l = (*l)[:k]
		b.pooled -= cap(buf)
		return buf[:n]
	}
	return make([]byte, n, 1<<shift)
}

// put takes back a buffer of get.
func (b *buffers) put(buf []byte) {
	n := cap(buf)
	if n == 0 || n > 1<<maxBufferShift || b.pooled+n > pooledMax {
		return
	}
	l := &b.free[shiftOf(n)-minBufferShift]
	*l = append(*l, buf)
	b.pooled += n
}
