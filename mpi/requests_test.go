package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// TestAny finds nothing, then what has come; a future's request is among those that are asked.
func TestTestAny(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		if c.Rank() == 1 {
			if _, err := mpi.Recv(ctx, c, []int{0}, 0, 1); err != nil {
				return err
			}
			return errors.Join(mpi.SendValue(ctx, c, "late", 0, 2), mpi.Rsend(ctx, c, []int{7}, 0, 3))
		}
		text, err := mpi.IrecvValue[string](c, 1, 2)
		if err != nil {
			return err
		}
		number := []int{0}
		r, err := mpi.Irecv(c, number, 1, 3)
		if err != nil {
			return err
		}
		all := []*mpi.Request{nil, text.Request(), r}
		if i, _, err := mpi.TestAny(all...); i != -1 || err != nil {
			return fmt.Errorf("before anything was sent: %d, %w", i, err)
		}
		if err := mpi.Send(ctx, c, []int{1}, 1, 1); err != nil {
			return err
		}
		for left := 2; left > 0 && ctx.Err() == nil; {
			i, st, err := mpi.TestAny(all...)
			if err != nil {
				return err
			}
			if i < 0 {
				continue
			}
			if st.Source != 1 || st.Tag != i+1 {
				return fmt.Errorf("place %d: %+v", i, st)
			}
			all[i] = nil
			left--
		}
		v, _, err := text.Wait(ctx)
		if err != nil || v != "late" || number[0] != 7 {
			return fmt.Errorf("%q and %d: %w", v, number[0], err)
		}
		return nil
	})
}
