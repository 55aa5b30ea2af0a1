package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/mpi/local"
)

// matrix is a pair of integers under multiplication of upper triangular matrices, which is associative and does not commute.
type matrix struct{ A, B int64 }

var times = mpi.OpFunc(func(acc, in []matrix) {
	for i, y := range in {
		x := acc[i]
		acc[i] = matrix{x.A * y.A, x.A*y.B + x.B}
	}
}, false)

// input is what a member contributes: the same wherever it is asked for.
func input[T any](seed uint64, rank, n int, make1 func(*rand.Rand) T) []T {
	r := rand.New(rand.NewPCG(seed, uint64(rank)))
	v := make([]T, n)
	for i := range v {
		v[i] = make1(r)
	}
	return v
}

// trial is one random problem for elements of a type.
type trial[T comparable] struct {
	c     *mpi.Comm
	seed  uint64
	count int
	root  int
	place bool // in place
	op    mpi.Op
	fold  func(a, b T) T
	make1 func(*rand.Rand) T
}

func (p *trial[T]) in(rank, n int) []T { return input(p.seed, rank, n, p.make1) }

// reduced is the serial reference: members 0 to last, elements from up to to of n.
func (p *trial[T]) reduced(last, n, from, to int) []T {
	acc := p.in(0, n)[from:to]
	for r := 1; r <= last; r++ {
		for i, x := range p.in(r, n)[from:to] {
			acc[i] = p.fold(acc[i], x)
		}
	}
	return acc
}

// all runs every operation that is not rooted, and every rooted one.
func (p *trial[T]) all(ctx context.Context) error {
	for _, f := range []func(context.Context) error{p.bcast, p.gathers, p.scatters, p.alltoalls, p.reductions, p.reduceScatters, p.vectors} {
		if err := f(ctx); err != nil {
			return fmt.Errorf("seed %d, count %d, root %d, in place %v: %w", p.seed, p.count, p.root, p.place, err)
		}
	}
	return nil
}

func (p *trial[T]) bcast(ctx context.Context) error {
	buf := p.in(p.c.Rank(), p.count)
	if err := mpi.Bcast(ctx, p.c, buf, p.root); err != nil {
		return err
	}
	return eq("bcast", buf, p.in(p.root, p.count))
}

// everybody is what all members contribute, in order.
func (p *trial[T]) everybody() (all []T) {
	for r := range p.c.Size() {
		all = append(all, p.in(r, p.count)...)
	}
	return all
}

func (p *trial[T]) gathers(ctx context.Context) error {
	c, mine, all := p.c, p.in(p.c.Rank(), p.count), p.everybody()
	recv := make([]T, len(all))
	copy(recv[c.Rank()*p.count:], mine)
	send := mine
	if p.place && c.Rank() == p.root {
		send = nil
	}
	if err := mpi.Gather(ctx, c, send, recv, p.root); err != nil {
		return err
	}
	if c.Rank() == p.root {
		if err := eq("gather", recv, all); err != nil {
			return err
		}
	}
	clear(recv)
	send = mine
	if p.place {
		copy(recv[c.Rank()*p.count:], mine)
		send = nil
	}
	if err := mpi.Allgather(ctx, c, send, recv); err != nil {
		return err
	}
	return eq("allgather", recv, all)
}

func (p *trial[T]) scatters(ctx context.Context) error {
	c := p.c
	all := p.in(p.root, p.count*c.Size())
	want := all[c.Rank()*p.count:][:p.count]
	recv := make([]T, p.count)
	if p.place && c.Rank() == p.root {
		return mpi.Scatter(ctx, c, all, nil, p.root)
	}
	send := all
	if c.Rank() != p.root {
		send = nil
	}
	if err := mpi.Scatter(ctx, c, send, recv, p.root); err != nil {
		return err
	}
	return eq("scatter", recv, want)
}

func (p *trial[T]) alltoalls(ctx context.Context) error {
	c, n := p.c, p.count*p.c.Size()
	send, recv := p.in(c.Rank(), n), make([]T, n)
	var want []T
	for r := range c.Size() {
		want = append(want, p.in(r, n)[c.Rank()*p.count:][:p.count]...)
	}
	if p.place {
		send, recv = nil, send
	}
	if err := mpi.Alltoall(ctx, c, send, recv); err != nil {
		return err
	}
	return eq("alltoall", recv, want)
}

func (p *trial[T]) reductions(ctx context.Context) error {
	c, last := p.c, p.c.Size()-1
	buffers := func(place bool) (send, recv []T) {
		if place {
			return nil, p.in(c.Rank(), p.count)
		}
		return p.in(c.Rank(), p.count), make([]T, p.count)
	}
	send, recv := buffers(p.place && c.Rank() == p.root)
	if err := mpi.Reduce(ctx, c, send, recv, p.op, p.root); err != nil {
		return err
	}
	if c.Rank() == p.root {
		if err := eq("reduce", recv, p.reduced(last, p.count, 0, p.count)); err != nil {
			return err
		}
	}
	send, recv = buffers(p.place)
	if err := mpi.Allreduce(ctx, c, send, recv, p.op); err != nil {
		return err
	}
	if err := eq("allreduce", recv, p.reduced(last, p.count, 0, p.count)); err != nil {
		return err
	}
	send, recv = buffers(p.place)
	if err := mpi.Scan(ctx, c, send, recv, p.op); err != nil {
		return err
	}
	if err := eq("scan", recv, p.reduced(c.Rank(), p.count, 0, p.count)); err != nil {
		return err
	}
	send, recv = buffers(p.place)
	if err := mpi.Exscan(ctx, c, send, recv, p.op); err != nil || c.Rank() == 0 {
		return err
	}
	return eq("exscan", recv, p.reduced(c.Rank()-1, p.count, 0, p.count))
}

func (p *trial[T]) reduceScatters(ctx context.Context) error {
	c, last, n := p.c, p.c.Size()-1, p.count*p.c.Size()
	send, recv := p.in(c.Rank(), n), make([]T, p.count)
	if p.place {
		send, recv = nil, send
	}
	if err := mpi.ReduceScatterBlock(ctx, c, send, recv, p.op); err != nil {
		return err
	}
	want := p.reduced(last, n, c.Rank()*p.count, (c.Rank()+1)*p.count)
	if err := eq("reduce_scatter_block", recv[:p.count], want); err != nil {
		return err
	}
	counts, at := make([]int, c.Size()), make([]int, c.Size()+1)
	r := rand.New(rand.NewPCG(p.seed, 999))
	for i := range counts {
		counts[i] = r.IntN(p.count + 1)
		at[i+1] = at[i] + counts[i]
	}
	n = at[c.Size()]
	send, recv = p.in(c.Rank(), n), make([]T, counts[c.Rank()])
	if p.place {
		send, recv = nil, send
	}
	if err := mpi.ReduceScatter(ctx, c, send, recv, counts, p.op); err != nil {
		return err
	}
	return eq("reduce_scatter", recv[:counts[c.Rank()]], p.reduced(last, n, at[c.Rank()], at[c.Rank()+1]))
}

// vectors runs the forms whose blocks differ.
func (p *trial[T]) vectors(ctx context.Context) error {
	c, me := p.c, p.c.Rank()
	size := func(from, to int) int { return (p.count + 3*from + 5*to) % (p.count + 1) }
	part := func(from, to int) []T { return input(p.seed+uint64(to), from, size(from, to), p.make1) }
	room := func(to int, own []T) (recv, want [][]T) {
		for r := range c.Size() {
			recv, want = append(recv, make([]T, size(r, to))), append(want, part(r, to))
		}
		copy(recv[me], own)
		return recv, want
	}
	check := func(what string, got, want [][]T) error {
		for i := range want {
			if err := eq(fmt.Sprint(what, " block ", i), got[i], want[i]); err != nil {
				return err
			}
		}
		return nil
	}
	send := part(me, 0)
	recv, want := room(0, send)
	if p.place {
		send = nil
	}
	if err := mpi.Allgatherv(ctx, c, send, recv); err != nil {
		return err
	}
	if err := check("allgatherv", recv, want); err != nil {
		return err
	}
	recv, want = room(1, nil)
	if err := mpi.Gatherv(ctx, c, part(me, 1), recv, p.root); err != nil {
		return err
	}
	if me == p.root {
		if err := check("gatherv", recv, want); err != nil {
			return err
		}
	}
	var out [][]T
	for r := range c.Size() {
		out = append(out, part(me, r))
	}
	recv, want = room(me, nil)
	if err := mpi.Alltoallv(ctx, c, out, recv); err != nil {
		return err
	}
	if err := check("alltoallv", recv, want); err != nil {
		return err
	}
	got := make([]T, size(p.root, me))
	if err := mpi.Scatterv(ctx, c, out, got, p.root); err != nil {
		return err
	}
	return eq("scatterv", got, part(p.root, me))
}

// random runs trials on elements of different types.
func random(ctx context.Context, c *mpi.Comm, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 1))
	count := []int{0, 1, 2, 7, 40, 700, 6000}[r.IntN(7)]
	root, place := r.IntN(c.Size()), r.IntN(3) == 0
	ints := trial[int32]{c, seed, count, root, place, mpi.Sum, func(a, b int32) int32 { return a + b }, (*rand.Rand).Int32}
	if err := ints.all(ctx); err != nil {
		return err
	}
	top := trial[float64]{c, seed, count, root, place, mpi.Max, func(a, b float64) float64 { return max(a, b) }, (*rand.Rand).Float64}
	if err := top.all(ctx); err != nil {
		return err
	}
	ordered := trial[matrix]{c, seed, count, root, place, times, func(x, y matrix) matrix { return matrix{x.A * y.A, x.A*y.B + x.B} },
		func(r *rand.Rand) matrix { return matrix{r.Int64(), r.Int64()} }}
	return ordered.all(ctx)
}

// Every operation gives what one process would have computed.
func TestAgainstSerial(t *testing.T) {
	for _, provider := range []string{"mem", "shm"} {
		for _, n := range []int{1, 2, 3, 5, 8} {
			if provider == "shm" && (n == 1 || n == 8) {
				continue
			}
			t.Run(fmt.Sprint(provider, n), func(t *testing.T) {
				run(t, n, func(ctx context.Context, c *mpi.Comm) error {
					for seed := range uint64(6) {
						if err := random(ctx, c, 100*uint64(n)+seed); err != nil {
							return err
						}
					}
					return nil
				}, mpi.WithProvider(provider))
			})
		}
	}
}

// Sums of floats are as near to the exact ones as the analysis of errors says: n-1 additions, each off by half a unit in the
// last place of what it is added to; and all members have the same bits.
func TestFloatSums(t *testing.T) {
	const n = 5
	run(t, n, func(ctx context.Context, c *mpi.Comm) error {
		for i, count := range []int{1, 3, 500, 20_000} {
			p := trial[float64]{c: c, seed: uint64(i), make1: func(r *rand.Rand) float64 { return r.NormFloat64() * math.Exp2(float64(r.IntN(40))) }}
			got := make([]float64, count)
			if err := mpi.Allreduce(ctx, c, p.in(c.Rank(), count), got, mpi.Sum); err != nil {
				return err
			}
			exact, size := make([]*big.Float, count), make([]float64, count)
			for r := range n {
				for k, v := range p.in(r, count) {
					if exact[k] == nil {
						exact[k] = new(big.Float).SetPrec(200)
					}
					exact[k].Add(exact[k], big.NewFloat(v))
					size[k] += math.Abs(v)
				}
			}
			const unit = 0x1p-53
			for k, v := range got {
				off, _ := new(big.Float).Sub(exact[k], big.NewFloat(v)).Float64()
				if bound := (n - 1) * unit * size[k] * (1 + n*unit); math.Abs(off) > bound {
					return fmt.Errorf("element %d of %d is off by %g, the bound is %g", k, count, off, bound)
				}
			}
			first := slices.Clone(got)
			if err := mpi.Bcast(ctx, c, first, 0); err != nil {
				return err
			}
			if err := eq("bits of rank 0", got, first); err != nil {
				return err
			}
		}
		return nil
	})
}

// A variable chooses an algorithm, also where there is shared memory; what it cannot choose is an error that lists the names.
func TestChosenAlgorithm(t *testing.T) {
	for _, text := range []string{"ring", "rabenseifner", "recursive-doubling:1K,segmented-ring/4K"} {
		t.Setenv("MPI_ALLREDUCE", text)
		run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
			for i := range uint64(4) { // more than it takes to begin with shared memory
				p := trial[int32]{c: c, seed: i, count: 5000, op: mpi.Sum, fold: func(a, b int32) int32 { return a + b }, make1: (*rand.Rand).Int32}
				if err := p.reductions(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	t.Setenv("MPI_ALLREDUCE", "circle")
	err := local.Run(t.Context(), 1, func(context.Context, *mpi.Comm) error { return nil })
	if !errors.Is(err, mpi.ErrArg) || !strings.Contains(err.Error(), "rabenseifner") || !strings.Contains(err.Error(), "MPI_ALLREDUCE") {
		t.Errorf("got %v, want the names of algorithms", err)
	}
}
