package layout

import (
	"fmt"
	"iter"
)

// Layout is a sequence of runs of elements. The zero value has none.
type Layout struct {
	// Regular: runs of block elements from start on, at the sums of the steps of all dims, the last one fastest.
	start, block int
	dims         []dim

	// Irregular, when displs is not nil: run i has lens[i] elements, or block when lens is nil.
	displs, lens []int
	ends         []int // elements in runs 0 to i, when lens is not nil

	size, end int
	overlap   bool
}

type dim struct{ count, step int }

// Len is how many elements a message of it carries.
func (l *Layout) Len() int { return l.size }

// End is the number of elements that a slice must have at least (the extent of MPI's types with lower bound 0).
func (l *Layout) End() int { return l.end }

// Overlaps tells whether some element occurs twice. Such a layout may be sent, but not received into (MPI 4.1, 3.2.4 and 5.1.11).
func (l *Layout) Overlaps() bool { return l.overlap }

// Contiguous gives the place of the elements when all lie side by side in order.
func (l *Layout) Contiguous() (at int, ok bool) {
	switch {
	case l.size == 0:
		return 0, true
	case l.displs != nil:
		return l.displs[0], len(l.displs) == 1
	}
	return l.start, len(l.dims) == 0
}

// Check tells whether a slice of n elements has all of the layout.
//
// Errors: how many there are, and how many it needs.
func (l *Layout) Check(n int) error {
	if n < l.end {
		return fmt.Errorf("the view reaches to element %d and the slice has %d: give a longer slice or a smaller view", l.end-1, n)
	}
	return nil
}

// CheckRecv is [Layout.Check] for a slice that is written.
//
// Errors: also a layout that has an element twice.
func (l *Layout) CheckRecv(n int) error {
	if l.overlap {
		return fmt.Errorf("the view has an element of the slice twice: it can be sent, but not received into; " +
			"use blocks that do not overlap")
	}
	return l.Check(n)
}

// Runs gives where each run starts and how long it is, in the order of the message. Neighbours in memory and in order are one
// run; no run is empty.
func (l *Layout) Runs() iter.Seq2[int, int] {
	return func(yield func(at, n int) bool) { l.each(yield) }
}

func (l *Layout) each(yield func(at, n int) bool) bool {
	if l.size == 0 {
		return true
	}
	if l.displs == nil {
		return l.eachDim(l.start, l.dims, yield)
	}
	for i, at := range l.displs {
		n := l.block
		if l.lens != nil {
			n = l.lens[i]
		}
		if !yield(at, n) {
			return false
		}
	}
	return true
}

func (l *Layout) eachDim(at int, dims []dim, yield func(at, n int) bool) bool {
	if len(dims) == 0 {
		return yield(at, l.block)
	}
	for range dims[0].count {
		if !l.eachDim(at, dims[1:], yield) {
			return false
		}
		at += dims[0].step
	}
	return true
}

// Count is the number of runs.
func (l *Layout) Count() int {
	switch {
	case l.size == 0:
		return 0
	case l.displs != nil:
		return len(l.displs)
	}
	return l.size / l.block
}
