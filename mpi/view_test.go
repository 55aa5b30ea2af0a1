package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// randomView is a view without overlap of a slice of n elements, and the elements that it means.
func randomView(r *rand.Rand, n int) (mpi.View, []int) {
	var at []int
	run := func(from, k int) {
		for i := range k {
			at = append(at, from+i)
		}
	}
	switch r.IntN(5) {
	case 0:
		run(0, n)
		return mpi.View{}, at
	case 1:
		block := 1 + r.IntN(3)
		stride := block + r.IntN(4)
		count := (n - block) / stride
		for i := range count {
			run(i*stride, block)
		}
		return mpi.Vector(count, block, stride), at
	case 2:
		var lens, displs []int
		for from := r.IntN(3); from < n; {
			k := r.IntN(min(4, n-from+1))
			lens, displs = append(lens, k), append(displs, from)
			from += k + r.IntN(3)
		}
		r.Shuffle(len(lens), func(i, j int) { lens[i], lens[j], displs[i], displs[j] = lens[j], lens[i], displs[j], displs[i] })
		for i := range lens {
			run(displs[i], lens[i])
		}
		return mpi.Indexed(lens, displs), at
	case 3:
		var displs []int
		for from := 0; from+2 <= n; from += 2 + r.IntN(3) {
			displs = append(displs, from)
			run(from, 2)
		}
		return mpi.IndexedBlock(2, displs), at
	}
	rows, cols := 4, n/4
	a, b := r.IntN(rows+1), r.IntN(cols+1)
	x, y := r.IntN(rows-a+1), r.IntN(cols-b+1)
	for i := range a {
		run((x+i)*cols+y, b)
	}
	return mpi.Subarray([]int{rows, cols}, []int{a, b}, []int{x, y}), at
}

// Both sides have layouts of their own; what lies between the elements stays.
func TestViewsProperty(t *testing.T) {
	for _, p := range []string{"mem", "shm"} {
		run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
			for seed := range uint64(60) {
				r := rand.New(rand.NewPCG(seed, 4))
				n := 8 + r.IntN(40)
				if seed%10 == 0 {
					n = 9000
				}
				from, sent := randomView(r, n)
				to, got := randomView(r, n)
				if len(sent) > len(got) {
					from, to, sent, got = to, from, got, sent
				}
				src, dst, want := make([]int32, n), make([]int32, n), make([]int32, n)
				for i := range src {
					src[i], dst[i], want[i] = int32(i+1), -1, -1
				}
				for i, at := range sent {
					want[got[i]] = src[at]
				}
				var err error
				if c.Rank() == 0 {
					if err = mpi.SendView(ctx, c, src, from, 1, 1); err == nil {
						var r *mpi.Request
						if r, err = mpi.IsendView(c, src, from, 1, 2); err == nil {
							_, err = r.Wait(ctx)
						}
					}
					if err != nil {
						return err
					}
					continue
				}
				st, err := mpi.RecvView(ctx, c, dst, to, 0, 1)
				if err := errors.Join(err, eq("received", dst, want)); err != nil || st.Bytes != 4*len(sent) {
					return fmt.Errorf("seed %d: %+v: %w", seed, st, err)
				}
				for i := range dst {
					dst[i] = -1
				}
				q, err := mpi.IrecvView(c, dst, to, mpi.AnySource, mpi.AnyTag)
				if err != nil {
					return err
				}
				if _, err := q.Wait(ctx); err != nil {
					return err
				}
				if err := eq("received", dst, want); err != nil {
					return fmt.Errorf("seed %d: %w", seed, err)
				}
			}
			return nil
		}, mpi.WithProvider(p))
	}
}

// The borders of a grid of 2 by 2 matrices, in rings: rows lie side by side, columns do not.
func TestHalo(t *testing.T) {
	const rows, cols = 5, 6
	run(t, 4, func(ctx context.Context, world *mpi.Comm) error {
		g, err := world.CartCreate(ctx, []int{2, 2}, []bool{true, true})
		if err != nil {
			return err
		}
		row, col := mpi.Vector(1, cols-2, cols), mpi.Vector(rows-2, 1, cols)
		m := make([]float64, rows*cols)
		fill := func() {
			for i := range m {
				m[i] = -1
				if r, c := i/cols, i%cols; r > 0 && r < rows-1 && c > 0 && c < cols-1 {
					m[i] = float64(1000*g.Rank() + i)
				}
			}
		}
		check := func() error {
			for dim := range 2 {
				from, to, err := g.Shift(dim, 1)
				if err != nil {
					return err
				}
				for i := 1; i < cols-1 && dim == 0; i++ {
					if m[i] != float64(1000*from+(rows-2)*cols+i) || m[(rows-1)*cols+i] != float64(1000*to+cols+i) {
						return fmt.Errorf("column %d: %v, %v", i, m[i], m[(rows-1)*cols+i])
					}
				}
				for i := 1; i < rows-1 && dim == 1; i++ {
					if m[i*cols] != float64(1000*from+i*cols+cols-2) || m[i*cols+cols-1] != float64(1000*to+i*cols+1) {
						return fmt.Errorf("row %d: %v, %v", i, m[i*cols], m[i*cols+cols-1])
					}
				}
			}
			return nil
		}
		fill()
		inner := []mpi.Block{mpi.BlockOf(m[cols+1:], row), mpi.BlockOf(m[(rows-2)*cols+1:], row), mpi.BlockOf(m[cols+1:], col), mpi.BlockOf(m[2*cols-2:], col)}
		outer := []mpi.Block{mpi.BlockOf(m[1:], row), mpi.BlockOf(m[(rows-1)*cols+1:], row), mpi.BlockOf(m[cols:], col), mpi.BlockOf(m[2*cols-1:], col)}
		if err := errors.Join(mpi.NeighborAlltoallw(ctx, g.Comm, inner, outer), check()); err != nil {
			return err
		}
		p, err := mpi.NeighborAlltoallwInit(g.Comm, inner, outer)
		if err != nil {
			return err
		}
		for range 3 {
			fill()
			if err := p.Start(); err != nil {
				return err
			}
			if _, err := p.Wait(ctx); err != nil {
				return err
			}
			if err := check(); err != nil {
				return err
			}
		}
		fill() // by messages, in and out of one slice
		for i := range 4 {
			from, to, err := g.Shift(i/2, 1-2*(i%2))
			if err != nil {
				return err
			}
			v := []mpi.View{row, row, col, col}[i]
			src := [][]float64{m[(rows-2)*cols+1:], m[cols+1:], m[2*cols-2:], m[cols+1:]}[i]
			dst := [][]float64{m[1:], m[(rows-1)*cols+1:], m[cols:], m[2*cols-1:]}[i]
			if _, err := mpi.SendRecvView(ctx, g.Comm, src, v, to, i, dst, v, from, i); err != nil {
				return err
			}
		}
		return check()
	})
}

// A matrix is handed out and collected by columns, and transposed.
func TestViewCollectives(t *testing.T) {
	const n = 4
	run(t, n, func(ctx context.Context, c *mpi.Comm) error {
		m, back := make([]int32, n*n), make([]int32, n*n)
		var cols, backs []mpi.Block
		for i := range m {
			m[i] = int32(i)
		}
		for i := range n {
			cols, backs = append(cols, mpi.BlockOf(m[i:], mpi.Vector(n, 1, n))), append(backs, mpi.BlockOf(back[i:], mpi.Vector(n, 1, n)))
		}
		col, want := make([]int32, n), make([]int32, n)
		for i := range want {
			want[i] = int32(n*i + c.Rank())
		}
		if err := errors.Join(mpi.ScatterView(ctx, c, cols, col, mpi.View{}, 1), eq("scatter", col, want)); err != nil {
			return err
		}
		if err := mpi.GatherView(ctx, c, col, mpi.View{}, backs, 2); err != nil {
			return err
		}
		if c.Rank() == 2 {
			if err := eq("gather", back, m); err != nil {
				return err
			}
		}
		// Rank 3 sends its second column, others put it into their first ones.
		x := slices.Repeat([]int32{-1}, n*n)
		if c.Rank() == 3 {
			copy(x, m)
		}
		from := 0
		if c.Rank() == 3 {
			from = 1
		}
		if err := mpi.BcastView(ctx, c, x[from:], mpi.Vector(n, 1, n), 3); err != nil {
			return err
		}
		for i := range x {
			want := int32(-1)
			switch {
			case c.Rank() == 3:
				want = m[i]
			case i%n == 0:
				want = int32(i + 1)
			}
			if x[i] != want {
				return fmt.Errorf("bcast: element %d is %d, want %d", i, x[i], want)
			}
		}
		// My row i of mine goes to rank i, as a column there: all ranks' rows make the transpose.
		rows := make([]mpi.Block, n)
		for i := range rows {
			rows[i] = mpi.BlockOf(m[i*n:(i+1)*n], mpi.View{})
		}
		clear(back)
		r, err := mpi.Ialltoallw(c, rows, backs)
		if err != nil {
			return err
		}
		if _, err := r.Wait(ctx); err != nil {
			return err
		}
		for i, v := range back {
			if want := int32(c.Rank()*n + i/n); v != want {
				return fmt.Errorf("alltoallw: element %d is %d, want %d", i, v, want)
			}
		}
		return nil
	})
}

func TestWinView(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int32](ctx, c, 20)
		if err != nil {
			return err
		}
		for i := range w.Local() {
			w.Local()[i] = -1
		}
		if err := w.Fence(ctx); err != nil {
			return err
		}
		src := []int32{1, 0, 2, 0, 3, 0}
		every := mpi.Vector(3, 1, 2)
		if c.Rank() == 0 {
			if err := w.PutView(src, every, 1, 5, mpi.Indexed([]int{2, 1}, []int{4, 0})); err != nil {
				return err
			}
			for what, err := range map[string]error{
				"range":  w.PutView(src, every, 1, 15, mpi.Vector(3, 1, 4)),
				"length": w.PutView(src, every, 1, 0, mpi.Vector(2, 1, 4)),
				"src":    w.PutView(src[:4], every, 1, 0, mpi.View{}),
				"view":   w.PutView(src, every, 1, 0, mpi.Vector(-1, 1, 1)),
				"twice":  w.PutView(src, every, 1, 0, mpi.Vector(3, 1, 0)),
			} {
				want := map[string]error{"range": mpi.ErrRMARange, "length": mpi.ErrCount}[what]
				if want == nil {
					want = mpi.ErrArg
				}
				if !errors.Is(err, want) {
					return fmt.Errorf("%s: %w", what, err)
				}
			}
		}
		if err := w.Fence(ctx); err != nil {
			return err
		}
		want := slices.Repeat([]int32{-1}, 20)
		if c.Rank() == 1 {
			want[9], want[10], want[5] = 1, 2, 3
		}
		if err := eq("put", w.Local(), want); err != nil {
			return err
		}
		if err := w.Fence(ctx); err != nil {
			return err
		}
		got := make([]int32, 6)
		if c.Rank() == 0 {
			if err := w.GetView(got, every, 1, 5, mpi.Indexed([]int{2, 1}, []int{4, 0})); err != nil {
				return err
			}
		}
		if err := w.Fence(ctx); err != nil {
			return err
		}
		if c.Rank() == 0 {
			if err := errors.Join(eq("get", got, src), w.AccumulateView(src, every, 1, 0, mpi.View{}, mpi.Sum)); err != nil {
				return err
			}
		} else {
			want[0], want[1], want[2] = 0, 1, 2
		}
		if err := w.Fence(ctx); err != nil {
			return err
		}
		return errors.Join(eq("accumulate", w.Local(), want), w.Free(ctx))
	})
}

func TestViewRefusals(t *testing.T) {
	run(t, 1, func(ctx context.Context, c *mpi.Comm) error {
		buf := make([]int, 10)
		for what, err := range map[string]error{
			"beyond":    mpi.SendView(ctx, c, buf, mpi.Vector(4, 1, 4), 0, 1),
			"cannot be": mpi.SendView(ctx, c, buf, mpi.Indexed([]int{1}, nil), 0, 1),
			"negative":  mpi.SendView(ctx, c, buf, mpi.Subarray([]int{2, 5}, []int{1, 1}, []int{-1, 0}), 0, 1),
		} {
			if !errors.Is(err, mpi.ErrArg) {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		if _, err := mpi.RecvView(ctx, c, buf, mpi.IndexedBlock(2, []int{0, 1}), 0, 1); !errors.Is(err, mpi.ErrArg) {
			return fmt.Errorf("twice: %w", err)
		}
		if err := mpi.SendView(ctx, c, []*int{nil}, mpi.View{}, 0, 1); !errors.Is(err, mpi.ErrType) {
			return fmt.Errorf("pointers: %w", err)
		}
		if err := mpi.SendView(ctx, c, buf, mpi.Vector(2, 1, 2), 1, 1); !errors.Is(err, mpi.ErrRank) {
			return fmt.Errorf("rank: %w", err)
		}
		if err := mpi.BcastView(ctx, c, buf, mpi.Vector(20, 1, 2), 0); !errors.Is(err, mpi.ErrArg) {
			return fmt.Errorf("bcast: %w", err)
		}
		v := mpi.Vector(2, 1, 2)
		if v.Len() != 2 || v.End() != 3 || v.Err() != nil || (mpi.View{}).Len() != -1 || (mpi.View{}).End() != 0 {
			return errors.New("length of a view")
		}
		return nil
	})
}
