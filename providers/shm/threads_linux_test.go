package shm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// waiter is the context of an operation whose completion may be read by another goroutine.
type waiter struct {
	done chan fi.Errno
}

func newWaiter() *waiter { return &waiter{make(chan fi.Errno, 2)} }

// dispatch reads completions until stop is closed, and tells those who wait.
func (n *node) dispatch(stop context.Context) {
	var e [8]cq.Entry
	for stop.Err() == nil {
		k, err := n.q.SRead(stop, e[:])
		for _, x := range e[:k] {
			if w, ok := x.Context.(*waiter); ok {
				w.done <- 0
			}
		}
		if err == fi.ErrAvail { //nolint:errorlint // documented: a bare value
			var ee cq.ErrEntry
			if n.q.ReadErr(&ee) == nil {
				if w, ok := ee.Context.(*waiter); ok {
					w.done <- ee.Err
				}
			}
		}
	}
}

// TestThreads has eight goroutines post on one endpoint and two read its queue, on both sides, all sizes and kinds.
func TestThreads(t *testing.T) {
	leaves(t)
	a, b := newNode(t, opt{}), newNode(t, opt{})
	nodes := [2]*node{a, b}
	to := [2]fi.Addr{a.insert(t, b.addr), b.insert(t, a.addr)}
	for i, n := range nodes {
		n.region(t, alloc(t, 1<<20).Bytes(), 1)
		n.region(t, make([]byte, 1<<20), 2)
		_ = i
	}
	stop, cancel := context.WithCancel(context.Background())
	var readers, posters sync.WaitGroup
	for _, n := range nodes {
		for range 2 {
			readers.Go(func() { n.dispatch(stop) })
		}
	}
	sizes := []int{0, 8, 64, 3000, 9000, 100000}
	rounds := 60
	post := func(n *node, f func(w any) error) *waiter {
		w := newWaiter()
		for {
			switch err := f(w); err {
			case nil:
				return w
			case fi.ErrAgain:
				runtime.Gosched()
			default:
				t.Error(err)
				w.done <- fi.ErrOther
				return w
			}
		}
	}
	for g := range 8 {
		for side, n := range nodes {
			posters.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), uint64(side)))
				in := make([]byte, 100000)
				for i := range rounds {
					tag := uint64(g<<16 | i)
					size := sizes[(g+i)%len(sizes)]
					rx := post(n, func(w any) error { return n.ep.TRecv(in, fi.AddrUnspec, tag, 0, w) })
					tx := post(n, func(w any) error { return n.ep.TSend(pattern(make([]byte, size), g+i), to[side], tag, w) })
					at := remote(uint64(1 + r.IntN(2))).At(uint64(g) << 17)
					ww := post(n, func(w any) error { return n.ep.Write(in[:r.IntN(20000)], to[side], at, w) })
					rr := post(n, func(w any) error { return n.ep.Read(make([]byte, r.IntN(20000)), to[side], at, w) })
					aa := post(n, func(w any) error {
						return n.ep.FetchAtomic(make([]byte, 8), make([]byte, 8), to[side], at, fi.TypeUint64, fi.AtomicSum, w)
					})
					for _, w := range []*waiter{rx, tx, ww, rr, aa} {
						select {
						case err := <-w.done:
							if err != 0 {
								t.Error(err)
							}
						case <-time.After(patient):
							t.Error("no completion", n.state())
							return
						}
					}
					if string(in[:size]) != string(pattern(make([]byte, size), g+i)) {
						t.Error("a message is wrong")
					}
				}
			})
		}
	}
	posters.Wait()
	cancel()
	readers.Wait()
	a.idle(t)
	b.idle(t)
}

// TestDomainThread has an application of one thread (FI_THREAD_DOMAIN) that polls, pauses, and polls again, while a peer
// keeps its progress goroutine busy: the lock changes hands between the two.
func TestDomainThread(t *testing.T) {
	leaves(t)
	a, b := newNode(t, opt{domain: true}), newNode(t, opt{})
	to := b.insert(t, a.addr)
	mem := alloc(t, 1<<20)
	a.region(t, mem.Bytes(), 1)
	a.region(t, make([]byte, 1<<20), 2)
	stop := make(chan struct{})
	done := make(chan struct{})
	var count atomic.Int64
	go func() {
		defer close(done)
		ops := &posted{n: b}
		all := kinds(b, to, alloc(t, 1<<20))
		for {
			for _, kind := range []string{"write", "write-heap", "read-heap-1M", "write-heap-1M", "atomic-heap", "matched"} {
				ops.post(t, all[kind])
				if kind == "matched" {
					continue
				}
				for ops.open > 8 {
					ops.reap(t)
				}
				count.Add(1)
			}
			select {
			case <-stop:
				for ops.open > 0 {
					ops.reap(t)
				}
				return
			default:
			}
		}
	}()
	in := &posted{n: a}
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for i := range 100 {
		for range 500 {
			if in.open < 4 {
				in.post(t, func(ctx any) error { return a.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 7, 0, ctx) })
			}
			in.reap(t)
		}
		if i%10 == 9 {
			ctx, end := context.WithTimeout(context.Background(), 3*time.Millisecond)
			var e [1]cq.Entry
			k, err := a.q.SRead(ctx, e[:])
			if c, ok := a.got(e[0], k, err); ok {
				c.Context.(*oneOp).p.open--
			}
			end()
		} else {
			<-tick.C
		}
	}
	close(stop)
	for closed := false; !closed; {
		select {
		case <-done:
			closed = true
		default:
			if in.open < 4 {
				in.post(t, func(ctx any) error { return a.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 7, 0, ctx) })
			}
			in.reap(t)
			runtime.Gosched()
		}
	}
	t.Log(count.Load(), "accesses")
}

// TestManualThreads has both kinds of locks under manual progress, with readers that block.
func TestManualThreads(t *testing.T) {
	leaves(t)
	for _, one := range []bool{true, false} {
		t.Run(fmt.Sprint("domain=", one), func(t *testing.T) {
			a, b := newNode(t, opt{manual: true, domain: one}), newNode(t, opt{manual: true, domain: one})
			to := [2]fi.Addr{a.insert(t, b.addr), b.insert(t, a.addr)}
			var wg sync.WaitGroup
			for side, n := range []*node{a, b} {
				wg.Go(func() {
					buf := make([]byte, 100000)
					for i := range 300 {
						size := []int{8, 3000, 100000}[i%3]
						if err := n.ep.TRecv(buf, fi.AddrUnspec, uint64(i), 0, buf); err != nil {
							t.Error(err)
							return
						}
						send := func() { n.must(t, func() error { return n.ep.TSend(make([]byte, size), to[side], uint64(i), nil) }) }
						if side == 0 {
							send()
						}
						left := 2
						if side == 1 {
							left = 1
							for n.waitOK(t).Flags&fi.CompRecv == 0 {
							}
							send()
						}
						for range left {
							n.waitOK(t)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// TestCloseWhileConnecting closes everything while calls to nobody, and to somebody, are on their way.
func TestCloseWhileConnecting(t *testing.T) {
	leaves(t)
	for i := range 40 {
		a, err := open(opt{env: map[string]string{"FI_SHM_LINGER": fmt.Sprint(i % 4 * 5)}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := open(opt{})
		if err != nil {
			t.Fatal(err)
		}
		ops := &posted{n: a}
		for _, addr := range [][]byte{[]byte(prefix + "nobody"), b.addr, a.addr} {
			to := a.insert(t, addr)
			for _, size := range []int{8, 100000} {
				ops.post(t, func(ctx any) error { return a.ep.TSend(make([]byte, size), to, 1, ctx) })
				ops.post(t, func(ctx any) error { return a.ep.Write(make([]byte, size), to, remote(9), ctx) })
			}
		}
		within(t, "closing", soon, func() {
			if err := a.ep.Close(); err != nil {
				t.Error(err)
			}
		})
		ops.reap(t)
		if ops.open > 0 {
			t.Fatal(ops.open, "operations have not completed when Close returns")
		}
		if err := a.close(); err != nil {
			t.Error(err)
		}
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCloseWhileReading closes a queue while somebody waits in it: that one returns.
func TestCloseWhileReading(t *testing.T) {
	leaves(t)
	n, err := open(opt{})
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	go func() {
		var e [1]cq.Entry
		_, err := n.q.SRead(context.Background(), e[:])
		errs <- err
	}()
	for range 10000 {
		runtime.Gosched()
	}
	if err := n.close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-errs:
		if err == nil {
			t.Error("a completion came from nowhere")
		}
	case <-time.After(patient):
		t.Fatal("the reader waits for ever")
	}
}

// TestReadAfterClose reads a queue when all is closed, its domain's memory, too.
func TestReadAfterClose(t *testing.T) {
	leaves(t)
	n, err := open(opt{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var e [1]cq.Entry
	n.q.SRead(ctx, e[:]) // arms what would ring
	if err := n.close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := n.q.Read(e[:]); err != fi.ErrBadFD { //nolint:errorlint // documented: a bare value
			t.Errorf("Read: %v, want FI_EBADF", err)
		}
		if _, err := n.q.SRead(t.Context(), e[:]); !errors.Is(err, fi.ErrBadFD) {
			t.Errorf("SRead: %v, want FI_EBADF", err)
		}
	}
}
