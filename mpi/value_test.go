package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/mpi/local"
)

type tree struct {
	Name string
	Kids []tree
}

// Values of all lengths arrive as they were, in order, from any source, and mixed with plain messages of other tags.
func TestValueLengths(t *testing.T) {
	for _, provider := range []string{"mem", "shm", "tcp", "lnx"} {
		t.Run(provider, func(t *testing.T) {
			if provider != "mem" && runtime.GOOS != "linux" {
				t.Skip("known: between processes and sockets it is tested on linux")
			}
			run(t, 3, sendLengths, mpi.WithProvider(provider))
		})
	}
}

func sendLengths(ctx context.Context, c *mpi.Comm) error {
	lengths := []int{0, 1, 4000, 4096, 4097, 100_000, 17_000_000, 3}
	if c.Rank() > 0 {
		for i, n := range lengths {
			text := strings.Repeat(fmt.Sprint(c.Rank()), n)
			if c.Rank() == 1 {
				if err := mpi.SendValue(ctx, c, text, 0, i); err != nil {
					return err
				}
			} else if _, err := mpi.IsendValue(c, text, 0, i); err != nil {
				return err
			}
		}
		return nil
	}
	next := []int{0, 0, 0}
	for range 2 * len(lengths) {
		text, st, err := mpi.RecvValue[string](ctx, c, mpi.AnySource, mpi.AnyTag)
		if err != nil {
			return err
		}
		i := next[st.Source]
		next[st.Source]++
		if want := strings.Repeat(fmt.Sprint(st.Source), lengths[i]); text != want || st.Tag != i || st.Bytes < len(want) {
			return fmt.Errorf("value %d of rank %d has %d bytes: %+v", i, st.Source, len(text), st)
		}
	}
	return nil
}

func TestValueKinds(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		peer := 1 - c.Rank()
		want := tree{"root", []tree{{"a", nil}, {"b", []tree{{strings.Repeat("long ", 10_000), nil}}}}}
		for range 3 {
			got, st, err := mpi.SendRecvValue(ctx, c, want, peer, 1, peer, 1)
			if err != nil || !reflect.DeepEqual(got, want) || st.Source != peer {
				return fmt.Errorf("%+v, %w", st, err)
			}
		}
		f, err := mpi.IrecvValue[map[string][]any](c, peer, 2)
		if err != nil {
			return err
		}
		some := map[string][]any{"x": {1, "two", []int{3}}}
		r, err := mpi.IsendValue(c, some, peer, 2)
		if err != nil {
			return err
		}
		select {
		case <-f.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
		for range 2 {
			if got, _, err := f.Wait(ctx); err != nil || !reflect.DeepEqual(got, some) {
				return fmt.Errorf("%v, %w", got, err)
			}
		}
		if _, err := r.Wait(ctx); err != nil {
			return err
		}
		none, st, err := mpi.SendRecvValue(ctx, c, 7, mpi.ProcNull, 0, mpi.ProcNull, 0)
		if none != 0 || st.Source != mpi.ProcNull {
			return fmt.Errorf("nobody sent %d: %+v", none, st)
		}
		return err
	})
}

func TestValueProbe(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		for _, n := range []int{10, 100_000} {
			list := make([]int32, n)
			list[n-1] = 5
			if c.Rank() == 0 {
				if err := mpi.SendValue(ctx, c, list, 1, 0); err != nil {
					return err
				}
				continue
			}
			m, err := c.Mprobe(ctx, 0, 0)
			if err != nil {
				return err
			}
			got, _, err := mpi.RecvMessageValue[[]int32](ctx, m)
			if err != nil || !slices.Equal(got, list) {
				return fmt.Errorf("%d elements, %w", len(got), err)
			}
			if _, _, err := mpi.RecvMessageValue[[]int32](ctx, m); !errors.Is(err, mpi.ErrRequest) {
				return fmt.Errorf("received twice: %w", err)
			}
		}
		return nil
	})
}

// What cannot be tells which class, and what follows is not hurt.
func TestValueMistakes(t *testing.T) {
	for name, opts := range map[string][]mpi.Option{"plain": nil, "check": {mpi.WithTypeCheck()}} {
		t.Run(name, func(t *testing.T) {
			run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
				if c.Rank() == 0 {
					errs := []error{
						mpi.SendValue(ctx, c, make(chan int), 1, 0),
						mpi.SendValue(ctx, c, 1, 7, 0),
						mpi.SendValue(ctx, c, 1, 1, -1),
						mpi.SendValue(ctx, nil, 1, 1, 0),
					}
					for i, want := range []mpi.Class{mpi.ErrType, mpi.ErrRank, mpi.ErrTag, mpi.ErrComm} {
						if !errors.Is(errs[i], want) {
							return fmt.Errorf("want %w, got %w", want, errs[i])
						}
					}
					return errors.Join(
						mpi.SendValue(ctx, c, "a text", 1, 0),
						mpi.Send(ctx, c, []int{2, 0}, 1, 0),         // not a value at all
						mpi.Send(ctx, c, make([]int, 5000), 1, 0),   // nor this
						mpi.SendValue(ctx, c, []int{1, 2, 3}, 1, 0), // all is well
					)
				}
				for range 3 {
					if _, _, err := mpi.RecvValue[[]int](ctx, c, 0, 0); !errors.Is(err, mpi.ErrType) {
						return fmt.Errorf("received what is not of the type: %w", err)
					}
				}
				got, _, err := mpi.RecvValue[[]int](ctx, c, 0, 0)
				if !slices.Equal(got, []int{1, 2, 3}) {
					return fmt.Errorf("got %v", got)
				}
				return err
			}, opts...)
		})
	}
}

// The end of a context, and Cancel, withdraw receives, and the value goes to the next one.
func TestValueWithdrawn(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		if c.Rank() == 1 {
			f, err := mpi.IrecvValue[int](c, 0, 0)
			if err != nil {
				return err
			}
			if err := f.Cancel(); err != nil {
				return err
			}
			if _, st, err := f.Wait(ctx); err != nil || !st.Cancelled {
				return fmt.Errorf("withdrawn: %+v, %w", st, err)
			}
			ended, cancel := context.WithCancel(ctx)
			cancel()
			if _, _, err := mpi.RecvValue[int](ended, c, 0, 0); !errors.Is(err, context.Canceled) || !errors.Is(err, mpi.ErrPending) {
				return fmt.Errorf("an ended context: %w", err)
			}
		}
		if err := c.Barrier(ctx); err != nil {
			return err
		}
		if c.Rank() == 0 {
			return mpi.SendValue(ctx, c, 9, 1, 0)
		}
		got, _, err := mpi.RecvValue[int](ctx, c, 0, 0)
		if got != 9 {
			return fmt.Errorf("got %d", got)
		}
		return err
	})
}

// A rank that ends ends the wait for its values.
func TestValueOfTheDead(t *testing.T) {
	err := local.Run(t.Context(), 2, func(ctx context.Context, c *mpi.Comm) error {
		if c.Rank() == 0 {
			return c.Leave()
		}
		_, _, err := mpi.RecvValue[int](ctx, c, 0, 0)
		if !errors.Is(err, mpi.ErrProcFailed) {
			return fmt.Errorf("rank 0 is gone: %w", err)
		}
		return c.Leave()
	})
	if err != nil {
		t.Error(err)
	}
}
