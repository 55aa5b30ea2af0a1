package mpi_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// eq compares what a member has with what it should have.
func eq[T comparable](what string, got, want []T) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

// The program that shows every operation, with the results that it must have.
func TestEachCollective(t *testing.T) {
	run(t, 4, func(ctx context.Context, c *mpi.Comm) error {
		rank, n := c.Rank(), c.Size()
		mine := make([]int32, n)
		for i := range mine {
			mine[i] = int32(n*rank + i)
		}
		one, vec, all := make([]int32, 1), make([]int32, n), make([]int32, n*n)
		every := make([]int32, n*n)
		for i := range every {
			every[i] = int32(i)
		}
		col := make([]int32, n)
		for i := range col {
			col[i] = int32(n*i + rank)
		}
		for _, s := range []struct {
			name string
			do   func() error
			out  []int32
			want []int32 // nil: as before
		}{
			{"barrier", func() error { return c.Barrier(ctx) }, one, []int32{0}},
			{"bcast", func() error {
				if rank == 2 {
					copy(vec, mine)
				}
				return mpi.Bcast(ctx, c, vec, 2)
			}, vec, []int32{8, 9, 10, 11}},
			{"scatter", func() error { return mpi.Scatter(ctx, c, mine, one, 1) }, one, []int32{int32(n + rank)}},
			{"gather", func() error { return mpi.Gather(ctx, c, mine, all, 3) }, all, map[int][]int32{3: every}[rank]},
			{"allgather", func() error { return mpi.Allgather(ctx, c, mine, all) }, all, every},
			{"alltoall", func() error { return mpi.Alltoall(ctx, c, mine, vec) }, vec, col},
			{"allreduce", func() error { return mpi.Allreduce(ctx, c, mine, vec, mpi.Sum) }, vec, []int32{24, 28, 32, 36}},
			{"scan", func() error { return mpi.Scan(ctx, c, mine, vec, mpi.Sum) }, vec,
				[][]int32{{0, 1, 2, 3}, {4, 6, 8, 10}, {12, 15, 18, 21}, {24, 28, 32, 36}}[rank]},
			{"reduce_scatter", func() error { return mpi.ReduceScatterBlock(ctx, c, mine, one, mpi.Sum) }, one, []int32{int32(24 + 4*rank)}},
		} {
			before := slices.Clone(s.out)
			if err := s.do(); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if s.want == nil {
				s.want = before
			}
			if err := eq(s.name, s.out, s.want); err != nil {
				return err
			}
		}
		return nil
	})
}
