package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/gofabric/gofabric/mpi"
)

// Random accesses of one rank at a time give what they give on a slice.
func TestWinModel(t *testing.T) {
	const n, ranks, calls = 40, 3, 60
	windows(t, ranks, n, func(ctx context.Context, c *mpi.Comm, w *mpi.Win[int64]) error {
		if c.Rank() != 1 { // the others' memory is accessed while they wait
			return c.Barrier(ctx)
		}
		if err := w.LockAll(ctx); err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(1, 2))
		model := [ranks][n]int64{}
		for i := range calls {
			rank, at := r.IntN(ranks), r.IntN(n)
			part := model[rank][at : at+r.IntN(n-at+1)]
			src, dst, was := make([]int64, len(part)), make([]int64, len(part)), slices.Clone(part)
			for k := range src {
				src[k] = r.Int64N(100)
			}
			var err error
			switch r.IntN(7) {
			case 0:
				err = w.Put(src, rank, at)
				copy(part, src)
			case 1:
				if err = errors.Join(w.Get(dst, rank, at), w.Flush(ctx, rank)); !slices.Equal(dst, was) {
					err = fmt.Errorf("got %v, want %v", dst, was)
				}
			case 2:
				err = w.Accumulate(src, rank, at, mpi.Sum)
				for k := range src {
					part[k] += src[k]
				}
			case 3:
				if err = errors.Join(w.GetAccumulate(src, dst, rank, at, mpi.Max), w.Flush(ctx, rank)); !slices.Equal(dst, was) {
					err = fmt.Errorf("got %v, want %v", dst, was)
				}
				for k := range src {
					part[k] = max(part[k], src[k])
				}
			case 4: // a later replacement is not overtaken by an earlier one
				last := slices.Clone(src)
				for k := range src {
					last[k]++
				}
				err = errors.Join(w.Accumulate(src, rank, at, mpi.Replace), w.Accumulate(last, rank, at, mpi.Replace), w.Flush(ctx, rank))
				copy(part, last)
			case 5:
				var a, b *mpi.Request
				a, err = w.Rget(dst, rank, at)
				if err == nil {
					_, err = a.Wait(ctx)
				}
				if err == nil && !slices.Equal(dst, was) {
					err = fmt.Errorf("got %v, want %v", dst, was)
				}
				if err == nil {
					b, err = w.Rput(src, rank, at)
				}
				if err == nil {
					err = mpi.WaitAll(ctx, b)
				}
				copy(part, src)
			default:
				var a, b *mpi.Request
				a, err = w.RgetAccumulate(src, dst, rank, at, mpi.Sum)
				if err == nil {
					b, err = w.Raccumulate(src, rank, at, mpi.Sum)
				}
				if err == nil {
					err = mpi.WaitAll(ctx, a, b)
				}
				if err == nil && !slices.Equal(dst, was) {
					err = fmt.Errorf("got %v, want %v", dst, was)
				}
				for k := range src {
					part[k] += 2 * src[k]
				}
			}
			if err = errors.Join(err, w.Flush(ctx, rank)); err != nil {
				return fmt.Errorf("call %d at %d of rank %d: %w", i, at, rank, err)
			}
		}
		all := make([]int64, n)
		for rank := range ranks {
			if err := errors.Join(w.GetAccumulate(nil, all, rank, 0, mpi.NoOp), w.Flush(ctx, rank)); err != nil {
				return err
			}
			if !slices.Equal(all, model[rank][:]) {
				return fmt.Errorf("rank %d has %v, want %v", rank, all, model[rank])
			}
		}
		return errors.Join(w.UnlockAll(ctx), c.Barrier(ctx))
	})
}

// call is one atomic access to a word.
type call struct {
	kind   int // 0: add v; 1: read; 2: v where there is old; 3: replace by v
	v, old int64
}

var wordModel = porcupine.Model{
	Init: func() any { return int64(0) },
	Step: func(state, input, output any) (bool, any) {
		s, c := state.(int64), input.(call)
		next := s
		switch {
		case c.kind == 0:
			next += c.v
		case c.kind == 3, c.kind == 2 && s == c.old:
			next = c.v
		}
		return output.(int64) == s, next
	},
}

// What several ranks see of one word fits one order of their accesses, the owner's included.
func TestWinLinearizable(t *testing.T) {
	for _, p := range []string{"mem", "shm", "tcp", "lnx"} {
		for _, create := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/create=%v", p, create), func(t *testing.T) {
				var clock atomic.Int64
				var mu sync.Mutex
				var history []porcupine.Operation
				run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
					w, err := mpi.WinAllocate[int64](ctx, c, 2)
					if create {
						err = errors.Join(err, w.Free(ctx))
						w, err = mpi.WinCreate(ctx, c, make([]int64, 2))
					}
					if err = errors.Join(err, w.LockAll(ctx)); err != nil {
						return err
					}
					r := rand.New(rand.NewPCG(3, uint64(c.Rank())))
					for range 25 {
						in := call{r.IntN(4), r.Int64N(3), r.Int64N(3)}
						var old int64
						began := clock.Add(1)
						switch in.kind {
						case 0:
							old, err = w.FetchAndOp(ctx, in.v, 0, 1, mpi.Sum)
						case 1:
							old, err = w.FetchAndOp(ctx, 99, 0, 1, mpi.NoOp)
						case 2:
							old, err = w.CompareAndSwap(ctx, in.old, in.v, 0, 1)
						default:
							old, err = w.FetchAndOp(ctx, in.v, 0, 1, mpi.Replace)
						}
						if err != nil {
							return err
						}
						mu.Lock()
						history = append(history, porcupine.Operation{ClientId: c.Rank(), Input: in, Call: began, Output: old, Return: clock.Add(1)})
						mu.Unlock()
					}
					return errors.Join(w.UnlockAll(ctx), w.Free(ctx))
				}, mpi.WithProvider(p))
				if !porcupine.CheckOperations(wordModel, history) {
					t.Errorf("no order of the %d accesses explains what they saw", len(history))
				}
			})
		}
	}
}
