package layout

import (
	"encoding/binary"
	"sort"
)

// copier moves between the elements side by side and those in their places.
type copier struct {
	packed []byte // what is left to do, not empty at the start
	spread []byte
	size   int // of an element
	skip   int // bytes of the layout that come before packed
	unpack bool
}

func (c *copier) all(l *Layout) {
	if l.displs == nil {
		c.dims(l, l.start, l.dims)
		return
	}
	i := l.find(c.skip / c.size)
	c.skip -= l.before(i) * c.size
	for ; len(c.packed) > 0; i++ {
		n := l.block
		if l.lens != nil {
			n = l.lens[i]
		}
		c.row(l.displs[i], 0, 1, n)
	}
}

// find gives the run of an irregular layout in which an element is.
func (l *Layout) find(element int) int {
	if l.lens == nil {
		return element / l.block
	}
	return sort.Search(len(l.ends), func(i int) bool { return l.ends[i] > element })
}

// before is the number of elements in the runs before one of an irregular layout.
func (l *Layout) before(i int) int {
	switch {
	case l.lens == nil:
		return i * l.block
	case i == 0:
		return 0
	}
	return l.ends[i-1]
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
	inner := l.block * c.size // bytes of one step of the first dim
	for _, d := range dims[1:] {
		inner *= d.count
	}
	i := c.skip / inner
	c.skip -= i * inner
	for ; i < dims[0].count && len(c.packed) > 0; i++ {
		c.dims(l, at+i*dims[0].step, dims[1:])
	}
}

// row moves count blocks, step elements apart; what skip says is left out, and packed may end before.
func (c *copier) row(at, step, count, block int) {
	at, step, block = at*c.size, step*c.size, block*c.size
	if i := c.skip / block; i > 0 {
		c.skip -= i * block
		at, count = at+i*step, count-i
	}
	if c.skip > 0 { // within a block
		c.move(at+c.skip, min(block-c.skip, len(c.packed)))
		at, count = at+step, count-1
		c.skip = 0
	}
	n := min(count, len(c.packed)/block)
	switch {
	case n == 0:
	case block == 8:
		words(c.packed[:8*n], c.spread[at:], step, c.unpack)
		c.packed = c.packed[8*n:]
	case block == 4:
		halves(c.packed[:4*n], c.spread[at:], step, c.unpack)
		c.packed = c.packed[4*n:]
	default:
		for i := range n {
			c.move(at+i*step, block)
		}
	}
	if n < count && len(c.packed) > 0 {
		c.move(at+n*step, len(c.packed))
	}
}

// move moves the next n bytes.
func (c *copier) move(at, n int) {
	here, there := c.packed[:n], c.spread[at:at+n]
	if c.unpack {
		copy(there, here)
	} else {
		copy(here, there)
	}
	c.packed = c.packed[n:]
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
