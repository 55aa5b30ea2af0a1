package layout

import "encoding/binary"

// copier moves between the elements side by side and those in their places.
type copier struct {
	packed []byte // what is left to do
	spread []byte
	size   int
	unpack bool
}

func (c *copier) all(l *Layout) {
	switch {
	case l.size == 0:
	case l.displs != nil:
		for i, at := range l.displs {
			n := l.block
			if l.lens != nil {
				n = l.lens[i]
			}
			c.row(at, 0, 1, n)
		}
	default:
		c.dims(l, l.start, l.dims)
	}
}

func (c *copier) dims(l *Layout, at int, dims []dim) {
	switch len(dims) {
	case 0:
		c.row(at, 0, 1, l.block)
		return
	case 1:
		c.row(at, dims[0].step, dims[0].count, l.block)
		return
	}
	for range dims[0].count {
		if len(c.packed) == 0 {
			return
		}
		c.dims(l, at, dims[1:])
		at += dims[0].step
	}
}

// row moves count blocks, step elements apart; fewer when packed ends before.
func (c *copier) row(at, step, count, block int) {
	at, step, block = at*c.size, step*c.size, block*c.size
	p := c.packed
	n := min(count, len(p)/block)
	switch {
	case block == 8:
		words(p[:8*n], c.spread[at:], step, c.unpack)
	case block == 4:
		halves(p[:4*n], c.spread[at:], step, c.unpack)
	default:
		for i := range n {
			here, there := p[i*block:(i+1)*block], c.spread[at+i*step:at+i*step+block]
			if c.unpack {
				copy(there, here)
			} else {
				copy(here, there)
			}
		}
	}
	p = p[n*block:]
	if n < count && len(p) > 0 { // the message ends within a block
		copy(c.spread[at+n*step:], p)
		p = nil
	}
	c.packed = p
}

// Blocks of one machine word are moved without a call for each.

func words(p, s []byte, step int, unpack bool) {
	for i, at := 0, 0; i < len(p); i, at = i+8, at+step {
		if packed, there := p[i:i+8], s[at:at+8]; unpack {
			binary.NativeEndian.PutUint64(there, binary.NativeEndian.Uint64(packed))
		} else {
			binary.NativeEndian.PutUint64(packed, binary.NativeEndian.Uint64(there))
		}
	}
}

func halves(p, s []byte, step int, unpack bool) {
	for i, at := 0, 0; i < len(p); i, at = i+4, at+step {
		if packed, there := p[i:i+4], s[at:at+4]; unpack {
			binary.NativeEndian.PutUint32(there, binary.NativeEndian.Uint32(packed))
		} else {
			binary.NativeEndian.PutUint32(packed, binary.NativeEndian.Uint32(there))
		}
	}
}
