package mpi_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/mpi/local"
)

// BenchmarkPingPong shows the time of a round trip between two ranks of one process over shared memory.
func BenchmarkPingPong(b *testing.B) {
	for _, n := range []int{8, 1024, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			err := local.Run(b.Context(), 2, func(ctx context.Context, c *mpi.Comm) error {
				buf := make([]byte, n)
				peer := 1 - c.Rank()
				for i := range b.N + 10 {
					if i == 10 && c.Rank() == 0 {
						b.ResetTimer()
					}
					if c.Rank() == 0 {
						if err := mpi.Send(ctx, c, buf, peer, 0); err != nil {
							return err
						}
					}
					if _, err := mpi.Recv(ctx, c, buf, peer, 0); err != nil {
						return err
					}
					if c.Rank() == 1 {
						if err := mpi.Send(ctx, c, buf, peer, 0); err != nil {
							return err
						}
					}
				}
				return nil
			}, mpi.WithProvider("shm"))
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
