package window_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/window"
	"github.com/gofabric/gofabric/pmi"
	_ "github.com/gofabric/gofabric/providers/all"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open gives the n members' windows of one process.
func open(t testing.TB, n int, provider string, c window.Config) []*window.Window {
	t.Helper()
	ws := make([]*window.Window, n)
	world := make([]int, n)
	for r := range world {
		world[r] = r
	}
	each(t, n, func(r int, j *pmi.Job) error {
		round := 0
		gather := func(ctx context.Context, mine []byte) ([][]byte, error) {
			round++
			return j.Exchange(ctx, fmt.Sprint(round), mine)
		}
		d, err := device.Open(t.Context(), device.Config{Rank: r, Size: n, Provider: provider, Exchange: gather})
		if err != nil {
			return err
		}
		c := c
		c.Device, c.ID, c.Rank, c.World = d, 7, r, world
		c.Gather, c.Barrier = gather, j.Fence
		ws[r], err = window.Open(t.Context(), &c)
		t.Cleanup(func() {
			if err := errors.Join(ws[r].Release(), d.Close()); err != nil {
				t.Error(err)
			}
		})
		return err
	})
	return ws
}

// each runs f for n members.
func each(t testing.TB, n int, f func(r int, j *pmi.Job) error) {
	t.Helper()
	var all sync.WaitGroup
	for r, j := range pmi.NewLocal(n) {
		all.Go(func() {
			if err := f(r, j); err != nil {
				t.Errorf("member %d: %v", r, err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
