package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

// access is one operation of rank 0 on rank 1's window.
type access func(ctx context.Context, w *mpi.Win[byte], buf []byte, at int) error

var oneSided = []benchmark{
	window("put_latency", "MPI_Put Latency Test", put, false),
	window("get_latency", "MPI_Get latency Test", get, false),
	window("acc_latency", "MPI_Accumulate latency Test", accumulate, false),
	window("get_acc_latency", "MPI_Get_accumulate latency Test", getAccumulate, false),
	window("put_bw", "MPI_Put Bandwidth Test", put, true),
	window("get_bw", "MPI_Get Bandwidth Test", get, true),
	word64("fop_latency", "MPI_Fetch_and_op latency Test", fetchAndOp),
	word64("cas_latency", "MPI_Compare_and_swap latency Test", compareAndSwap),
}

func put(_ context.Context, w *mpi.Win[byte], buf []byte, at int) error { return w.Put(buf, 1, at) }
func get(_ context.Context, w *mpi.Win[byte], buf []byte, at int) error { return w.Get(buf, 1, at) }

func accumulate(_ context.Context, w *mpi.Win[byte], buf []byte, at int) error {
	return w.Accumulate(buf, 1, at, mpi.Sum)
}

func getAccumulate(_ context.Context, w *mpi.Win[byte], buf []byte, at int) error {
	half := len(buf) / 2
	return w.GetAccumulate(buf[:half], buf[half:], 1, at, mpi.Sum)
}

// window makes a benchmark of accesses of growing sizes.
func window(name, title string, do access, stream bool) benchmark {
	head := sizeLatency
	if stream {
		head = sizeBandwidth
	}
	b := benchmark{name: name, title: title, least: 2, most: 2, min: 1, max: 4 * megabyte}
	b.run = func(ctx context.Context, e *env) error {
		fmt.Fprintf(e.out, "# Window creation: MPI_Win_%s\n# Synchronization: MPI_Win_%s\n%s\n", e.memory, e.sync, head)
		return e.bySize(func(n, warmup, iterations int) error {
			length := n
			if name == "get_acc_latency" {
				length = 2 * n
			}
			w, at, err := makeWindow[byte](ctx, e, length)
			if err != nil {
				return err
			}
			buf, each := make([]byte, length), 1
			if stream {
				each = e.window
				warmup, iterations = e.streamIterations(warmup, iterations)
			}
			t, err := epochs(ctx, e, w, warmup, iterations, func() error {
				for range each {
					if err := do(ctx, w, buf, at); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			if stream {
				e.row(n, float64(n*iterations*each)/t)
			} else {
				e.row(n, t/float64(iterations))
			}
			return w.Free(ctx)
		})
	}
	return b
}

// word64 makes a benchmark of an operation on one element of eight bytes.
func word64(name, title string, do func(ctx context.Context, w *mpi.Win[int64], at int) error) benchmark {
	b := benchmark{name: name, title: title, least: 2, most: 2, min: 8, max: 8}
	b.run = func(ctx context.Context, e *env) error {
		fmt.Fprintf(e.out, "# Window creation: MPI_Win_%s\n# Synchronization: MPI_Win_%s\n%s\n", e.memory, e.sync, sizeLatency)
		e.min, e.max = 8, 8
		return e.bySize(func(n, warmup, iterations int) error {
			w, at, err := makeWindow[int64](ctx, e, 1)
			if err != nil {
				return err
			}
			t, err := epochs(ctx, e, w, warmup, iterations, func() error { return do(ctx, w, at) })
			if err != nil {
				return err
			}
			e.row(n, t/float64(iterations))
			return w.Free(ctx)
		})
	}
	return b
}

func fetchAndOp(ctx context.Context, w *mpi.Win[int64], at int) error {
	_, err := w.FetchAndOp(ctx, 1, 1, at, mpi.Sum)
	return err
}

func compareAndSwap(ctx context.Context, w *mpi.Win[int64], at int) error {
	_, err := w.CompareAndSwap(ctx, 0, 0, 1, at)
	return err
}

// makeWindow makes a window with n elements at each rank, as the options say, and tells where those of rank 1 begin.
func makeWindow[T any](ctx context.Context, e *env, n int) (w *mpi.Win[T], at int, err error) {
	switch e.memory {
	case "allocate":
		w, err = mpi.WinAllocate[T](ctx, e.c, n)
	case "create":
		w, err = mpi.WinCreate(ctx, e.c, make([]T, n))
	default:
		if w, err = mpi.WinCreateDynamic[T](ctx, e.c); err != nil {
			return nil, 0, err
		}
		place := []int{0}
		if place[0], err = w.Attach(make([]T, n)); err != nil {
			return nil, 0, err
		}
		err = mpi.Bcast(ctx, e.c, place, 1)
		at = place[0]
	}
	return w, at, err
}

// epochs times accesses of rank 0 with the synchronisation that the options say, in microseconds.
func epochs[T any](ctx context.Context, e *env, w *mpi.Win[T], warmup, iterations int, do func() error) (float64, error) {
	origin := e.c.Rank() == 0
	once := func(f func() error) error { // by the origin only
		if !origin {
			return nil
		}
		return f()
	}
	var around, end func() error
	each := func() error { return nil }
	switch e.sync {
	case "flush", "flush_local":
		around = func() error { return w.Lock(ctx, 1, mpi.Shared) }
		each = func() error {
			if e.sync == "flush" {
				return w.Flush(ctx, 1)
			}
			return w.FlushLocal(ctx, 1)
		}
		end = func() error { return w.Unlock(ctx, 1) }
	}
	step := func() error {
		switch e.sync {
		case "lock":
			if err := w.Lock(ctx, 1, mpi.Shared); err != nil {
				return err
			}
			if err := do(); err != nil {
				return err
			}
			return w.Unlock(ctx, 1)
		case "lock_all":
			if err := w.LockAll(ctx); err != nil {
				return err
			}
			if err := do(); err != nil {
				return err
			}
			return w.UnlockAll(ctx)
		}
		if err := do(); err != nil {
			return err
		}
		return each()
	}
	if err := e.c.Barrier(ctx); err != nil {
		return 0, err
	}
	switch e.sync {
	case "fence":
		if err := w.Fence(ctx); err != nil {
			return 0, err
		}
		t, err := repeat(warmup, iterations, func() error {
			if err := once(do); err != nil {
				return err
			}
			return w.Fence(ctx)
		})
		return micro(t, 1), err
	case "pscw":
		t, err := repeat(warmup, iterations, func() error {
			if !origin {
				if err := w.Post([]int{0}); err != nil {
					return err
				}
				return w.Wait(ctx)
			}
			if err := w.Start(ctx, []int{1}); err != nil {
				return err
			}
			if err := do(); err != nil {
				return err
			}
			return w.Complete(ctx)
		})
		return micro(t, 1), err
	}
	var spent float64
	err := once(func() error {
		if around != nil {
			if err := around(); err != nil {
				return err
			}
		}
		t, err := repeat(warmup, iterations, step)
		if err != nil {
			return err
		}
		spent = micro(t, 1)
		if end != nil {
			return end()
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return spent, e.c.Barrier(ctx)
}
