package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func messages(ctx context.Context, world *mpi.Comm) error {
	rank, n := world.Rank(), world.Size()
	peer := rank ^ 1
	text := fmt.Appendf(nil, "hello from rank %d", rank)
	room := make([]byte, 100) // for a text
	switch {
	case peer >= n:
	case rank == 0: // 10
		if err := mpi.Send(ctx, world, text, peer, 0); err != nil {
			return err
		}
		st, err := mpi.Recv(ctx, world, room, peer, 0)
		if err != nil {
			return err
		}
		show(world, "recv", string(room[:st.Bytes]))
	case rank == 1:
		st, err := mpi.Recv(ctx, world, room, peer, 0)
		if err != nil {
			return err
		}
		show(world, "recv", string(room[:st.Bytes]))
		if err := mpi.Send(ctx, world, text, peer, 0); err != nil {
			return err
		}
	case rank < 4: // 11
		in, err := mpi.Irecv(world, room, peer, 0)
		if err != nil {
			return err
		}
		out, err := mpi.Isend(world, text, peer, 0)
		if err != nil {
			return err
		}
		st, err := in.Wait(ctx)
		if err != nil {
			return err
		}
		if _, err := out.Wait(ctx); err != nil {
			return err
		}
		show(world, "irecv", string(room[:st.Bytes]))
	}

	right, left := (rank+1)%n, (rank-1+n)%n
	got := []int{0}
	if _, err := mpi.SendRecv(ctx, world, []int{-100 * rank}, right, 0, got, left, 0); err != nil { // 12
		return err
	}
	show(world, "sendrecv", got[0])
	return nil
}
