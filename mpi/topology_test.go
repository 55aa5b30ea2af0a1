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

// Grids of all kinds, rings of one and two among them: what is sent downwards comes in from above.
func TestCart(t *testing.T) {
	for _, x := range []struct {
		dims     []int
		periodic []bool
	}{
		{[]int{5}, []bool{false}}, {[]int{5}, []bool{true}}, {[]int{2}, []bool{true}}, {[]int{1}, []bool{true}},
		{[]int{2, 3}, []bool{true, false}}, {[]int{2, 1, 3}, []bool{true, true, true}}, {nil, nil},
	} {
		run(t, 7, func(ctx context.Context, world *mpi.Comm) error {
			g, err := world.CartCreate(ctx, x.dims, x.periodic)
			if err != nil {
				return err
			}
			size := 1
			for _, d := range x.dims {
				size *= d
			}
			if (g != nil) != (world.Rank() < size) {
				return errors.New("a place that is not there")
			}
			if g == nil {
				return nil
			}
			if !slices.Equal(g.Dims(), x.dims) || !slices.Equal(g.Periodic(), x.periodic) {
				return fmt.Errorf("grid of %v, %v", g.Dims(), g.Periodic())
			}
			at, err := g.Coords(g.Rank())
			if err != nil {
				return err
			}
			if r, err := g.RankOf(at...); err != nil || r != g.Rank() {
				return fmt.Errorf("rank %d at %v: %w", r, at, err)
			}
			sources, dests := g.Neighbors()
			if !slices.Equal(sources, dests) || len(dests) != 2*len(x.dims) {
				return fmt.Errorf("neighbours %v, %v", sources, dests)
			}
			// What goes down in a dimension carries 2d, what goes up 2d+1.
			send, recv, want := []int{}, make([]int, len(dests)), make([]int, len(dests))
			for i := range dests {
				recv[i], want[i] = -1, -1
				send = append(send, 100*g.Rank()+i)
				from, to, err := g.Shift(i/2, 1)
				if err != nil {
					return err
				}
				if (i%2 == 0 && dests[i] != from) || (i%2 == 1 && dests[i] != to) {
					return fmt.Errorf("neighbour %d is %d, shift says %d, %d", i, dests[i], from, to)
				}
				if sources[i] != mpi.ProcNull {
					want[i] = 100*sources[i] + i ^ 1
				}
			}
			if err := errors.Join(mpi.NeighborAlltoall(ctx, g.Comm, send, recv), eq("alltoall", recv, want)); err != nil {
				return err
			}
			for i := range want {
				recv[i], want[i] = -1, -1
				if sources[i] != mpi.ProcNull {
					want[i] = sources[i]
				}
			}
			dup, err := g.Dup(ctx)
			if err != nil {
				return err
			}
			if d, ok := mpi.CartOf(dup); !ok || !slices.Equal(d.Dims(), x.dims) {
				return errors.New("a duplicate without grid")
			}
			r, err := mpi.IneighborAllgather(dup, []int{g.Rank()}, recv)
			if err != nil {
				return err
			}
			if _, err := r.Wait(ctx); err != nil {
				return err
			}
			return eq("allgather", recv, want)
		})
	}
}

func TestCartSub(t *testing.T) {
	run(t, 6, func(ctx context.Context, world *mpi.Comm) error {
		g, err := world.CartCreate(ctx, []int{2, 3}, []bool{false, true})
		if err != nil {
			return err
		}
		row, err := g.Sub(ctx, false, true)
		if err != nil {
			return err
		}
		first := g.Rank() / 3 * 3
		if err := works(ctx, world, row.Comm, []int{first, first + 1, first + 2}); err != nil {
			return err
		}
		got := make([]int, 2)
		at := row.Rank()
		if err := mpi.NeighborAllgather(ctx, row.Comm, []int{at}, got); err != nil {
			return err
		}
		if err := eq("row", got, []int{(at + 2) % 3, (at + 1) % 3}); err != nil {
			return err
		}
		if _, err := g.Sub(ctx, true); !errors.Is(err, mpi.ErrDims) {
			return fmt.Errorf("sub: %w", err)
		}
		if _, _, err := g.Shift(2, 1); !errors.Is(err, mpi.ErrDims) {
			return fmt.Errorf("shift: %w", err)
		}
		if _, err := g.Coords(6); !errors.Is(err, mpi.ErrRank) {
			return fmt.Errorf("coords: %w", err)
		}
		if _, err := g.RankOf(2, 0); !errors.Is(err, mpi.ErrArg) {
			return fmt.Errorf("rank: %w", err)
		}
		if _, err := world.CartCreate(ctx, []int{7}, []bool{true}); !errors.Is(err, mpi.ErrDims) {
			return fmt.Errorf("too large: %w", err)
		}
		if _, err := world.CartCreate(ctx, []int{1 + world.Rank()%2}, []bool{true}); !errors.Is(err, mpi.ErrTopology) {
			return fmt.Errorf("different: %w", err)
		}
		if err := mpi.NeighborAllgather(ctx, world, []int{1}, nil); !errors.Is(err, mpi.ErrTopology) {
			return fmt.Errorf("without: %w", err)
		}
		dims, err := mpi.DimsCreate(6, []int{0, 0})
		if err := errors.Join(err, eq("dims", dims, []int{3, 2})); err != nil {
			return err
		}
		if _, err := mpi.DimsCreate(6, []int{4, 0}); !errors.Is(err, mpi.ErrDims) {
			return fmt.Errorf("dims: %w", err)
		}
		return nil
	})
}

func TestGraph(t *testing.T) {
	run(t, 5, func(ctx context.Context, world *mpi.Comm) error { // a star
		g, err := world.GraphCreate(ctx, []int{3, 4, 5, 6}, []int{1, 2, 3, 0, 0, 0})
		if err != nil || (g == nil) != (world.Rank() == 4) {
			return err
		}
		if g != nil {
			mine, err := g.GraphNeighbors(g.Rank())
			if err != nil {
				return err
			}
			got := make([][]int, len(mine))
			want := make([][]int, len(mine))
			for i, r := range mine {
				got[i], want[i] = make([]int, r), slices.Repeat([]int{r}, r)
			}
			if err := mpi.NeighborAllgatherv(ctx, g, slices.Repeat([]int{g.Rank()}, g.Rank()), got); err != nil {
				return err
			}
			for i := range got {
				if err := eq("allgatherv", got[i], want[i]); err != nil {
					return err
				}
			}
			if _, err := g.GraphNeighbors(4); !errors.Is(err, mpi.ErrRank) {
				return fmt.Errorf("neighbours of nobody: %w", err)
			}
		}
		if _, err := world.GraphCreate(ctx, []int{1}, []int{7}); !errors.Is(err, mpi.ErrTopology) {
			return fmt.Errorf("edge to nobody: %w", err)
		}
		if _, err := world.GraphNeighbors(0); !errors.Is(err, mpi.ErrTopology) {
			return fmt.Errorf("no graph: %w", err)
		}
		return nil
	})
}

// Random graphs with several edges between the same members and loops, given by anybody.
func TestDistGraph(t *testing.T) {
	const n = 5
	run(t, n, func(ctx context.Context, world *mpi.Comm) error {
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 3))
			type edge struct{ by, from, to, weight int }
			var edges []edge
			for range r.IntN(15) {
				edges = append(edges, edge{r.IntN(n), r.IntN(n), r.IntN(n), r.IntN(100)})
			}
			slices.SortStableFunc(edges, func(a, b edge) int { return a.by - b.by })
			me := world.Rank()
			var sources, degrees, dests, weights []int
			weights = []int{}
			var in, out, inWeights, outWeights []int
			for _, e := range edges {
				if e.by == me {
					sources, degrees, dests, weights = append(sources, e.from), append(degrees, 1), append(dests, e.to), append(weights, e.weight)
				}
				if e.to == me {
					in, inWeights = append(in, e.from), append(inWeights, e.weight)
				}
				if e.from == me {
					out, outWeights = append(out, e.to), append(outWeights, e.weight)
				}
			}
			g, err := world.DistGraphCreate(ctx, sources, degrees, dests, weights)
			if err != nil {
				return err
			}
			s, d := g.Neighbors()
			sw, dw, err := g.EdgeWeights()
			if err := errors.Join(err, eq("sources", s, in), eq("dests", d, out), eq("in", sw, inWeights), eq("out", dw, outWeights)); err != nil {
				return err
			}
			h, err := world.DistGraphCreateAdjacent(ctx, in, nil, out, nil)
			if err != nil {
				return err
			}
			for _, c := range []*mpi.Comm{g, h} {
				got := make([]int, len(in))
				if err := errors.Join(mpi.NeighborAlltoall(ctx, c, outWeights, got), eq("weights", got, inWeights)); err != nil {
					return fmt.Errorf("seed %d: %w", seed, err)
				}
			}
		}
		bad := []int{}
		if world.Rank() == 2 {
			bad = []int{3}
		}
		if _, err := world.DistGraphCreateAdjacent(ctx, nil, nil, bad, nil); !errors.Is(err, mpi.ErrTopology) {
			return fmt.Errorf("half an edge: %w", err)
		}
		if world.Rank() == 2 {
			bad = []int{n}
		}
		if _, err := world.DistGraphCreateAdjacent(ctx, bad, nil, nil, nil); !errors.Is(err, mpi.ErrTopology) {
			return fmt.Errorf("edge from nobody: %w", err)
		}
		return nil
	})
}
