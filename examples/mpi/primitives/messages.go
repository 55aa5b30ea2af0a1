package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func messages(ctx context.Context, world *mpi.Comm) error {
	rank, n := world.Rank(), world.Size()
	peer := rank ^ 1
	text := fmt.Sprintf("hello from rank %d", rank)
	switch {
	case peer >= n:
	case rank == 0: // 10
		if err := mpi.SendValue(ctx, world, text, peer, 0); err != nil {
			return err
		}
		got, _, err := mpi.RecvValue[string](ctx, world, peer, 0)
		if err != nil {
			return err
		}
		show(world, "recv", got)
	case rank == 1:
		got, _, err := mpi.RecvValue[string](ctx, world, peer, 0)
		if err != nil {
			return err
		}
		show(world, "recv", got)
		if err := mpi.SendValue(ctx, world, text, peer, 0); err != nil {
			return err
		}
	case rank < 4: // 11
		in, err := mpi.IrecvValue[string](world, peer, 0)
		if err != nil {
			return err
		}
		out, err := mpi.IsendValue(world, text, peer, 0)
		if err != nil {
			return err
		}
		got, _, err := in.Wait(ctx)
		if err != nil {
			return err
		}
		if _, err := out.Wait(ctx); err != nil {
			return err
		}
		show(world, "irecv", got)
	}

	right, left := (rank+1)%n, (rank-1+n)%n
	got, _, err := mpi.SendRecvValue[int, int](ctx, world, -100*rank, right, 0, left, 0) // 12
	if err != nil {
		return err
	}
	show(world, "sendrecv", got)
	return nil
}
