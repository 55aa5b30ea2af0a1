package device_test

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/pmi"
	_ "github.com/gofabric/gofabric/providers/all"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open gives n devices of one process.
func open(t testing.TB, n int, provider string) []*device.Device {
	t.Helper()
	ds := make([]*device.Device, n)
	var all sync.WaitGroup
	for r, j := range pmi.NewLocal(n) {
		all.Go(func() {
			d, err := device.Open(context.Background(), device.Config{
				Rank: r, Size: n, Provider: provider,
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

func wait(t testing.TB, d *device.Device, op *device.Op) {
	t.Helper()
	if err := d.Wait(t.Context(), op); err != nil || op.Err != nil {
		t.Fatal(err, op.Err)
	}
}

// What the endpoint has no room for keeps its order, and posting it does not block.
func TestBacklogKeepsOrder(t *testing.T) {
	ds := open(t, 2, "shm")
	tag := device.TagOf(device.PointToPoint, 1, 2)
	const n = 20_000
	var sent []*device.Op
	buf := make([]byte, 8)
	for i := range n {
		binary.NativeEndian.PutUint64(buf, uint64(i))
		if i%100 == 0 { // an operation with a completion between those that have none
			op := device.NewOp()
			own := append(make([]byte, 0, 5000), buf...)
			if err := ds[0].Send(op, own[:5000], 1, tag, 7); err != nil {
				t.Fatal(err)
			}
			sent = append(sent, op)
			continue
		}
		if err := ds[0].Send(nil, buf, 1, tag, 7); err != nil {
			t.Fatal(err)
		}
	}
	var both sync.WaitGroup
	both.Go(func() {
		for _, op := range sent {
			wait(t, ds[0], op)
		}
		if err := ds[0].Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
	got := make([]byte, 5000)
	for i := range n {
		op := device.TakeOp()
		if err := ds[1].Recv(op, got, device.AnyPeer, tag, 0); err != nil {
			t.Fatal(err)
		}
		wait(t, ds[1], op)
		if v := binary.NativeEndian.Uint64(got); v != uint64(i) || op.Src != 0 || op.Data != 7 {
			t.Fatalf("message %d: %d from %d with %d", i, v, op.Src, op.Data)
		}
		device.PutOp(op)
	}
	both.Wait()
}

func TestReceivesBeyondTheQueue(t *testing.T) {
	ds := open(t, 2, "shm")
	const n = 5000
	ops := make([]*device.Op, n)
	bufs := make([]byte, n)
	for i := range n {
		ops[i] = device.NewOp()
		if err := ds[1].Recv(ops[i], bufs[i:i+1], 0, device.TagOf(device.PointToPoint, 1, 0), 0); err != nil {
			t.Fatal(err)
		}
	}
	last := ops[n-1]
	ds[1].Cancel(last)
	for i := range n - 1 {
		if err := ds[0].Send(nil, []byte{byte(i)}, 1, device.TagOf(device.PointToPoint, 1, 0), 0); err != nil {
			t.Fatal(err)
		}
	}
	var both sync.WaitGroup
	both.Go(func() {
		if err := ds[0].Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
	for i, op := range ops[:n-1] {
		wait(t, ds[1], op)
		if bufs[i] != byte(i) {
			t.Fatalf("receive %d got %d", i, bufs[i])
		}
	}
	if err := ds[1].Wait(t.Context(), last); err != nil || !errors.Is(last.Err, fi.ErrCanceled) {
		t.Fatal(err, last.Err)
	}
	both.Wait()
}

// Whoever sleeps is woken, by the device's own goroutine or by another that polls.
func TestSleepers(t *testing.T) {
	ds := open(t, 2, "shm")
	const n = 20
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			op := device.NewOp()
			var b [1]byte
			if err := ds[1].Recv(op, b[:], 0, device.TagOf(device.PointToPoint, 1, uint32(i)), 0); err != nil {
				t.Error(err)
				return
			}
			wait(t, ds[1], op)
			if b[0] != byte(i) {
				t.Errorf("sleeper %d got %d", i, b[0])
			}
		})
	}
	echo := device.NewOp()
	for i := range n {
		for range 50 { // a conversation of others meanwhile
			var b [1]byte
			if err := ds[1].Recv(echo, b[:], 0, device.TagOf(device.PointToPoint, 2, 0), 0); err != nil {
				t.Fatal(err)
			}
			if err := ds[0].Send(nil, b[:], 1, device.TagOf(device.PointToPoint, 2, 0), 0); err != nil {
				t.Fatal(err)
			}
			wait(t, ds[1], echo)
			echo.Reset()
		}
		if err := ds[0].Send(nil, []byte{byte(i)}, 1, device.TagOf(device.PointToPoint, 1, uint32(i)), 0); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
}

// allocs: Device.Send, Device.Recv, Device.Wait, Device.Poll, backlog.empty
func TestAllocatesNothing(t *testing.T) {
	ds := open(t, 2, "shm")
	buf := make([]byte, 8)
	tag := device.TagOf(device.PointToPoint, 1, 0)
	round := func() {
		for i := range 2 {
			op := device.TakeOp()
			if err := ds[1-i].Recv(op, buf, i, tag, 0); err != nil {
				t.Fatal(err)
			}
			if err := ds[i].Send(nil, buf, 1-i, tag, 0); err != nil {
				t.Fatal(err)
			}
			wait(t, ds[1-i], op)
			device.PutOp(op)
		}
	}
	for range 1000 {
		round()
	}
	if n := testing.AllocsPerRun(2000, round); n > 0 {
		t.Errorf("%v allocations a round trip", n)
	}
}
