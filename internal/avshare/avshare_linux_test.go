package avshare

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/internal/shmem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func name(t *testing.T) string { return fmt.Sprintf("test/%s/%d", t.Name(), time.Now().UnixNano()) }

func publish(t *testing.T, slots int) (string, *Publisher) {
	t.Helper()
	n := name(t)
	p, err := Publish(n, slots)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return n, p
}

func subscribe(t *testing.T, name string, changed func()) *Subscription {
	t.Helper()
	s, err := Subscribe(t.Context(), name, changed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestShared sees what was there before, what comes later, and what goes.
func TestShared(t *testing.T) {
	n, p := publish(t, 100)
	p.Set(0, []byte("before"))
	p.Set(7, bytes.Repeat([]byte{1}, MaxAddr))
	news := make(chan struct{}, 100)
	s := subscribe(t, n, func() { news <- struct{}{} })
	check := func(i int, want string) {
		t.Helper()
		got, ok := s.At(i)
		if string(got) != want || ok != (want != "") {
			t.Errorf("%d is %q, %v, want %q", i, got, ok, want)
		}
	}
	check(0, "before")
	check(7, string(bytes.Repeat([]byte{1}, MaxAddr)))
	for _, i := range []int{-1, 1, 8, 99, 100, 1 << 30} {
		check(i, "")
	}
	if s.Len() != 8 {
		t.Errorf("%d in use, want 8", s.Len())
	}
	p.Set(8, []byte("after"))
	check(8, "after") // at once: who is told of it by other ways must find it
	p.Set(0, nil)
	check(0, "")
	select {
	case <-news:
	case <-time.After(30 * time.Second):
		t.Error("nothing was told")
	}
	if _, err := Publish(n, 1); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a second one of the name: %v", err)
	}
}

// TestPublisherEnds keeps what was there.
func TestPublisherEnds(t *testing.T) {
	n := name(t)
	p, err := Publish(n, 10)
	if err != nil {
		t.Fatal(err)
	}
	p.Set(3, []byte("kept"))
	heard := make(chan struct{}, 10)
	s := subscribe(t, n, func() { heard <- struct{}{} })
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	<-heard
	if got, ok := s.At(3); string(got) != "kept" || !ok {
		t.Errorf("%q, %v", got, ok)
	}
	if _, err := Subscribe(t.Context(), n, func() {}); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("subscribing to what has ended: %v", err)
	}
}

// TestRewritten reads while the same slot is written: never a mixture.
func TestRewritten(t *testing.T) {
	n, p := publish(t, 1)
	s := subscribe(t, n, func() {})
	var over atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !over.Load(); i++ {
			p.Set(0, bytes.Repeat([]byte{byte(i)}, 1+i%MaxAddr))
		}
	}()
	for range 20000 {
		got, ok := s.At(0)
		if ok && bytes.Count(got, got[:1]) != len(got) {
			t.Errorf("mixed: %v", got)
			break
		}
	}
	over.Store(true)
	<-done
}

// TestWrongPublisher meets others than ours: what they send is refused, and a silent one is waited for as long as ctx says.
func TestWrongPublisher(t *testing.T) {
	hello := func(word ...uint32) (b []byte) {
		for _, w := range word {
			b = binary.NativeEndian.AppendUint32(b, w)
		}
		return b
	}
	small, err := shmem.Create("small", 64, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	for _, c := range []struct {
		what string
		send []byte
		fds  []int
	}{
		{"nothing", nil, nil},
		{"another word", hello(1, 2), []int{small.FD()}},
		{"no descriptor", hello(magic, 1), nil},
		{"too many slots", hello(magic, MaxSlots+1), []int{small.FD()}},
		{"a file that is too small", hello(magic, 100), []int{small.FD()}},
		{"a file without our word", hello(magic, 0), []int{small.FD()}},
	} {
		n := name(t)
		l, err := shmem.Listen(place(n))
		if err != nil {
			t.Fatal(err)
		}
		came := make(chan *shmem.Conn, 1)
		go func() {
			for {
				if conn, err := l.Accept(); err == nil {
					if c.send != nil {
						conn.Send(c.send, c.fds...)
					}
					came <- conn
					return
				}
				time.Sleep(time.Millisecond) // sleep: the listener does not block
			}
		}()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		if c.send == nil {
			go func() { // it is there, and says nothing
				conn := <-came
				came <- conn
				cancel()
			}()
		}
		s, err := Subscribe(ctx, n, func() {})
		if err == nil {
			s.Close()
			t.Errorf("%s: accepted", c.what)
		} else if c.send == nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", c.what, err)
		}
		cancel()
		(<-came).Close()
		l.Close()
	}
}

// TestHostileTable has lengths and sequences that cannot be.
func TestHostileTable(t *testing.T) {
	mem := make([]byte, tableSize(2))
	tab := table{mem}
	tab.set(0, []byte("a"))
	tab.set(1, []byte("b"))
	binary.NativeEndian.PutUint32(mem[atUsed:], 1<<31)
	binary.NativeEndian.PutUint32(tab.slot(0)[atLen:], 1<<30)
	tab.slot(1)[0] = 1 // being written, for ever
	if tab.used() != 2 {
		t.Errorf("%d in use of 2", tab.used())
	}
	for i := range 3 {
		if got, ok := tab.at(i); ok {
			t.Errorf("slot %d: %q", i, got)
		}
	}
}
