package value

import "errors"

var errFrames = errors.New("its parts are not as long as they say")

// checkFrames walks the parts of what gob made, each behind its length in gob's encoding of numbers. The decoder would
// believe a length and make room for megabytes first.
func checkFrames(b []byte) error {
	if len(b) == 0 {
		return errFrames
	}
	for len(b) > 0 {
		n := uint64(b[0])
		b = b[1:]
		if n > 0x7f { // the complement of the number of bytes that follow
			width := 256 - int(n)
			if width > 8 || width > len(b) {
				return errFrames
			}
			n = 0
			for _, c := range b[:width] {
				n = n<<8 | uint64(c)
			}
			b = b[width:]
		}
		if n > uint64(len(b)) {
			return errFrames
		}
		b = b[n:]
	}
	return nil
}
