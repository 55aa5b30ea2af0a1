package schedule_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/schedule"
	"github.com/gofabric/gofabric/pmi"
	_ "github.com/gofabric/gofabric/providers/all"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open gives n devices of one process.
func open(t testing.TB, n int) []*device.Device {
	t.Helper()
	ds := make([]*device.Device, n)
	var all sync.WaitGroup
	for r, j := range pmi.NewLocal(n) {
		all.Go(func() {
			d, err := device.Open(context.Background(), device.Config{
				Rank: r, Size: n, Provider: "shm",
				Exchange: func(ctx context.Context, mine []byte) ([][]byte, error) { return j.Exchange(ctx, "address", mine) },
			})
			if err != nil {
				t.Error(err)
			}
			ds[r] = d
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	t.Cleanup(func() {
		for _, d := range ds {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return ds
}

func sum(dst, a, b []byte) {
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

// task is an allreduce of bytes.
func task(t testing.TB, alg coll.Alg, rank, members, n int) schedule.Task {
	t.Helper()
	s, err := coll.Make(alg, coll.Args{Coll: coll.Allreduce, Members: members, Rank: rank, Count: n, Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	return schedule.Task{
		Schedule: s, Tag: device.TagOf(device.Collective, 5, 0), Data: 77, Kernel: sum,
		In: bytes.Repeat([]byte{byte(rank + 1)}, n), Out: make([]byte, n),
	}
}

func TestAllreduce(t *testing.T) {
	const members = 3
	ds := open(t, members)
	for _, alg := range []coll.Alg{coll.RecursiveDoubling, coll.Ring, coll.Rabenseifner, coll.Linear} {
		for _, n := range []int{3, 1000, 300_000} {
			var all sync.WaitGroup
			for rank, d := range ds {
				all.Go(func() {
					r := schedule.New(d)
					r.Task = task(t, alg, rank, members, n)
					var ended int
					r.Ended = func(*schedule.Run) { ended++ }
					for range 3 { // a run can be started again
						clear(r.Out)
						r.Start()
						if err := d.Wait(t.Context(), &r.Op); err != nil || r.Op.Err != nil {
							t.Error(alg, n, err, r.Op.Err)
							return
						}
						if !bytes.Equal(r.Out, bytes.Repeat([]byte{6}, n)) {
							t.Error(alg, n, "wrong result")
						}
					}
					if ended != 3 || !r.Reusable() {
						t.Errorf("ended %d times, reusable %v", ended, r.Reusable())
					}
				})
			}
			all.Wait()
		}
	}
}

// A message of another operation, or of another length, ends a run.
func TestMismatch(t *testing.T) {
	ds := open(t, 2)
	for _, other := range []struct {
		name string
		n    int
		data uint32
	}{{"signature", 8, 78}, {"shorter", 7, 77}, {"longer", 9, 77}} {
		r, o := schedule.New(ds[0]), schedule.New(ds[1])
		r.Task, o.Task = task(t, coll.Linear, 0, 2, 8), task(t, coll.Linear, 1, 2, other.n)
		o.Data = other.data
		o.Start()
		r.Start()
		for i, x := range []*schedule.Run{r, o} {
			if err := ds[i].Wait(t.Context(), &x.Op); err != nil {
				t.Fatal(err)
			}
			differs, ok := errors.AsType[*schedule.MismatchError](x.Op.Err)
			if !ok || differs.Peer != 1-i || x.Blame() != 1-i || x.Reusable() || differs.Error() == "" {
				t.Errorf("%s: member %d: %v", other.name, i, x.Op.Err)
			}
		}
	}
}

// Fail ends a run that waits, and its receives.
func TestFail(t *testing.T) {
	ds := open(t, 2)
	r := schedule.New(ds[0])
	r.Task = task(t, coll.Linear, 0, 2, 8)
	r.Start()
	var from []int
	r.Awaited(func(peer int) { from = append(from, peer) })
	if len(from) != 1 || from[0] != 1 {
		t.Errorf("waits for %v", from)
	}
	why := errors.New("no reason")
	r.Fail(1, why)
	if err := ds[0].Wait(t.Context(), &r.Op); err != nil || r.Op.Err != why || r.Blame() != 1 { //nolint:errorlint // as it was given
		t.Error(err, r.Op.Err)
	}
	r.Awaited(func(peer int) { t.Error("still waits for", peer) })
}

func TestFastPathAllocs(t *testing.T) { // allocs: Run.Start
	ds := open(t, 2)
	r, o := schedule.New(ds[0]), schedule.New(ds[1])
	r.Task, o.Task = task(t, coll.RecursiveDoubling, 0, 2, 8), task(t, coll.RecursiveDoubling, 1, 2, 8)
	if n := testing.AllocsPerRun(200, func() {
		o.Start()
		r.Start()
		for !r.Op.Done() || !o.Op.Done() {
			ds[0].Poll()
			ds[1].Poll()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
