package mpi_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/mpi"
)

type parcel struct {
	Name  string
	Parts map[string][]int
	Next  *parcel
}

func TestSendValue(t *testing.T) {
	for _, p := range []string{"mem", "shm", "tcp"} {
		t.Run(p, func(t *testing.T) {
			run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
				deep := parcel{"a", map[string][]int{"x": {1, 2}}, &parcel{Name: "b"}}
				long := strings.Repeat("long ", 30_000)
				if c.Rank() == 0 {
					for _, err := range []error{
						mpi.SendValue(ctx, c, deep, 1, 1), mpi.SendValue(ctx, c, long, 1, 1), mpi.SendValue(ctx, c, 7, 1, 1),
						mpi.SendValue(ctx, c, []float64{1, 2}, 1, 1), mpi.SendValue(ctx, c, error(nil) == nil, 1, 1),
					} {
						if err != nil {
							return err
						}
					}
					return nil
				}
				d, st, err := mpi.RecvValue[parcel](ctx, c, mpi.AnySource, mpi.AnyTag)
				if err != nil || !reflect.DeepEqual(d, deep) || st.Source != 0 || st.Tag != 1 {
					return fmt.Errorf("%+v, %+v: %w", d, st, err)
				}
				s, st, err := mpi.RecvValue[string](ctx, c, mpi.AnySource, mpi.AnyTag)
				if err != nil || s != long || st.Bytes <= len(long) {
					return fmt.Errorf("%d bytes, %+v: %w", len(s), st, err)
				}
				i, _, err := mpi.RecvValue[int](ctx, c, 0, 1)
				if err != nil || i != 7 {
					return fmt.Errorf("%d: %w", i, err)
				}
				f, _, err := mpi.RecvValue[[]float64](ctx, c, 0, 1)
				if err := errors.Join(err, eq("floats", f, []float64{1, 2})); err != nil {
					return err
				}
				_, _, err = mpi.RecvValue[string](ctx, c, 0, 1)
				if !errors.Is(err, mpi.ErrType) {
					return fmt.Errorf("a bool as a string: %w", err)
				}
				return nil
			}, mpi.WithProvider(p))
		})
	}
}

// Long and short values of several senders keep each sender's order, with receives posted before and after.
func TestValueOrder(t *testing.T) {
	const each = 30
	run(t, 4, func(ctx context.Context, c *mpi.Comm) error {
		if c.Rank() > 0 {
			for i := range each {
				r, err := mpi.IsendValue(c, slices.Repeat([]int{i}, 1+i%3*2000), 0, i)
				if err != nil {
					return err
				}
				defer r.Wait(ctx) //nolint:errcheck // the receiver tells
			}
			return c.Barrier(ctx)
		}
		var fs []*mpi.Future[[]int]
		for range each {
			f, err := mpi.IrecvValue[[]int](c, mpi.AnySource, mpi.AnyTag)
			if err != nil {
				return err
			}
			fs = append(fs, f)
		}
		next := make([]int, c.Size())
		check := func(v []int, st mpi.Status) error {
			i := next[st.Source]
			next[st.Source]++
			if st.Tag != i || !slices.Equal(v, slices.Repeat([]int{i}, 1+i%3*2000)) {
				return fmt.Errorf("%d ints with tag %d of %d, want number %d", len(v), st.Tag, st.Source, i)
			}
			return nil
		}
		for _, f := range fs {
			<-f.Done()
			v, st, err := f.Wait(ctx)
			if err := errors.Join(err, check(v, st)); err != nil {
				return err
			}
		}
		for range each {
			v, st, err := mpi.RecvValue[[]int](ctx, c, mpi.AnySource, mpi.AnyTag)
			if err := errors.Join(err, check(v, st)); err != nil {
				return err
			}
		}
		for range each {
			m, err := c.Mprobe(ctx, mpi.AnySource, mpi.AnyTag)
			if err != nil {
				return err
			}
			v, st, err := mpi.RecvMessageValue[[]int](ctx, m)
			if err := errors.Join(err, check(v, st)); err != nil {
				return err
			}
			if _, _, err := mpi.RecvMessageValue[[]int](ctx, m); !errors.Is(err, mpi.ErrRequest) {
				return fmt.Errorf("received twice: %w", err)
			}
		}
		return c.Barrier(ctx)
	})
}

// A ring of exchanges with values in several pieces, and with nobody.
func TestSendRecvValue(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		v := make([]byte, 20<<20)
		v[len(v)-1] = byte(c.Rank() + 1)
		other := 1 - c.Rank()
		got, st, err := mpi.SendRecvValue[[]byte, []byte](ctx, c, v, other, 1, other, 1)
		if err != nil || len(got) != len(v) || got[len(v)-1] != byte(other+1) || st.Source != other {
			return fmt.Errorf("%d bytes, %+v: %w", len(got), st, err)
		}
		n, st, err := mpi.SendRecvValue[string, int](ctx, c, "x", mpi.ProcNull, 1, mpi.ProcNull, 1)
		if err != nil || n != 0 || st.Source != mpi.ProcNull {
			return fmt.Errorf("of nobody %d, %+v: %w", n, st, err)
		}
		return nil
	})
}

func TestValueRefusals(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		if c.Rank() == 0 {
			if err := mpi.SendValue(ctx, c, func() {}, 1, 1); !errors.Is(err, mpi.ErrType) {
				return fmt.Errorf("a function: %w", err)
			}
			if err := mpi.SendValue(ctx, c, 1, 2, 1); !errors.Is(err, mpi.ErrRank) {
				return fmt.Errorf("rank 2: %w", err)
			}
			if _, err := mpi.IrecvValue[int](c, 0, -7); !errors.Is(err, mpi.ErrTag) {
				return fmt.Errorf("tag -7: %w", err)
			}
			// What is no value, and announcements that cannot be.
			lie := binary.LittleEndian.AppendUint64([]byte{0}, 1<<62)
			return errors.Join(mpi.Send(ctx, c, []int{0, 0, 0}, 1, 1), mpi.Send(ctx, c, append(lie, 1, 2, 3, 4), 1, 1),
				mpi.Send(ctx, c, make([]byte, 5000), 1, 1), mpi.Send(ctx, c, []byte{}, 1, 1))
		}
		for _, want := range []error{mpi.ErrType, mpi.ErrOther, mpi.ErrTruncated, mpi.ErrType} {
			if _, _, err := mpi.RecvValue[int](ctx, c, 0, 1); !errors.Is(err, want) {
				return fmt.Errorf("%w, want %w", err, want)
			}
		}
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		if _, _, err := mpi.RecvValue[int](short, c, 0, 1); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, mpi.ErrPending) {
			return fmt.Errorf("too late: %w", err)
		}
		f, err := mpi.IrecvValue[int](c, 0, 1)
		if err != nil {
			return err
		}
		if _, over, err := f.Test(); over || err != nil {
			return fmt.Errorf("over %v: %w", over, err)
		}
		if err := f.Cancel(); err != nil {
			return err
		}
		if _, st, err := f.Wait(ctx); err != nil || !st.Cancelled {
			return fmt.Errorf("cancelled %+v: %w", st, err)
		}
		return nil
	})
}
