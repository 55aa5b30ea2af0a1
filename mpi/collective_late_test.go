package mpi_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gofabric/gofabric/mpi"
)

// Who waits for long sleeps, and is woken when the last one comes; messages go on meanwhile, and a non-blocking operation of
// another kind too.
func TestLateMembers(t *testing.T) {
	for _, provider := range []string{"mem", "shm"} {
		run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
			word := []int64{0}
			for range 5 { // shared memory begins
				if err := c.Barrier(ctx); err != nil {
					return err
				}
			}
			for i := range 8 {
				late := i % 3 // this one and the next talk for a while before they come
				next := (late + 1) % 3
				if me := c.Rank(); me == late || me == next {
					peer := late + next - me
					for until := time.Now().Add(5 * time.Millisecond); ; {
						word[0] = 0
						if me == late && time.Now().After(until) {
							word[0] = 1
						}
						got := []int64{0}
						if _, err := mpi.SendRecv(ctx, c, word, peer, 1, got, peer, 1); err != nil {
							return err
						}
						over := max(word[0], got[0])
						if over == 1 {
							break
						}
					}
				}
				sum := []int64{int64(c.Rank())}
				if err := mpi.Allreduce(ctx, c, nil, sum, mpi.Sum); err != nil {
					return err
				}
				if sum[0] != 3 {
					return fmt.Errorf("round %d: %d", i, sum[0])
				}
				if err := mpi.Bcast(ctx, c, sum, late); err != nil {
					return err
				}
			}
			return nil
		}, mpi.WithProvider(provider))
	}
}
