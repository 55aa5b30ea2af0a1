package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// calls are those that need rank 1 of c, which has failed, at another rank. Each returns what it should: an error.
var calls = map[string]func(ctx context.Context, c *mpi.Comm) error{
	"Recv": func(ctx context.Context, c *mpi.Comm) error {
		_, err := mpi.Recv(ctx, c, []int{0}, 1, 0)
		return err
	},
	"Send": func(ctx context.Context, c *mpi.Comm) error {
		return mpi.Send(ctx, c, make([]int, 1<<20), 1, 0)
	},
	"Ssend": func(ctx context.Context, c *mpi.Comm) error {
		return mpi.Ssend(ctx, c, []int{1}, 1, 0)
	},
	"SendRecv": func(ctx context.Context, c *mpi.Comm) error {
		_, err := mpi.SendRecv(ctx, c, []int{1}, 1, 0, []int{0}, 1, 0)
		return err
	},
	"Probe": func(ctx context.Context, c *mpi.Comm) error {
		_, err := c.Probe(ctx, 1, 0)
		return err
	},
	"Iprobe": func(ctx context.Context, c *mpi.Comm) error {
		for {
			if _, found, err := c.Iprobe(1, 0); found || err != nil {
				return err
			}
		}
	},
	"Test": func(ctx context.Context, c *mpi.Comm) error {
		r, err := mpi.Irecv(c, []int{0}, 1, 0)
		for err == nil {
			var over bool
			if _, over, err = r.Test(); over {
				return err
			}
		}
		return err
	},
	"Done": func(ctx context.Context, c *mpi.Comm) error {
		r, err := mpi.Irecv(c, []int{0}, 1, 0)
		if err != nil {
			return err
		}
		<-r.Done()
		_, err = r.Wait(ctx)
		return err
	},
	"WaitAny": func(ctx context.Context, c *mpi.Comm) error {
		never, err1 := mpi.Irecv(c, []int{0}, c.Rank(), 1)
		r, err2 := mpi.Irecv(c, []int{0}, 1, 0)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		i, _, err := mpi.WaitAny(ctx, never, r)
		if i != 1 {
			return fmt.Errorf("request %d is over: %w", i, err)
		}
		return errors.Join(err, never.Cancel())
	},
	"Completions": func(ctx context.Context, c *mpi.Comm) error {
		r, err := mpi.Irecv(c, []int{0}, 1, 0)
		if err != nil {
			return err
		}
		for range mpi.Completions(ctx, r) {
			_, err = r.Wait(ctx)
		}
		return err
	},
	"persistent": func(ctx context.Context, c *mpi.Comm) error {
		p, err := mpi.RecvInit(c, []int{0}, 1, 0)
		if err == nil {
			err = p.Start()
		}
		if err == nil {
			_, err = p.Wait(ctx)
		}
		return err
	},
}

// collectiveCalls are those that need all members.
var collectiveCalls = map[string]func(ctx context.Context, c *mpi.Comm) error{
	"Barrier": func(ctx context.Context, c *mpi.Comm) error { return c.Barrier(ctx) },
	"Bcast":   func(ctx context.Context, c *mpi.Comm) error { return mpi.Bcast(ctx, c, []int{1}, 1) },
	"Gather": func(ctx context.Context, c *mpi.Comm) error {
		return mpi.Gather(ctx, c, []int{1}, make([]int, c.Size()), 0)
	},
	"Scatter": func(ctx context.Context, c *mpi.Comm) error {
		return mpi.Scatter(ctx, c, make([]int, c.Size()), []int{1}, 1)
	},
	"Allgather": func(ctx context.Context, c *mpi.Comm) error {
		return mpi.Allgather(ctx, c, []int{1}, make([]int, c.Size()))
	},
	"Alltoall": func(ctx context.Context, c *mpi.Comm) error {
		return mpi.Alltoall(ctx, c, make([]int, c.Size()), make([]int, c.Size()))
	},
	"Reduce": func(ctx context.Context, c *mpi.Comm) error {
		return mpi.Reduce(ctx, c, []int{1}, []int{1}, mpi.Sum, 0)
	},
	"Allreduce": func(ctx context.Context, c *mpi.Comm) error {
		return mpi.Allreduce(ctx, c, nil, make([]float64, 100_000), mpi.Sum)
	},
	"ReduceScatterBlock": func(ctx context.Context, c *mpi.Comm) error {
		return mpi.ReduceScatterBlock(ctx, c, make([]int, c.Size()), []int{1}, mpi.Sum)
	},
	"Iallreduce": func(ctx context.Context, c *mpi.Comm) error {
		r, err := mpi.Iallreduce(c, nil, []int{1}, mpi.Sum)
		if err == nil {
			_, err = r.Wait(ctx)
		}
		return err
	},
	"Dup": func(ctx context.Context, c *mpi.Comm) error {
		_, err := c.Dup(ctx)
		return err
	},
}

// until calls something again and again until it fails: who only sends may be done before anybody knows.
func until(f func(context.Context, *mpi.Comm) error) func(context.Context, *mpi.Comm) error {
	return func(ctx context.Context, c *mpi.Comm) error {
		for {
			if err := f(ctx, c); err != nil {
				return err
			}
		}
	}
}

// expect runs calls at the same time, each on a communicator of its own.
func expect(ctx context.Context, class mpi.Class, cs map[string]*mpi.Comm, fs map[string]func(context.Context, *mpi.Comm) error) error {
	var all sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for name, f := range fs {
		all.Go(func() {

			if err := f(ctx, cs[name]); !errors.Is(err, class) {
				mu.Lock()
				errs = append(errs, fmt.Errorf("%s at rank %d: %w instead of %w", name, cs[name].Rank(), err, class))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func dups(ctx context.Context, c *mpi.Comm, names ...map[string]func(context.Context, *mpi.Comm) error) (map[string]*mpi.Comm, error) {
	cs := map[string]*mpi.Comm{}
	for _, m := range names {
		for _, name := range slices.Sorted(keys(m)) {
			d, err := c.Dup(ctx)
			if err != nil {
				return nil, err
			}
			cs[name] = d
		}
	}
	return cs, nil
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// goOn shrinks a communicator and shows that what comes out works.
func goOn(ctx context.Context, c *mpi.Comm, want int) error {
	s, err := c.Shrink(ctx)
	if err != nil {
		return err
	}
	if s.Size() != want {
		return fmt.Errorf("%d members after Shrink, want %d", s.Size(), want)
	}
	sum := []int{1 << s.Rank(), 1}
	if err := mpi.Allreduce(ctx, s, nil, sum, mpi.Sum); err != nil {
		return err
	}
	if sum[0] != 1<<want-1 || sum[1] != want {
		return fmt.Errorf("sums %v", sum)
	}
	if _, err := mpi.SendRecvReplace(ctx, s, sum, (s.Rank()+1)%want, 0, (s.Rank()+want-1)%want, 0); err != nil {
		return err
	}
	return s.Close()
}

// A rank that has left fails what needs it, at all others and soon, and nothing else.
func TestFailure(t *testing.T) {
	for _, provider := range []string{"mem", "shm", "tcp", "lnx"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			loops := map[string]func(context.Context, *mpi.Comm) error{}
			for name, f := range collectiveCalls {
				loops[name] = until(f)
			}
			run(t, 4, func(ctx context.Context, c *mpi.Comm) error {
				cs, err := dups(ctx, c, calls, collectiveCalls)
				if err != nil {
					return err
				}
				if c.Rank() == 1 {
					return c.Leave()
				}
				if err := errors.Join(expect(ctx, mpi.ErrProcFailed, cs, calls), expect(ctx, mpi.ErrProcFailed, cs, loops)); err != nil {
					return err
				}
				if got := c.GetFailed(); !slices.Equal(got, []int{1}) {
					return fmt.Errorf("failed: %v", got)
				}
				if err := mpi.Send(ctx, c, []int{1}, 1, 0); !errors.Is(err, mpi.ErrProcFailed) {
					return fmt.Errorf("a send to who has failed: %w", err)
				}
				// The others go on in the same communicator.
				peer := map[int]int{0: 2, 2: 3, 3: 0}
				from := map[int]int{2: 0, 3: 2, 0: 3}
				got := []int{0}
				if _, err := mpi.SendRecv(ctx, c, []int{c.Rank()}, peer[c.Rank()], 3, got, from[c.Rank()], 3); err != nil || got[0] != from[c.Rank()] {
					return fmt.Errorf("got %v, %w", got, err)
				}
				return goOn(ctx, c, 3)
			}, mpi.WithProvider(provider))
		})
	}
}

// A receive from anybody fails until the program says that it knows, and goes on.
func TestFailureAnySource(t *testing.T) {
	for _, provider := range []string{"mem", "shm", "tcp", "lnx"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
				switch c.Rank() {
				case 1:
					return c.Leave()
				case 2: // sends when rank 0 has seen the failure
					if _, err := mpi.Recv(ctx, c, []int{0}, 0, 9); err != nil {
						return err
					}
					return mpi.Send(ctx, c, []int{42}, 0, 5)
				}
				if _, err := mpi.Recv(ctx, c, []int{0}, mpi.AnySource, 5); !errors.Is(err, mpi.ErrProcFailedPending) {
					return fmt.Errorf("Recv: %w", err)
				}
				got := []int{0}
				r, err := mpi.Irecv(c, got, mpi.AnySource, mpi.AnyTag)
				if err != nil {
					return err
				}
				if _, err := r.Wait(ctx); !errors.Is(err, mpi.ErrProcFailedPending) {
					return fmt.Errorf("Wait: %w", err)
				}
				if _, over, err := r.Test(); over || !errors.Is(err, mpi.ErrProcFailedPending) {
					return fmt.Errorf("Test: %v, %w", over, err)
				}
				if i, _, err := mpi.WaitAny(ctx, nil, r); i != 1 || !errors.Is(err, mpi.ErrProcFailedPending) {
					return fmt.Errorf("WaitAny: %d, %w", i, err)
				}
				if _, err := c.Probe(ctx, mpi.AnySource, 5); !errors.Is(err, mpi.ErrProcFailedPending) {
					return fmt.Errorf("Probe: %w", err)
				}
				if n := c.AckFailed(len(c.GetFailed())); n != 1 {
					return fmt.Errorf("%d failures are acknowledged", n)
				}
				if err := mpi.Send(ctx, c, []int{1}, 2, 9); err != nil {
					return err
				}
				st, err := r.Wait(ctx)
				if err != nil || st.Source != 2 || got[0] != 42 {
					return fmt.Errorf("got %v, %+v, %w", got, st, err)
				}
				return nil
			}, mpi.WithProvider(provider))
		})
	}
}

// Nobody is taken for failed who has only closed what all have closed.
func TestCloseIsNoFailure(t *testing.T) {
	for _, provider := range []string{"mem", "shm", "tcp", "lnx"} {
		for range 5 {
			run(t, 4, func(ctx context.Context, c *mpi.Comm) error {
				if err := mpi.Allreduce(ctx, c, nil, []int{1}, mpi.Sum); err != nil {
					return err
				}
				err := c.Close()
				if failed := c.GetFailed(); len(failed) > 0 {
					err = errors.Join(err, fmt.Errorf("rank %d takes %v for failed", c.Rank(), failed))
				}
				return err
			}, mpi.WithProvider(provider))
		}
	}
}

// What waits in a window for a rank that has failed ends; what does not need it goes on.
func TestFailureWindow(t *testing.T) {
	for _, provider := range []string{"mem", "shm", "tcp", "lnx"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
				locked, err1 := mpi.WinAllocate[int64](ctx, c, 4)
				fenced, err2 := mpi.WinAllocate[int64](ctx, c, 4)
				if err := errors.Join(err1, err2, fenced.Fence(ctx)); err != nil {
					return err
				}
				if c.Rank() == 1 {
					if err := errors.Join(locked.Lock(ctx, 0, mpi.Exclusive), c.Barrier(ctx)); err != nil {
						return err
					}
					return c.Leave()
				}
				if err := c.Barrier(ctx); err != nil {
					return err
				}
				waits := map[string]func(context.Context, *mpi.Comm) error{
					"Lock":  func(ctx context.Context, c *mpi.Comm) error { return locked.Lock(ctx, 0, mpi.Exclusive) },
					"Fence": func(ctx context.Context, c *mpi.Comm) error { return fenced.Fence(ctx) },
				}
				cs := map[string]*mpi.Comm{}
				for name := range waits {
					cs[name] = c
				}
				if err := expect(ctx, mpi.ErrProcFailed, cs, waits); err != nil {
					return err
				}
				return goOn(ctx, c, 2)
			}, mpi.WithProvider(provider))
		})
	}
}
