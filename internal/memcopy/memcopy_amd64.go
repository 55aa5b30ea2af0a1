//go:build !race

package memcopy

// How long a copy must be: below this the instruction's start costs more than it saves.
const (
	minOut = 1 << 10
	minIn  = 512
	maxIn  = 4 << 10 // lines that are fetched ahead must still be in the first-level cache when it is their turn
	piece  = 128 << 10
)

// strings tells whether this processor's string instructions do not fetch what they overwrite.
var strings = detect()

// Out copies src to dst, which another core has in its cache, and returns the number of bytes, as copy does.
func Out(dst, src []byte) int {
	if n := min(len(dst), len(src)); n >= minOut && strings {
		return move(dst[:n], src[:n])
	}
	return copy(dst, src)
}

// In copies src, which another core has written, to dst, and returns the number of bytes, as copy does.
func In(dst, src []byte) int {
	n := min(len(dst), len(src))
	if n >= minIn && strings {
		if n > maxIn {
			return move(dst[:n], src[:n])
		}
		prefetch(&src[0], n)
	}
	return copy(dst, src)
}

// move copies in pieces: a goroutine cannot be stopped in the middle of one.
//
//go:noinline
func move(dst, src []byte) int {
	if overlap(dst, src) {
		return copy(dst, src)
	}
	n := len(src)
	for len(src) > piece {
		moveBytes(&dst[0], &src[0], piece)
		dst, src = dst[piece:], src[piece:]
	}
	moveBytes(&dst[0], &src[0], len(src))
	return n
}

// detect tells AMD's processors that have fast short strings (Zen 3 and later).
func detect() bool {
	const (
		auth, enti, cAMD = 0x68747541, 0x69746e65, 0x444d4163 // AuthenticAMD
		fsrm             = 1 << 4
	)
	most, b, c, d := cpuid(0, 0)
	if most < 7 || b != auth || d != enti || c != cAMD {
		return false
	}
	_, _, _, d = cpuid(7, 0)
	return d&fsrm != 0
}

// moveBytes copies n bytes, which do not overlap.
//
//go:noescape
func moveBytes(dst, src *byte, n int)

// prefetch asks for the lines of n bytes.
//
//go:noescape
func prefetch(p *byte, n int)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)
