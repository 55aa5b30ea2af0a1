package mpi

import (
	"context"

	"github.com/gofabric/gofabric/mpi/internal/element"
	"github.com/gofabric/gofabric/mpi/internal/window"
)

// Accumulate combines elements of a rank's memory, from element at on, with those of src: there = there op src
// (MPI_Accumulate; MPI 4.1, 12.3.4). Each number is updated atomically with respect to all accumulates of all ranks, and
// those of one rank are done in the order of its calls. op is a predefined operation of numbers, or Replace.
//
// Ownership: src belongs to the window until the epoch ends or a Flush.
//
// Errors: as Put; ErrOp when the type has no such operation; ErrBuffer when the target's memory, of WinCreate, is not at a
// multiple of the element's size.
//
//fabric:fastpath
func (w *Win[T]) Accumulate(src []T, rank, at int, op Op) error {
	o, err := w.op("Accumulate", op)
	if err == nil {
		err = w.w.Accumulate(element.Bytes(src), rank, at, o)
	}
	if err != nil {
		return winFault("Accumulate", rank, err)
	}
	return nil
}

// GetAccumulate is Accumulate that also gives in dst what was there before (MPI_Get_accumulate; MPI 4.1, 12.3.4). With NoOp
// it is an atomic Get, and src may be nil.
//
// Ownership: both belong to the window until the epoch ends or a Flush; they must not overlap.
//
// Errors: as Accumulate; ErrArg when src and dst have different lengths.
//
//fabric:fastpath
func (w *Win[T]) GetAccumulate(src, dst []T, rank, at int, op Op) error {
	o, err := w.op("GetAccumulate", op)
	if err == nil {
		err = w.w.GetAccumulate(element.Bytes(src), element.Bytes(dst), rank, at, o)
	}
	if err != nil {
		return winFault("GetAccumulate", rank, err)
	}
	return nil
}

// Raccumulate is Accumulate with a request, which is over when src may be used again (MPI_Raccumulate).
//
// Errors: as Accumulate.
func (w *Win[T]) Raccumulate(src []T, rank, at int, op Op) (*Request, error) {
	o, err := w.op("Raccumulate", op)
	if err != nil {
		return nil, err
	}
	r, err := w.w.Raccumulate(element.Bytes(src), rank, at, o)
	return w.comm.winRequest("Raccumulate", rank, r, err)
}

// RgetAccumulate is GetAccumulate with a request, which is over when dst has what was there (MPI_Rget_accumulate).
//
// Errors: as GetAccumulate.
func (w *Win[T]) RgetAccumulate(src, dst []T, rank, at int, op Op) (*Request, error) {
	o, err := w.op("RgetAccumulate", op)
	if err != nil {
		return nil, err
	}
	r, err := w.w.RgetAccumulate(element.Bytes(src), element.Bytes(dst), rank, at, o)
	return w.comm.winRequest("RgetAccumulate", rank, r, err)
}

// FetchAndOp combines one element of a rank's memory with v and gives what was there before (MPI_Fetch_and_op; MPI 4.1,
// 12.3.4), as Accumulate does. It waits for the result, up to ctx; the operation goes on then. It needs an epoch.
//
// Errors: as Accumulate; ErrPending with ctx's.
//
//fabric:fastpath
func (w *Win[T]) FetchAndOp(ctx context.Context, v T, rank, at int, op Op) (old T, err error) {
	o, err := w.op("FetchAndOp", op)
	if err != nil {
		return old, err
	}
	size := o.Type.Size()
	switch {
	case size != w.info.Size:
		return old, bad("FetchAndOp", ErrType, rank, "elements of several numbers: GetAccumulate takes them")
	case size == 8:
		var u uint64
		if u, err = w.w.Fetch64(ctx, word64(&v), rank, at, o); err == nil {
			setWord64(&old, u)
			return old, nil
		}
	default:
		var b window.Bits
		if b, err = w.w.Fetch(ctx, bitsOf(&v), rank, at, o); err == nil {
			setBits(&old, b)
			return old, nil
		}
	}
	return old, winFault("FetchAndOp", rank, err)
}

// CompareAndSwap stores next in an element of a rank's memory if it is equal to old, bit by bit, and gives what was there
// before: old means that it has been stored (MPI_Compare_and_swap; MPI 4.1, 12.3.4). Elements have 1, 2, 4, 8 or 16 bytes. It
// is atomic with respect to accumulates, and waits for the result as FetchAndOp does. It needs an epoch.
//
// Errors: as FetchAndOp; ErrType for elements of other sizes and structs with gaps.
//
//fabric:fastpath
func (w *Win[T]) CompareAndSwap(ctx context.Context, old, next T, rank, at int) (was T, err error) {
	switch {
	case w.info.Padding > 0:
		return was, bad("CompareAndSwap", ErrType, rank, "the struct has gaps, whose bytes may differ: give them names")
	case w.info.Size == 8:
		var u uint64
		if u, err = w.w.Swap64(ctx, word64(&old), word64(&next), rank, at); err == nil {
			setWord64(&was, u)
			return was, nil
		}
	default:
		var b window.Bits
		if b, err = w.w.Swap(ctx, bitsOf(&old), bitsOf(&next), rank, at); err == nil {
			setBits(&was, b)
			return was, nil
		}
	}
	return was, winFault("CompareAndSwap", rank, err)
}

// op finds an operation.
//
//fabric:fastpath
func (w *Win[T]) op(call string, op Op) (window.Operation, error) {
	if op.num > predefinedOps || op.num == 0 || w.ops[op.num].err != nil {
		return window.Operation{}, w.noOp(call, op)
	}
	return w.ops[op.num].Operation, nil
}

//go:noinline
func (w *Win[T]) noOp(call string, op Op) error {
	switch {
	case op.num == 0:
		return bad(call, ErrOp, NoRank, "no operation is given: use Sum, Replace ...")
	case op.num > predefinedOps:
		return bad(call, ErrOp, NoRank, op.String()+": windows take predefined operations only; Lock with Get and Put does the same")
	}
	return &Error{Op: call, Class: ErrOp, Rank: NoRank, Err: w.ops[op.num].err}
}
