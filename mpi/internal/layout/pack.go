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
	c := copier{packed: dst[:l.size*size], spread: src, size: size}
	c.all(l)
	return l.size
}

// UnpackBytes is [Unpack] for the memory of elements of size bytes. Bytes at the end of src that make no whole element are
// left out.
//
//fabric:fastpath
func (l *Layout) UnpackBytes(dst, src []byte, size int) int {
	n := min(l.size, len(src)/size)
	c := copier{packed: src[:n*size], spread: dst, size: size, unpack: true}
	c.all(l)
	return n
}
