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

// Hundreds of communicators of 64 ranks, made by several goroutines of each at the same time: no two that a rank is in have
// the same context, or their messages would meet.
func TestManyCommunicators(t *testing.T) {
	const n, lines, each = 64, 3, 2
	if testing.Short() {
		t.Skip("known: 64 ranks")
	}
	run(t, n, func(ctx context.Context, world *mpi.Comm) error {
		bases := make([]*mpi.Comm, lines)
		for i := range bases {
			var err error
			if bases[i], err = world.Dup(ctx); err != nil {
				return err
			}
		}
		errs := make([]error, lines)
		var all sync.WaitGroup
		for i, base := range bases {
			all.Go(func() { errs[i] = line(ctx, world, base, i, each) })
		}
		all.Wait()
		return errors.Join(errs...)
	})
}

// line makes communicators of one, one after the other, and messages that would be taken for those of other lines if contexts
// were the same.
func line(ctx context.Context, world, base *mpi.Comm, line, each int) error {
	n, me := world.Size(), world.Rank()
	for i := range each {
		stripes := 2 + (line+i)%3
		s, err := base.Split(ctx, me%stripes, -me)
		if err != nil {
			return err
		}
		want := 0
		for r := me % stripes; r < n; r += stripes {
			want += r
		}
		ranks := []int{me - me%2, me - me%2 + 1}
		pair, err := base.Group().Incl(ranks...)
		if err != nil {
			return err
		}
		p, err := base.CreateGroup(ctx, pair, i)
		if err != nil {
			return err
		}
		mark := 1000*line + i
		got := []int{0}
		other := 1 - p.Rank()
		if _, err := mpi.SendRecv(ctx, p, []int{mark}, other, 0, got, other, 0); err != nil {
			return err
		}
		sum := []int{me}
		if err := mpi.Allreduce(ctx, s, nil, sum, mpi.Sum); err != nil {
			return err
		}
		if got[0] != mark || sum[0] != want || !slices.Equal(p.Group().Ranks(), ranks) {
			return fmt.Errorf("line %d: got %d, want %d; sum %d, want %d", line, got[0], mark, sum[0], want)
		}
		if err := errors.Join(p.Close(), s.Close()); err != nil {
			return err
		}
	}
	return nil
}
