package window_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/mpi/internal/window"
)

var small = window.Config{Flavor: window.Allocate, Unit: 8, Size: 64}

// until waits for something that another goroutine is about to do.
func until(t testing.TB, what string, f func() bool) {
	t.Helper()
	for began := time.Now(); !f(); runtime.Gosched() {
		if time.Since(began) > 10*time.Second {
			t.Fatal("waited in vain for " + what)
		}
	}
}

// Who comes first gets the lock first, whatever he wants it for.
func TestLockServesInOrder(t *testing.T) {
	for _, p := range []string{"shm", "tcp"} {
		t.Run(p, func(t *testing.T) {
			const n = 6
			ws := open(t, n, p, small)
			must(t, ws[0].Lock(t.Context(), 0, window.ExclusiveLock, 0))
			var mu sync.Mutex
			var order []int
			var all sync.WaitGroup
			for r := 1; r < n; r++ {
				all.Go(func() {
					k := window.ExclusiveLock
					if r == 3 || r == 4 {
						k = window.SharedLock
					}
					err := ws[r].Lock(t.Context(), 0, k, 0)
					mu.Lock()
					order = append(order, r)
					mu.Unlock()
					if err = errors.Join(err, ws[r].Unlock(t.Context(), 0)); err != nil {
						t.Error(err)
					}
				})
				until(t, "a rank in the queue", func() bool { return window.Last(ws[0]) == r })
			}
			until(t, "the head of the queue to sleep", func() bool { return window.HeadSleeps(ws[0]) })
			must(t, ws[0].Unlock(t.Context(), 0))
			all.Wait()
			if i, j := slices.Index(order, 3), slices.Index(order, 4); i > j {
				order[i], order[j] = 3, 4 // both hold it at the same time
			}
			if !slices.Equal(order, []int{1, 2, 3, 4, 5}) {
				t.Error(order)
			}
			if v := window.LockWord(ws[0]); v != 0 {
				t.Errorf("the lock's word is %#x when all have left", v)
			}
		})
	}
}

// Shared locks are held together; a stream of them does not keep out who wants it alone.
func TestLockShared(t *testing.T) {
	ws := open(t, 3, "shm", small)
	ctx := t.Context()
	must(t, ws[0].Lock(ctx, 2, window.SharedLock, 0), ws[1].Lock(ctx, 2, window.SharedLock, 0))
	got := make(chan error, 1)
	go func() { got <- ws[2].Lock(ctx, 2, window.ExclusiveLock, 0) }()
	until(t, "the writer in the queue", func() bool { return window.Last(ws[2]) == 2 })
	must(t, ws[1].Unlock(ctx, 2))
	again := make(chan error, 1)
	go func() { again <- ws[1].Lock(ctx, 2, window.SharedLock, 0) }()
	until(t, "the reader behind it", func() bool { return window.Last(ws[2]) == 1 })
	select {
	case <-got:
		t.Fatal("both")
	case <-again:
		t.Fatal("a reader has overtaken the writer")
	default:
	}
	must(t, ws[0].Unlock(ctx, 2), <-got, ws[2].Unlock(ctx, 2), <-again, ws[1].Unlock(ctx, 2))
}

// A lock whose context ends leaves the queue when its turn comes, and holds up nobody.
func TestLockContext(t *testing.T) {
	for _, p := range []string{"shm", "tcp"} {
		t.Run(p, func(t *testing.T) {
			ws := open(t, 3, p, small)
			must(t, ws[0].Lock(t.Context(), 1, window.ExclusiveLock, 0))
			ctx, cancel := context.WithCancel(t.Context())
			left, behind := make(chan error, 1), make(chan error, 1)
			go func() { left <- ws[1].Lock(ctx, 1, window.ExclusiveLock, 0) }()
			until(t, "the first in the queue", func() bool { return window.Last(ws[1]) == 1 })
			go func() { behind <- ws[2].Lock(t.Context(), 1, window.ExclusiveLock, 0) }()
			until(t, "the second in the queue", func() bool { return window.Last(ws[1]) == 2 })
			cancel()
			if err := <-left; !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if err := ws[1].Lock(ctx, 1, window.SharedLock, 0); !errors.Is(err, context.Canceled) { // it waits for the other
				t.Error(err)
			}
			must(t, ws[0].Unlock(t.Context(), 1), <-behind, ws[2].Unlock(t.Context(), 1))
			until(t, "the first to have left", func() bool { return window.LockWord(ws[1]) == 0 })
			until(t, "its next lock", func() bool { return ws[1].Lock(t.Context(), 1, window.ExclusiveLock, 0) == nil })
			must(t, ws[1].Unlock(t.Context(), 1))
		})
	}
}

// A window that is given up while a lock waits ends that.
func TestLockReleased(t *testing.T) {
	ws := open(t, 2, "shm", small)
	must(t, ws[0].Lock(t.Context(), 0, window.ExclusiveLock, 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ws[1].Lock(ctx, 0, window.ExclusiveLock, 0); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	must(t, ws[1].Release())
}

// Who waits long burns no processor.
func TestLockWaitsAsleep(t *testing.T) {
	if osx.ProcessTime() < 0 {
		t.Skip("known: this system does not tell the time that a process has used")
	}
	ws := open(t, 4, "shm", small)
	must(t, ws[0].Lock(t.Context(), 0, window.ExclusiveLock, 0))
	var all sync.WaitGroup
	for _, w := range ws[1:] {
		all.Go(func() {
			if err := errors.Join(w.Lock(t.Context(), 0, window.ExclusiveLock, 0), w.Unlock(t.Context(), 0)); err != nil {
				t.Error(err)
			}
		})
	}
	until(t, "the head of the queue to sleep", func() bool { return window.HeadSleeps(ws[0]) })
	const long = 200 * time.Millisecond
	used := osx.ProcessTime()
	time.Sleep(long) // sleep: what is measured is what the others do meanwhile
	if used = osx.ProcessTime() - used; used > long/2 {
		t.Errorf("three waiters used %v in %v", used, long)
	}
	must(t, ws[0].Unlock(t.Context(), 0))
	all.Wait()
}

// What is done under an exclusive lock is done by one at a time.
func TestLockExcludes(t *testing.T) {
	for _, p := range []struct {
		name string
		n    int
		each int
	}{{"shm", 8, 300}, {"tcp", 4, 20}} {
		t.Run(p.name, func(t *testing.T) {
			ws := open(t, p.n, p.name, small)
			var inside, most atomic.Int32
			turns := make([]int, p.n)
			var all sync.WaitGroup
			for r, w := range ws {
				all.Go(func() {
					for range p.each {
						err := w.Lock(t.Context(), 1, window.ExclusiveLock, 0)
						if inside.Add(1) != 1 {
							most.Store(2)
						}
						turns[r]++
						inside.Add(-1)
						if err = errors.Join(err, w.Unlock(t.Context(), 1)); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			if most.Load() != 0 {
				t.Error("two were inside")
			}
		})
	}
}
