package mpi_test

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/mpi/local"
)

// Even and odd ranks get communicators of their own.
func ExampleComm_Split() {
	err := local.Run(context.Background(), 5, func(ctx context.Context, world *mpi.Comm) error {
		half, err := world.Split(ctx, world.Rank()%2, 0)
		if err != nil {
			return err
		}
		sum := []int{world.Rank()}
		if err := mpi.Allreduce(ctx, half, nil, sum, mpi.Sum); err != nil {
			return err
		}
		if world.Rank() == 3 {
			fmt.Printf("rank %d of the world is rank %d of %d, and the sum is %d\n", world.Rank(), half.Rank(), half.Size(), sum[0])
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: rank 3 of the world is rank 1 of 2, and the sum is 4
}

// A column of a matrix becomes a row.
func ExampleVector() {
	err := local.Run(context.Background(), 2, func(ctx context.Context, world *mpi.Comm) error {
		if world.Rank() == 0 {
			m := []int{ // 3 rows, 4 columns
				0, 1, 2, 3,
				4, 5, 6, 7,
				8, 9, 10, 11,
			}
			return mpi.SendView(ctx, world, m[1:], mpi.Vector(3, 1, 4), 1, 0)
		}
		row := make([]int, 3)
		if _, err := mpi.Recv(ctx, world, row, 0, 0); err != nil {
			return err
		}
		fmt.Println(row)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [1 5 9]
}

// Values of any type that can be encoded, of any length.
func ExampleSendValue() {
	type job struct {
		Name  string
		Sizes map[string]int
	}
	err := local.Run(context.Background(), 2, func(ctx context.Context, world *mpi.Comm) error {
		if world.Rank() == 0 {
			return mpi.SendValue(ctx, world, job{"mesh", map[string]int{"rows": 3}}, 1, 0)
		}
		j, st, err := mpi.RecvValue[job](ctx, world, mpi.AnySource, mpi.AnyTag)
		if err != nil {
			return err
		}
		fmt.Println(j.Name, j.Sizes["rows"], "from", st.Source)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: mesh 3 from 0
}

// A ring of four: each gets what its neighbours have.
func ExampleCart() {
	err := local.Run(context.Background(), 4, func(ctx context.Context, world *mpi.Comm) error {
		ring, err := world.CartCreate(ctx, []int{4}, []bool{true})
		if err != nil {
			return err
		}
		got := make([]int, 2)
		if err := mpi.NeighborAllgather(ctx, ring.Comm, []int{10 * ring.Rank()}, got); err != nil {
			return err
		}
		if ring.Rank() == 0 {
			fmt.Println(got)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [30 10]
}
