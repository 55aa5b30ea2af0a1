package together

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// deathBeside: a member ends while another one does nothing, so that there is no room for what is to go there; that holds up
// nobody.
func deathBeside(t *testing.T, ms []*Member) {
	over := make(chan struct{})
	Each(t, ms, func(m *Member) error {
		if m.Rank == 0 {
			defer close(over)
		}
		at, err := m.All()
		if err == nil {
			err = m.Wait(m, m.EP.Barrier(at, m))
		}
		switch {
		case err != nil:
			return err
		case m.Rank == 1:
			return m.Close()
		case m.Rank == 2:
			<-over
			return nil
		}
		in, out := make([]byte, 3*2000), make([]byte, 3*2000)
		var posted []*int
		for range 300 {
			ctx := new(int)
			switch err := m.EP.Alltoall(in, out, at, fi.TypeUint8, 0, ctx); {
			case err == nil:
				posted = append(posted, ctx)
			case !errors.Is(err, fi.ErrAgain):
				return err
			}
		}
		for i, ctx := range posted {
			if err := m.Wait(ctx, nil); err == nil {
				return fmt.Errorf("call %d of %d succeeds without a member", i, len(posted))
			} else if bad := new(cq.ErrEntry); !errors.As(err, &bad) {
				return fmt.Errorf("call %d of %d: %w", i, len(posted), err)
			}
		}
		return m.Leave()
	})
}
