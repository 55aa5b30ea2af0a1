package layout

import "github.com/gofabric/gofabric/mpi/internal/element"

// Pack copies the elements of the layout from src to dst, side by side, and gives their number (MPI_Pack, MPI 4.1, 5.2).
// T is an element type; src was checked ([Layout.Check]) and dst has room for [Layout.Len]. They do not overlap.
//
//fabric:fastpath
func Pack[T any](l *Layout, dst, src []T) int {
	var z [1]T
	return l.PackBytes(element.Bytes(dst), element.Bytes(src), len(element.Bytes(z[:])))
}

// Unpack copies elements that lie side by side in src to the places of the layout in dst, as many as there are in src, and
// gives their number (MPI_Unpack, MPI 4.1, 5.2): a message may be shorter than what it is received into. dst was checked
// ([Layout.CheckRecv]). They do not overlap.
//
//fabric:fastpath
func Unpack[T any](l *Layout, dst, src []T) int {
	var z [1]T
	return l.UnpackBytes(element.Bytes(dst), element.Bytes(src), len(element.Bytes(z[:])))
}

// PackBytes is [Pack] for the memory of elements of size bytes.
//
//fabric:fastpath
func (l *Layout) PackBytes(dst, src []byte, size int) int {
	return l.PackPart(dst[:l.size*size], src, size, 0)
}

// UnpackBytes is [Unpack] for the memory of elements of size bytes. Bytes at the end of src that make no whole element are
// left out.
//
//fabric:fastpath
func (l *Layout) UnpackBytes(dst, src []byte, size int) int { return l.UnpackPart(dst, src, size, 0) }

// PackPart packs as many elements as dst has room for, from the first-th of the layout on, and gives their number: a long
// message in pieces.
//
//fabric:fastpath
func (l *Layout) PackPart(dst, src []byte, size, first int) int {
	return l.part(copier{packed: dst, spread: src, size: size}, first)
}

// UnpackPart unpacks the elements in src, of which the first one is the first-th of the layout, and gives their number.
//
//fabric:fastpath
func (l *Layout) UnpackPart(dst, src []byte, size, first int) int {
	return l.part(copier{packed: src, spread: dst, size: size, unpack: true}, first)
}

func (l *Layout) part(c copier, first int) int {
	n := min(max(l.size-first, 0), len(c.packed)/c.size)
	c.packed, c.skip = c.packed[:n*c.size], first*c.size
	if n > 0 {
		c.all(l)
	}
	return n
}
