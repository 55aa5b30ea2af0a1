package mpi

import (
	"fmt"

	"github.com/gofabric/gofabric/mpi/internal/element"
	"github.com/gofabric/gofabric/mpi/internal/layout"
)

// View says which elements of a slice are meant, and in which order: a column of a matrix, the border of a grid (what derived
// datatypes are for; MPI 4.1, 5.1). All numbers count elements. Views are values that never change and keep nothing that they
// were made of; the zero value is all of a slice. One that cannot be shows when it is used: ErrArg.
type View struct {
	l   *layout.Layout
	err error
}

// Vector is count blocks of blocklen elements, whose starts lie stride elements apart (MPI_Type_vector; MPI 4.1, 5.1.2):
// Vector(rows, 1, columns) is a column of a matrix; the next one is that of m[1:].
func Vector(count, blocklen, stride int) View { return viewOf(layout.Vector(count, blocklen, stride)) }

// Indexed is blocks of blocklens[i] elements at displs[i] (MPI_Type_indexed; MPI 4.1, 5.1.2).
func Indexed(blocklens, displs []int) View { return viewOf(layout.Indexed(blocklens, displs)) }

// IndexedBlock is blocks of one length at displs[i] (MPI_Type_create_indexed_block; MPI 4.1, 5.1.2).
func IndexedBlock(blocklen int, displs []int) View {
	return viewOf(layout.IndexedBlock(blocklen, displs))
}

// Subarray is the part of an array of several dimensions, whose last index is the fastest, that has subsizes elements from
// starts on in each (MPI_Type_create_subarray with MPI_ORDER_C; MPI 4.1, 5.1.3).
func Subarray(sizes, subsizes, starts []int) View {
	return viewOf(layout.Subarray(sizes, subsizes, starts))
}

func viewOf(l *layout.Layout, err error) View { return View{l, err} }

// Err is what is wrong with the view; nil when it can be used.
func (v View) Err() error { return v.err }

// Len is how many elements a message of the view carries; -1 for the zero value, which depends on the slice.
func (v View) Len() int {
	if v.l == nil {
		return -1
	}
	return v.l.Len()
}

// End is how many elements a slice must have at least (the extent of MPI's types).
func (v View) End() int {
	if v.l == nil {
		return 0
	}
	return v.l.End()
}

// Block is the elements of a slice that a view means, of any type: what calls take that have something else for each rank.
// BlockOf makes it; the zero value is no elements.
type Block struct {
	mem  []byte
	size int // of an element
	kind uint16
	l    *layout.Layout // nil: all
	err  error
}

// BlockOf is the elements of buf that a view means. The memory stays the caller's.
func BlockOf[T any](buf []T, v View) Block {
	b := Block{l: v.l}
	e, err := element.Of[T]()
	switch {
	case err != nil:
		b.err = &Error{Class: ErrType, Rank: NoRank, Err: err}
		return b
	case v.err != nil:
		b.err = &Error{Class: ErrArg, Rank: NoRank, Err: v.err}
	}
	b.mem, b.size, b.kind = element.Bytes(buf), e.Size, e.Hash
	return b
}

// check finds a view that does not fit its slice.
func (b *Block) check(call string, written bool) error { //nolint:revive // sent or received into
	err := b.err
	if err == nil && b.l != nil {
		n := len(b.mem) / b.size
		if written {
			err = b.l.CheckRecv(n)
		} else {
			err = b.l.Check(n)
		}
		if err != nil {
			return &Error{Op: call, Class: ErrArg, Rank: NoRank, Err: err}
		}
	}
	if e, ok := err.(*Error); ok { //nolint:errorlint // BlockOf made it
		return &Error{Op: call, Class: e.Class, Rank: NoRank, Err: e.Err}
	}
	return err
}

// bytes is the length of a message.
func (b *Block) bytes() int {
	if b.l == nil {
		return len(b.mem)
	}
	return b.l.Len() * b.size
}

// plain gives the memory of the elements if they lie side by side.
func (b *Block) plain() ([]byte, bool) {
	if b.l == nil {
		return b.mem, true
	}
	at, ok := b.l.Contiguous()
	if !ok {
		return nil, false
	}
	return b.mem[at*b.size:][:b.bytes()], true
}

// packed gives the elements side by side: where they are, or copied.
func (b *Block) packed() []byte {
	if mem, ok := b.plain(); ok {
		return mem
	}
	mem := make([]byte, b.bytes())
	b.l.PackBytes(mem, b.mem, b.size)
	return mem
}

// unpack puts elements that lie side by side to their places.
func (b *Block) unpack(packed []byte) { b.l.UnpackBytes(b.mem, packed, b.size) }

// badView makes the error of views that do not go together.
func badView(call, format string, args ...any) error {
	return bad(call, ErrCount, NoRank, fmt.Sprintf(format, args...))
}
