package shmem

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestEpollWait(t *testing.T) {
	noLeak(t)
	e, err := NewEpoll()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	a, b := pair(t)
	f, err := NewEventFD()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const ta, tb, tf = 0, 1<<63 | 5<<32 | 7, ^uint64(0)
	for _, x := range []struct {
		fd     int
		events Events
		token  uint64
	}{{a.FD(), In, ta}, {b.FD(), In, tb}, {f.FD(), In, tf}} {
		if err := e.Add(x.fd, x.events, x.token); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Add(a.FD(), In, 3); !errors.Is(err, syscall.EEXIST) {
		t.Error(err)
	}
	if err := e.Add(-1, In, 3); !errors.Is(err, syscall.EBADF) {
		t.Error(err)
	}
	ev := make([]Event, 8)
	see := func(want map[uint64]Events) {
		t.Helper()
		for range 2 { // as long as it holds
			n := e.Wait(ev)
			if n != len(want) {
				t.Errorf("%d events, want %d", n, len(want))
			}
			for i := range ev[:n] {
				if w, ok := want[ev[i].Token()]; !ok || ev[i].Events()&w == 0 {
					t.Errorf("token %#x, events %#x", ev[i].Token(), ev[i].Events())
				}
			}
		}
	}
	see(nil)
	a.Ring()
	see(map[uint64]Events{tb: In})
	f.Ring()
	f.Ring()
	see(map[uint64]Events{tb: In, tf: In})
	if n := e.Wait(ev[:1]); n != 1 {
		t.Error(n)
	}
	if e.Wait(nil) != 0 {
		t.Error("events into nothing")
	}
	if !f.Drain() || f.Drain() {
		t.Error("Drain")
	}
	b.Drain()
	see(nil)
	if err := e.Modify(a.FD(), In|Out, ta); err != nil {
		t.Error(err)
	}
	see(map[uint64]Events{ta: Out})
	if err := e.Del(a.FD()); err != nil {
		t.Error(err)
	}
	see(nil)
	if err := e.Del(a.FD()); !errors.Is(err, syscall.ENOENT) {
		t.Error(err)
	}
	a.Close()
	see(map[uint64]Events{tb: Hangup})
	if n := testing.AllocsPerRun(100, func() {
		e.Wait(ev)
		f.Ring()
		f.Drain()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A parked goroutine hears every bell; none is lost between a look and the parking.
func TestParkBell(t *testing.T) {
	noLeak(t)
	e, err := NewEpoll()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	a, b := pair(t)
	if err := e.Add(b.FD(), In, 1); err != nil {
		t.Fatal(err)
	}
	const rounds = 3000
	heard := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for range rounds {
			if err := e.Park(); err != nil {
				t.Error(err)
			}
			b.Drain()
			heard <- struct{}{}
		}
	})
	for range rounds {
		a.Ring()
		<-heard
	}
	wg.Wait()
	// what holds already does not park
	a.Ring()
	for range 3 {
		if err := e.Park(); err != nil {
			t.Error(err)
		}
	}
}

func TestParkEnds(t *testing.T) {
	noLeak(t)
	e, err := NewEpoll()
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewEventFD()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := e.Add(f.FD(), In, 1); err != nil {
		t.Fatal(err)
	}
	e.SetDeadline(time.Now().Add(time.Millisecond))
	if err := e.Park(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	if err := e.Park(); !errors.Is(err, os.ErrDeadlineExceeded) { // still past
		t.Error(err)
	}
	e.SetDeadline(time.Time{})
	done := make(chan error)
	go func() { done <- e.Park() }()
	f.Ring()
	if err := <-done; err != nil {
		t.Error(err)
	}
	f.Drain()
	go func() { done <- e.Park() }()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := e.Close(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := e.Park(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A parked goroutine holds no thread: more of them than threads were made can be parked, and accept is one of the things
// that wake.
func TestParkAccept(t *testing.T) {
	noLeak(t)
	addr := name()
	l := listen(t, addr)
	e, err := NewEpoll()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.Add(l.FD(), In, 1)
	got := make(chan error)
	go func() {
		err := e.Park()
		if err == nil {
			var c *Conn
			if c, err = l.Accept(); err == nil {
				var m Message
				for err = ErrAgain; err == ErrAgain; {
					err = c.Recv(&m)
				}
				c.Close()
			}
		}
		got <- err
	}()
	c, err := Connect(addr)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := <-got; err != io.EOF {
		t.Error(err)
	}
}

func BenchmarkPark(b *testing.B) {
	e, err := NewEpoll()
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	x, y, err := SocketPair()
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	defer y.Close()
	e.Add(y.FD(), In, 1)
	heard, stop := make(chan struct{}), make(chan struct{})
	go func() {
		for e.Park() == nil {
			y.Drain()
			select {
			case heard <- struct{}{}:
			case <-stop:
				return
			}
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		x.Ring()
		<-heard
	}
	close(stop)
	x.Ring()
}

func BenchmarkCalls(b *testing.B) {
	e, _ := NewEpoll()
	defer e.Close()
	x, y, _ := SocketPair()
	defer x.Close()
	defer y.Close()
	e.Add(y.FD(), In, 1)
	ev := make([]Event, 16)
	var m Message
	b.Run("wait=nothing", func(b *testing.B) {
		for b.Loop() {
			e.Wait(ev)
		}
	})
	b.Run("ring+recv", func(b *testing.B) {
		for b.Loop() {
			x.Ring()
			y.Recv(&m)
		}
	})
	b.Run("ring=full", func(b *testing.B) {
		for b.Loop() {
			x.Ring()
		}
	})
}
