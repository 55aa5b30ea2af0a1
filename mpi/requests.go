package mpi

import (
	"context"
	"iter"
	"slices"
)

// WaitAll waits until all requests are over (MPI_Waitall). Nil requests are. What each of them found is asked with its Wait.
//
// Errors: that of the first request that failed; ErrPending with ctx's.
func WaitAll(ctx context.Context, rs ...*Request) error {
	var first error
	for _, r := range rs {
		if r == nil {
			continue
		}
		if _, err := r.Wait(ctx); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// WaitAny waits until one of the requests is over and gives its place (MPI_Waitany); -1 when all are nil. To wait for the
// next one, set that place to nil.
//
// Errors: that of the request; ErrPending with ctx's, and place -1; ErrProcFailedPending, see Wait, with the place of a
// request that goes on.
func WaitAny(ctx context.Context, rs ...*Request) (int, Status, error) {
	i, err := waitAny(ctx, rs)
	if i < 0 || err != nil {
		return i, noMessage, err
	}
	st, err := rs[i].result()
	return i, st, err
}

// WaitSome waits until at least one request is over and gives the places of all that are (MPI_Waitsome); none when all are
// nil.
//
// Errors: that of the first of these that failed; ErrPending with ctx's.
func WaitSome(ctx context.Context, rs ...*Request) ([]int, []Status, error) {
	if i, err := waitAny(ctx, rs); i < 0 || err != nil {
		return nil, nil, err
	}
	return TestSome(rs...)
}

// TestAll tells whether all requests are over (MPI_Testall).
//
// Errors: that of the first that failed, once all are over.
func TestAll(rs ...*Request) (bool, error) {
	for _, r := range rs {
		if r == nil || r.op.Done() {
			continue
		}
		if r.c.job.dev.Poll(); !r.op.Done() {
			return false, r.glance()
		}
	}
	return true, WaitAll(context.Background(), rs...)
}

// TestAny gives the place of a request that is over, -1 for none (MPI_Testany).
//
// Errors: that of the request.
func TestAny(rs ...*Request) (int, Status, error) {
	i := ready(rs)
	if i < 0 {
		return glances(rs)
	}
	st, err := rs[i].result()
	return i, st, err
}

// TestSome gives the places of all requests that are over (MPI_Testsome).
//
// Errors: that of the first of these that failed.
func TestSome(rs ...*Request) (places []int, sts []Status, first error) {
	ready(rs)
	for i, r := range rs {
		if r == nil {
			continue
		}
		if !r.op.Done() {
			if err := r.glance(); err != nil && first == nil {
				first = err
			}
			continue
		}
		st, err := r.result()
		if err != nil && first == nil {
			first = err
		}
		places, sts = append(places, i), append(sts, st)
	}
	return places, sts, first
}

// Completions gives the places and statuses of requests in the order in which they end, until all are over, ctx ends or the
// loop is left. The error of a request is asked with its Wait.
func Completions(ctx context.Context, rs ...*Request) iter.Seq2[int, Status] {
	return func(yield func(int, Status) bool) {
		left := slices.Clone(rs)
		for {
			i, st, _ := WaitAny(ctx, left...)
			if i < 0 || !yield(i, st) {
				return
			}
			left[i] = nil
		}
	}
}

// ready looks once, and gives the first request that is over.
func ready(rs []*Request) int {
	for look := range 2 {
		var driven *job
		for i, r := range rs {
			if r == nil {
				continue
			}
			if r.op.Done() {
				return i
			}
			if look == 0 && r.c.job != driven {
				driven = r.c.job
				driven.dev.Poll()
			}
		}
	}
	return -1
}

// glances looks after requests that are not over. An error says which one.
func glances(rs []*Request) (int, Status, error) {
	for i, r := range rs {
		if r == nil {
			continue
		}
		if err := r.glance(); err != nil {
			return i, noMessage, err
		}
	}
	return -1, Status{}, nil
}

// waitAny gives a request that is over; with an error one that goes on, or -1 and ctx's. It is -1 when there are none, too.
func waitAny(ctx context.Context, rs []*Request) (int, error) {
	at := slices.IndexFunc(rs, func(r *Request) bool { return r != nil })
	if at < 0 {
		return -1, nil
	}
	found := -1
	err := rs[at].c.job.dev.Await(ctx, func() bool {
		found = ready(rs)
		return found >= 0
	}, func(long bool) error {
		for i, r := range rs {
			if r == nil {
				continue
			}
			if err := r.c.job.dev.Doubt(r.op, long); err != nil {
				found = i
				return r.pending(err)
			}
		}
		return nil
	}, rs[at].op.Peer, rs[at].op.Want)
	switch {
	case err == nil || found >= 0:
		return found, err
	case !ofContext(err):
		return -1, rs[at].pending(err)
	}
	return -1, &Error{Op: "WaitAny", Class: ErrPending, Rank: NoRank, Err: err, Hint: "the requests go on"}
}
