package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/mpi/local"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run runs a job of n ranks over mem.
func run(t *testing.T, n int, f func(ctx context.Context, c *mpi.Comm) error, opts ...mpi.Option) {
	t.Helper()
	if err := local.Run(t.Context(), n, f, opts...); err != nil {
		t.Error(err)
	}
}

func TestSendRecv(t *testing.T) {
	for _, size := range []int{0, 1, 10, 1000, 10_000, 1_000_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
				buf := make([]int32, size)
				if c.Rank() == 0 {
					for i := range buf {
						buf[i] = int32(i)
					}
					return mpi.Send(ctx, c, buf, 1, 11)
				}
				st, err := mpi.Recv(ctx, c, buf, 0, 11)
				if err != nil {
					return err
				}
				if want := (mpi.Status{Source: 0, Tag: 11, Bytes: 4 * size}); st != want {
					return fmt.Errorf("status %+v, want %+v", st, want)
				}
				for i, v := range buf {
					if v != int32(i) {
						return fmt.Errorf("element %d is %d", i, v)
					}
				}
				return nil
			})
		})
	}
}

// Messages of one sender arrive in order, whatever their sizes and whoever asks.
func TestOrder(t *testing.T) {
	sizes := []int{1, 100_000, 2, 5000, 300_000, 1}
	run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		const rounds = 20
		if c.Rank() > 0 {
			for i := range rounds {
				for k, n := range sizes {
					buf := make([]int64, n)
					buf[0] = int64(i*len(sizes) + k)
					if err := mpi.Send(ctx, c, buf, 0, 5); err != nil {
						return err
					}
				}
			}
			return nil
		}
		next := make([]int64, 3)
		buf := make([]int64, slices.Max(sizes))
		for range 2 * rounds * len(sizes) {
			st, err := mpi.Recv(ctx, c, buf, mpi.AnySource, mpi.AnyTag)
			if err != nil {
				return err
			}
			if buf[0] != next[st.Source] || st.Bytes != 8*sizes[int(buf[0])%len(sizes)] {
				return fmt.Errorf("got %d of %d bytes from %d, want %d", buf[0], st.Bytes, st.Source, next[st.Source])
			}
			next[st.Source]++
		}
		return nil
	})
}

func TestToSelf(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		for _, c := range []*mpi.Comm{c, c.Self()} {
			r, err := mpi.Isend(c, []string{}[:0:0], 0, 0)
			if !errors.Is(err, mpi.ErrType) || r != nil {
				return fmt.Errorf("strings were sent: %v", err)
			}
			got := []int{0}
			st, err := mpi.SendRecv(ctx, c, []int{c.Rank() + 7}, c.Rank(), 1, got, c.Rank(), 1)
			if err != nil || got[0] != c.Rank()+7 || st.Source != c.Rank() {
				return fmt.Errorf("got %d, status %+v, error %v", got[0], st, err)
			}
		}
		return nil
	})
}

func TestTruncated(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		for _, n := range []int{3, 100_000} {
			if c.Rank() == 0 {
				if err := mpi.Send(ctx, c, make([]int64, n), 1, 0); err != nil {
					return err
				}
				continue
			}
			st, err := mpi.Recv(ctx, c, make([]int64, 2), 0, 0)
			if !errors.Is(err, mpi.ErrTruncated) || st.Bytes != 8*n {
				return fmt.Errorf("%d elements: %+v, %v", n, st, err)
			}
		}
		return nil
	})
}

func TestBadArguments(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		one := []int{1}
		for _, bad := range []struct {
			want mpi.Class
			err  error
		}{
			{mpi.ErrRank, mpi.Send(ctx, c, one, 2, 0)},
			{mpi.ErrRank, mpi.Send(ctx, c, one, mpi.AnySource, 0)},
			{mpi.ErrTag, mpi.Send(ctx, c, one, 0, -1)},
			{mpi.ErrTag, mpi.Ssend(ctx, c, one, 0, mpi.MaxTag+1)},
			{mpi.ErrComm, mpi.Send(ctx, nil, one, 0, 0)},
			{mpi.ErrType, mpi.Bsend(ctx, c, []*int{}, 0, 0)},
		} {
			if !errors.Is(bad.err, bad.want) {
				return fmt.Errorf("want %v, got %v", bad.want, bad.err)
			}
		}
		_, err := mpi.Recv(ctx, c, one, 5, 0)
		if !errors.Is(err, mpi.ErrRank) {
			return err
		}
		_, err = mpi.Recv(ctx, c, one, mpi.ProcNull, 0)
		return err
	})
}

// The end of a context withdraws a receive and leaves everything else as it is.
func TestContextWithdraws(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		one := []int{1}
		if c.Rank() == 1 {
			ended, cancel := context.WithCancel(ctx)
			cancel()
			if _, err := mpi.Recv(ended, c, one, 0, 3); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("an ended context: %v", err)
			}
		}
		if err := c.Barrier(ctx); err != nil {
			return err
		}
		if c.Rank() == 0 {
			return mpi.Send(ctx, c, []int{8}, 1, 3)
		}
		if _, err := mpi.Recv(ctx, c, one, 0, 3); err != nil || one[0] != 8 {
			return fmt.Errorf("got %d, %v", one[0], err)
		}
		return nil
	})
}

func TestModes(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		for _, n := range []int{1, 100_000} {
			buf := make([]int64, n)
			if c.Rank() == 0 {
				r, err := mpi.Issend(c, buf, 1, 1)
				if err != nil {
					return err
				}
				if _, over, _ := r.Test(); over {
					return errors.New("a synchronous send was over before its receive")
				}
				if err := mpi.Bsend(ctx, c, buf, 1, 2); err != nil {
					return err
				}
				if err := mpi.Send(ctx, c, []int{0}, 1, 3); err != nil {
					return err
				}
				if _, err := r.Wait(ctx); err != nil {
					return err
				}
				continue
			}
			for _, tag := range []int{3, 2, 1} {
				if st, err := mpi.Recv(ctx, c, buf, mpi.AnySource, tag); err != nil || st.Tag != tag {
					return fmt.Errorf("%+v, %w", st, err)
				}
			}
		}
		return nil
	})
}

// The modes of requests and of persistent ones arrive like any other.
func TestModesOfRequests(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		for _, n := range []int{1, 100_000} {
			buf := make([]int64, n)
			if c.Rank() == 1 {
				for tag := range int64(4) {
					if _, err := mpi.Recv(ctx, c, buf, 0, int(tag)); err != nil || buf[n-1] != tag {
						return fmt.Errorf("tag %d: %d, %w", tag, buf[n-1], err)
					}
				}
				continue
			}
			b, err := mpi.BsendInit(c, buf, 1, 2)
			if err != nil {
				return err
			}
			r, err := mpi.RsendInit(c, buf, 1, 3)
			if err != nil {
				return err
			}
			for tag, start := range []func() (*mpi.Request, error){
				func() (*mpi.Request, error) { return mpi.Ibsend(c, buf, 1, 0) },
				func() (*mpi.Request, error) { return mpi.Irsend(c, buf, 1, 1) },
				func() (*mpi.Request, error) { return b.Request, b.Start() },
				func() (*mpi.Request, error) { return r.Request, r.Start() },
			} {
				buf[n-1] = int64(tag)
				q, err := start()
				if err != nil {
					return err
				}
				if _, over, err := q.Test(); tag%2 == 0 && (!over || err != nil) {
					return fmt.Errorf("a send that copies goes on: %w", err)
				}
				if _, err := q.Wait(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func TestProbe(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		for _, n := range []int{3, 100_000} {
			if err := c.Barrier(ctx); err != nil {
				return err
			}
			if c.Rank() == 0 {
				if err := mpi.Send(ctx, c, make([]int16, n), 1, 9); err != nil {
					return err
				}
				continue
			}
			st, err := c.Probe(ctx, mpi.AnySource, mpi.AnyTag)
			if err != nil {
				return err
			}
			m, err := c.Mprobe(ctx, st.Source, st.Tag)
			if err != nil {
				return err
			}
			if _, found, err := c.Iprobe(mpi.AnySource, mpi.AnyTag); found || err != nil {
				return fmt.Errorf("a message that was taken is there: %v", err)
			}
			buf := make([]int16, m.Status.Bytes/2)
			got, err := mpi.RecvMessage(ctx, m, buf)
			if err != nil || got != st || len(buf) != n {
				return fmt.Errorf("%+v and %+v, %d elements: %w", st, got, len(buf), err)
			}
			if _, err := mpi.RecvMessage(ctx, m, buf); !errors.Is(err, mpi.ErrRequest) {
				return fmt.Errorf("received twice: %v", err)
			}
		}
		return nil
	})
}

func TestRequests(t *testing.T) {
	run(t, 4, func(ctx context.Context, c *mpi.Comm) error {
		n := c.Size()
		got := make([][]int, n)
		var rs []*mpi.Request
		for src := range n {
			got[src] = make([]int, 1)
			r, err := mpi.Irecv(c, got[src], src, 0)
			if err != nil {
				return err
			}
			rs = append(rs, r)
		}
		if err := c.Barrier(ctx); err != nil {
			return err
		}
		for dst := range n {
			r, err := mpi.Isend(c, []int{10*c.Rank() + dst}, dst, 0)
			if err != nil {
				return err
			}
			rs = append(rs, r)
		}
		seen := 0
		for i, st := range mpi.Completions(ctx, rs...) {
			seen++
			if i < n && (st.Source != i || got[i][0] != 10*i+c.Rank()) {
				return fmt.Errorf("request %d: %+v, %d", i, st, got[i][0])
			}
		}
		if seen != 2*n {
			return fmt.Errorf("%d of %d requests", seen, 2*n)
		}
		return nil
	})
}

func TestDone(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		if c.Rank() == 0 {
			if _, err := mpi.Recv(ctx, c, []int{0}, 1, 1); err != nil { // the other sleeps, or will
				return err
			}
			return mpi.Send(ctx, c, make([]int, 10_000), 1, 0)
		}
		buf := make([]int, 10_000)
		r, err := mpi.Irecv(c, buf, 0, 0)
		if err != nil {
			return err
		}
		if err := mpi.Send(ctx, c, []int{1}, 0, 1); err != nil {
			return err
		}
		select {
		case <-r.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
		_, err = r.Wait(ctx)
		return err
	})
}

func TestPersistent(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		buf := make([]int, 2000)
		var p *mpi.Persistent
		var err error
		if c.Rank() == 0 {
			p, err = mpi.SendInit(c, buf, 1, 0)
		} else {
			p, err = mpi.RecvInit(c, buf, 0, 0)
		}
		if err != nil {
			return err
		}
		for i := range 10 {
			if c.Rank() == 0 {
				buf[0] = i
			}
			if err := p.Start(); err != nil {
				return err
			}
			if _, err := p.Wait(ctx); err != nil {
				return err
			}
			if buf[0] != i {
				return fmt.Errorf("round %d: %d", i, buf[0])
			}
		}
		return nil
	})
}

func TestDup(t *testing.T) {
	run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		d, err := c.Dup(ctx)
		if err != nil {
			return err
		}
		defer d.Close()
		right, left := (c.Rank()+1)%3, (c.Rank()+2)%3
		for i, c := range []*mpi.Comm{c, d} {
			if err := mpi.Send(ctx, c, []int{i}, right, 0); err != nil {
				return err
			}
		}
		for i, c := range []*mpi.Comm{d, c} {
			got := []int{0}
			if _, err := mpi.Recv(ctx, c, got, left, 0); err != nil || got[0] != 1-i {
				return fmt.Errorf("got %d, %v", got[0], err)
			}
		}
		return nil
	})
}

func TestTypeCheck(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		if c.Rank() == 0 {
			return mpi.Send(ctx, c, []float64{1}, 1, 0)
		}
		_, err := mpi.Recv(ctx, c, []int32{0, 0}, 0, 0)
		if !errors.Is(err, mpi.ErrType) {
			return fmt.Errorf("float64 as int32: %v", err)
		}
		return nil
	}, mpi.WithTypeCheck())
}
