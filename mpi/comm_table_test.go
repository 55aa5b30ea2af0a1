package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// TestTableHint: a communicator has the algorithms that its hint names, and a wrong one is refused.
func TestTableHint(t *testing.T) {
	run(t, 3, func(ctx context.Context, world *mpi.Comm) error {
		for _, c := range []struct{ table, want string }{
			{"allreduce linear\nbroadcast pipeline/4K", "linear"},
			{"allreduce ring", "ring"},
			{"broadcast linear", ""}, // as for all others
		} {
			var info mpi.Info
			if err := info.Set(mpi.TableHint, c.table); err != nil {
				return err
			}
			d, err := world.DupWithInfo(ctx, &info)
			if err != nil {
				return err
			}
			want := c.want
			if want == "" {
				want, _ = world.AllreduceAlgorithm(300)
			}
			if got, named := d.AllreduceAlgorithm(300); got != want || named != (c.want != "") {
				return fmt.Errorf("%q: %s, named %v", c.table, got, named)
			}
			for range 5 { // more than it takes to make shared memory
				v := make([]int, 300)
				v[299] = d.Rank() + 1
				if err := errors.Join(mpi.Allreduce(ctx, d, nil, v, mpi.Sum), mpi.Bcast(ctx, d, v, 1)); err != nil {
					return err
				}
				if v[299] != 6 {
					return fmt.Errorf("%q: the sum is %d", c.table, v[299])
				}
			}
			if err := d.Close(); err != nil {
				return err
			}
		}
		var info mpi.Info
		if err := info.Set(mpi.TableHint, "allreduce rign"); err != nil {
			return err
		}
		if d, err := world.DupWithInfo(ctx, &info); d != nil || !errors.Is(err, mpi.ErrArg) || !strings.Contains(err.Error(), "ring") {
			return fmt.Errorf("a wrong table: %w", err)
		}
		return world.Barrier(ctx)
	})
}
