package mpi

import "iter"

// PutView writes the elements of src that one view means to those of a rank's memory that another one means, counted from
// element at on (MPI_Put with derived datatypes; MPI 4.1, 12.3.1). Both have equally many. Each run of elements is an
// access of its own.
//
// Ownership, and errors: as Put; ErrArg for views that cannot be, ErrCount for different lengths. Nothing is written then.
func (w *Win[T]) PutView(src []T, from View, rank, at int, to View) error {
	return w.runs("PutView", src, from, false, rank, at, to, true, func(part []T, at int) error { return w.Put(part, rank, at) })
}

// GetView reads the elements of a rank's memory that one view means, counted from element at on, into those of dst that another
// one means (MPI_Get with derived datatypes; MPI 4.1, 12.3.2).
//
// Ownership, and errors: as Get; ErrArg for views that cannot be, ErrCount for different lengths. Nothing is read then.
func (w *Win[T]) GetView(dst []T, to View, rank, at int, from View) error {
	return w.runs("GetView", dst, to, true, rank, at, from, false, func(part []T, at int) error { return w.Get(part, rank, at) })
}

// AccumulateView is PutView that combines (MPI_Accumulate with derived datatypes; MPI 4.1, 12.3.4).
//
// Ownership, and errors: as Accumulate; ErrArg for views that cannot be, ErrCount for different lengths. Nothing is changed
// then.
func (w *Win[T]) AccumulateView(src []T, from View, rank, at int, to View, op Op) error {
	return w.runs("AccumulateView", src, from, false, rank, at, to, true, func(part []T, at int) error {
		return w.Accumulate(part, rank, at, op)
	})
}

// runs calls access for each run that lies side by side here and there.
func (w *Win[T]) runs(call string, buf []T, here View, written bool, rank, at int, there View, changed bool, access func(part []T, at int) error) error { //nolint:revive // one call
	b := BlockOf(buf, here)
	if err := b.check(call, written); err != nil {
		return err
	}
	n := here.Len()
	if n < 0 {
		n = len(buf)
	}
	m, end := there.Len(), there.End()
	if m < 0 {
		m, end = n, n
	}
	switch {
	case there.err != nil:
		return &Error{Op: call, Class: ErrArg, Rank: NoRank, Err: there.err}
	case changed && there.l != nil && there.l.Overlaps():
		return bad(call, ErrArg, NoRank, "the view has an element of the window twice: it can be read, but not written")
	case n != m:
		return badView(call, "%d elements here and %d there: the views must have equally many", n, m)
	}
	if size, err := w.Len(rank); err != nil {
		return err
	} else if local := w.w.Local(); local != nil && (at < 0 || end > size-at) {
		return bad(call, ErrRMARange, rank, "the view reaches out of the rank's memory")
	}
	nextThere, stop := iter.Pull2(there.all(n))
	defer stop()
	far, left, _ := nextThere()
	for near, run := range here.all(n) {
		for run > 0 {
			if left == 0 {
				far, left, _ = nextThere()
			}
			k := min(run, left)
			if err := access(buf[near:near+k], at+far); err != nil {
				return err
			}
			near, run, far, left = near+k, run-k, far+k, left-k
		}
	}
	return nil
}

// all gives the runs of a view of n elements.
func (v View) all(n int) iter.Seq2[int, int] {
	if v.l != nil {
		return v.l.Runs()
	}
	return func(yield func(int, int) bool) {
		if n > 0 {
			yield(0, n)
		}
	}
}
