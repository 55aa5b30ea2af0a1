package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// Windows of communicators whose ranks are not those of the world, two at a time.
func TestWinOfSplit(t *testing.T) {
	overAll(t, 4, func(ctx context.Context, c *mpi.Comm) error {
		part, err := c.Split(ctx, c.Rank()%2, -c.Rank()) // the other way round
		if err != nil {
			return err
		}
		a, err := mpi.WinAllocate[int32](ctx, part, 1)
		if err != nil {
			return err
		}
		b, err := mpi.WinAllocate[int32](ctx, part, 1)
		if err != nil {
			return err
		}
		peer := 1 - part.Rank()
		if err := errors.Join(a.Lock(ctx, peer, mpi.Exclusive), b.Lock(ctx, peer, mpi.Exclusive),
			a.Put([]int32{int32(c.Rank())}, peer, 0), b.Put([]int32{10}, peer, 0), a.Unlock(ctx, peer), b.Unlock(ctx, peer), part.Barrier(ctx)); err != nil {
			return err
		}
		if got, want := a.Local()[0], int32((c.Rank()+2)%4); got != want || b.Local()[0] != 10 {
			return fmt.Errorf("%d, want %d; %d", got, want, b.Local()[0])
		}
		return errors.Join(a.Free(ctx), b.Free(ctx), part.Close())
	})
}

func TestWinOfIntercomm(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		inter, err := mpi.IntercommCreate(ctx, c.Self(), 0, c, 1-c.Rank(), 5)
		if err != nil {
			return err
		}
		if _, err := mpi.WinAllocate[int](ctx, inter, 1); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("a window of two groups: %w", err)
		}
		return inter.Close()
	})
}
