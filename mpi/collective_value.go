package mpi

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/value"
)

// The forms for values of any type that can be encoded. Members may have values of different sizes and shapes. Each consists
// of two operations, of the lengths and of the encoded values; when ctx ends between them the communicator's members are
// out of step, which later calls tell (ErrMismatch).

// unusable is the length of a value that cannot be encoded: the others must not wait for it.
const unusable = ^uint64(0)

// encode gives the bytes of a value and their number.
func encode[T any](call string, v T) ([]byte, uint64, error) {
	raw, err := value.Append(nil, v)
	if err != nil {
		return nil, unusable, &Error{Op: call, Class: ErrType, Rank: NoRank, Err: err}
	}
	return raw, uint64(len(raw)), nil
}

func decode[T any](call string, from int, raw []byte) (T, error) {
	v, err := value.Decode[T](raw)
	if err != nil {
		return v, &Error{Op: call, Class: ErrType, Rank: from, Err: err}
	}
	return v, nil
}

// decodeAll turns what all members sent into values.
func decodeAll[T any](call string, raw [][]byte) ([]T, error) {
	vs := make([]T, len(raw))
	for i, b := range raw {
		var err error
		if vs[i], err = decode[T](call, i, b); err != nil {
			return nil, err
		}
	}
	return vs, nil
}

// oneGroup refuses an intercommunicator.
func (c *Comm) oneGroup(call string) error {
	if err := c.usable(call); err != nil {
		return err
	}
	if c.inter != nil {
		return bad(call, ErrComm, NoRank, "an intercommunicator: Merge it first, or use the forms on slices")
	}
	return nil
}

// maxValue bounds what a length from another member makes us allocate.
const maxValue = 1 << (30 + (^uint(0)>>63)*10)

// room makes memory for values of these lengths.
func room(call string, lens []uint64) ([][]byte, error) {
	raw := make([][]byte, len(lens))
	for i, n := range lens {
		if n == unusable {
			return nil, bad(call, ErrType, i, "the member has a value that cannot be sent")
		}
		if n > maxValue {
			return nil, bad(call, ErrCount, i, fmt.Sprintf("a value of %d bytes", n))
		}
		raw[i] = make([]byte, n)
	}
	return raw, nil
}

// BcastValue gives the root's value to all members (MPI_Bcast of an object). v matters at the root only.
//
// Errors: as Bcast; ErrType when the value cannot be encoded, or is not of the type expected.
func BcastValue[T any](ctx context.Context, c *Comm, v T, root int) (T, error) {
	const call = "BcastValue"
	var zero T
	if err := c.oneGroup(call); err != nil {
		return zero, err
	}
	var raw []byte
	var n [1]uint64
	var failed error
	mine := c.rank == root
	if mine {
		raw, n[0], failed = encode(call, v)
	}
	k := bcast(c, call, blocking, n[:], root)
	if err := c.do(ctx, &k); err != nil {
		return zero, err
	}
	if failed != nil {
		return zero, failed
	}
	if !mine {
		got, err := room(call, n[:])
		if err != nil {
			err.(*Error).Rank = root //nolint:forcetypeassert,errorlint // it is made there
			return zero, err
		}
		raw = got[0]
	}
	k = bcast(c, call, blocking, raw, root)
	if err := c.do(ctx, &k); err != nil || mine {
		return v, err
	}
	return decode[T](call, root, raw)
}

// GatherValue collects the values of all members at the root, in the order of ranks (MPI_Gather of objects); nil elsewhere.
//
// Errors: as BcastValue.
func GatherValue[T any](ctx context.Context, c *Comm, v T, root int) ([]T, error) {
	return gatherValue("GatherValue", ctx, c, v, root)
}

func gatherValue[T any](call string, ctx context.Context, c *Comm, v T, root int) ([]T, error) { //nolint:revive // the call comes first
	raw, n, failed := encode(call, v)
	lens, err := shareLengths(ctx, c, call, n) // all must know whether one cannot go on
	if err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	all, err := room(call, lens)
	if err != nil {
		return nil, err
	}
	if c.rank != root {
		all = nil
	}
	k := gatherv(c, call, blocking, raw, all, root)
	if err := c.do(ctx, &k); err != nil || c.rank != root {
		return nil, err
	}
	return decodeAll[T](call, all)
}

// shareLengths gives the lengths of all members' values.
func shareLengths(ctx context.Context, c *Comm, call string, n uint64) ([]uint64, error) {
	if err := c.oneGroup(call); err != nil {
		return nil, err
	}
	lens := make([]uint64, c.size)
	k := allgather(c, call, blocking, []uint64{n}, lens)
	return lens, c.do(ctx, &k)
}

// AllgatherValue collects the values of all members at everybody, in the order of ranks (MPI_Allgather of objects).
//
// Errors: as BcastValue.
func AllgatherValue[T any](ctx context.Context, c *Comm, v T) ([]T, error) {
	return allgatherValue("AllgatherValue", ctx, c, v)
}

func allgatherValue[T any](call string, ctx context.Context, c *Comm, v T) ([]T, error) { //nolint:revive // the call comes first
	raw, n, failed := encode(call, v)
	lens, err := shareLengths(ctx, c, call, n)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	all, err := room(call, lens)
	if err != nil {
		return nil, err
	}
	k := allgatherv(c, call, blocking, raw, all)
	if err := c.do(ctx, &k); err != nil {
		return nil, err
	}
	return decodeAll[T](call, all)
}

// ScatterValues gives value i of the root's vs to member i (MPI_Scatter of objects). vs matters at the root only, where it
// has a value for each member.
//
// Errors: as BcastValue; ErrCount.
func ScatterValues[T any](ctx context.Context, c *Comm, vs []T, root int) (T, error) {
	const call = "ScatterValues"
	var zero T
	var lens []uint64
	var raw [][]byte
	var failed error
	var n [1]uint64
	if err := c.oneGroup(call); err != nil {
		return zero, err
	}
	if c.rank == root {
		lens, raw, failed = encodeAll(call, c.size, vs)
	}
	k := scatter(c, call, blocking, lens, n[:], root)
	if err := c.do(ctx, &k); err != nil {
		return zero, err
	}
	if failed != nil {
		return zero, failed
	}
	mine, err := room(call, n[:])
	if err != nil {
		err.(*Error).Rank = root //nolint:forcetypeassert,errorlint // it is made there
		return zero, err
	}
	k = scatterv(c, call, blocking, raw, mine[0], root)
	if err := c.do(ctx, &k); err != nil {
		return zero, err
	}
	return decode[T](call, root, mine[0])
}

// encodeAll encodes a value for each member. If one cannot be all lengths say so.
func encodeAll[T any](call string, members int, vs []T) ([]uint64, [][]byte, error) {
	lens, raw := make([]uint64, members), make([][]byte, members)
	var failed error
	if len(vs) != members {
		failed = bad(call, ErrCount, NoRank, fmt.Sprintf("%d values for %d members", len(vs), members))
	}
	for i := range lens {
		if failed == nil {
			raw[i], lens[i], failed = encode(call, vs[i])
		}
	}
	if failed != nil {
		for i := range lens {
			lens[i] = unusable
		}
	}
	return lens, raw, failed
}

// AlltoallValues gives value i of vs to member i, and what the members gave to this one, in the order of ranks
// (MPI_Alltoall of objects).
//
// Errors: as BcastValue; ErrCount.
func AlltoallValues[T any](ctx context.Context, c *Comm, vs []T) ([]T, error) {
	const call = "AlltoallValues"
	if err := c.oneGroup(call); err != nil {
		return nil, err
	}
	lens, raw, failed := encodeAll(call, c.size, vs)
	got := make([]uint64, c.size)
	k := alltoall(c, call, blocking, lens, got)
	if err := c.do(ctx, &k); err != nil {
		return nil, err
	}
	all, err := room(call, got)
	stop, sharedErr := c.anybody(ctx, call, failed != nil || err != nil)
	switch {
	case sharedErr != nil:
		return nil, sharedErr
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	case stop:
		return nil, bad(call, ErrType, NoRank, "a member has a value that cannot be sent")
	}
	k = alltoallv(c, call, blocking, raw, all)
	if err := c.do(ctx, &k); err != nil {
		return nil, err
	}
	return decodeAll[T](call, all)
}

// anybody tells whether a member says yes.
func (c *Comm) anybody(ctx context.Context, call string, mine bool) (bool, error) {
	yes := []bool{mine}
	k := allreduce(c, call, blocking, coll.Allreduce, nil, yes, Lor)
	err := c.do(ctx, &k)
	return yes[0], err
}

// ReduceValue combines the values of all members by f, in the order of ranks, at the root (MPI_Reduce of objects); others
// get the zero value. f(a, b) has the lower ranks in a; it may change a and return it.
//
// Errors: as BcastValue.
func ReduceValue[T any](ctx context.Context, c *Comm, v T, f func(a, b T) T, root int) (T, error) {
	vs, err := gatherValue("ReduceValue", ctx, c, v, root)
	return foldValues(vs, f), err
}

// AllreduceValue combines the values of all members by f, in the order of ranks, and gives the result to all: it is made
// once (MPI_Allreduce of objects). f as in ReduceValue.
//
// Errors: as BcastValue.
func AllreduceValue[T any](ctx context.Context, c *Comm, v T, f func(a, b T) T) (T, error) {
	vs, err := gatherValue("AllreduceValue", ctx, c, v, 0)
	if err != nil {
		var zero T
		return zero, err
	}
	return BcastValue(ctx, c, foldValues(vs, f), 0)
}

// ScanValue combines the values of the members up to this one by f, in the order of ranks (MPI_Scan of objects). f as in
// ReduceValue.
//
// Errors: as BcastValue.
func ScanValue[T any](ctx context.Context, c *Comm, v T, f func(a, b T) T) (T, error) {
	vs, err := allgatherValue("ScanValue", ctx, c, v)
	if err != nil {
		var zero T
		return zero, err
	}
	return foldValues(vs[:c.rank+1], f), nil
}

func foldValues[T any](vs []T, f func(a, b T) T) (acc T) {
	for i, v := range vs {
		if i == 0 {
			acc = v
		} else {
			acc = f(acc, v)
		}
	}
	return acc
}
