package lock

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/gofabric/gofabric/internal/relstore"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestInit(t *testing.T) {
	f := func() {}
	for _, c := range []struct {
		kind    Kind
		barrier func()
		want    Kind
	}{
		{Spin, nil, Spin}, {Spin, f, Spin}, {Biased, f, Biased}, {Biased, nil, Spin}, {None, nil, None}, {None + 1, f, Spin},
	} {
		var l Lock
		if got := l.Init(c.kind, c.barrier); got != c.want || l.Kind() != c.want {
			t.Errorf("Init(%v) gave %v, want %v", c.kind, got, c.want)
		}
	}
	var l Lock
	if l.Kind() != Spin {
		t.Error("the zero value is no spin lock")
	}
	if s := Spin.String() + Biased.String() + None.String(); s != "spinbiasednone" {
		t.Error(s)
	}
	if unsafe.Offsetof(l.mu)%64 != 0 || unsafe.Sizeof(l)%64 != 0 {
		t.Error("the mutex shares a line with the words of the owner")
	}
}

// count has owners (one, unless the lock is a mutex) and others, who come now and then, count in one plain variable, and
// returns how many counts were lost.
func count(t *testing.T, l *Lock, owners, others, each int) int {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	n := 0
	var stop atomic.Bool
	var owned, came atomic.Int64
	var first, second sync.WaitGroup
	for range owners {
		first.Go(func() {
			for k := 1; !stop.Load(); k++ {
				if k%3 == 0 && l.TryLock() || k%3 != 0 && lock(l) {
					n++
					l.Unlock()
					owned.Add(1)
				}
				if k%1000 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	for range others {
		second.Go(func() {
			for k := range each {
				for before := owned.Load(); owned.Load() < before+50; { // let the owner in between
					runtime.Gosched()
				}
				if k%2 == 0 {
					l.LockOther()
				} else if !l.TryLockOther() {
					continue
				}
				n++
				l.UnlockOther()
				came.Add(1)
			}
		})
	}
	second.Wait()
	stop.Store(true)
	first.Wait()
	t.Logf("%v: %d by owners, %d by others", l.Kind(), owned.Load(), came.Load())
	return int(owned.Load()+came.Load()) - n
}

func lock(l *Lock) bool {
	l.Lock()
	return true
}

func TestSpinCounts(t *testing.T) {
	var l Lock
	if lost := count(t, &l, 3, 2, 500); lost != 0 {
		t.Errorf("%d lost", lost)
	}
}

// The barrier of a test: stopping all goroutines makes each thread pass a full fence.
func stopTheWorld() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
}

func TestBiasedCounts(t *testing.T) {
	var l Lock
	l.Init(Biased, stopTheWorld)
	if lost := count(t, &l, 1, 2, 300); lost != 0 {
		t.Errorf("%d lost", lost)
	}
}

// Where the owner's store is an ordinary one, counts are lost without the barrier, which shows that TestBiasedCounts would
// notice. Where it is a fenced one the barrier may do nothing. (On arm64 that holds for processors; the emulator that runs
// these tests on other machines lets a load pass a store with release order.)
func TestBiasedControl(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("known: shows something on amd64 only")
	}
	var l Lock
	l.Init(Biased, func() {})
	lost := 0
	for i := 0; i < 5 && lost == 0; i++ {
		lost += count(t, &l, 1, 1, 3000)
	}
	switch {
	case plainStore && lost == 0:
		t.Skip("known: no loss to be seen on this machine now")
	case !plainStore && lost != 0:
		t.Errorf("%d lost", lost)
	}
}

func TestNone(t *testing.T) {
	var l Lock
	l.Init(None, nil)
	for range 100 {
		l.Lock()
		l.Unlock()
		if !l.TryLock() {
			t.Fatal("not free")
		}
		l.Unlock()
	}
}

// The owner waits while another one is inside, TryLock says so, and the other one waits for the owner.
func TestBiasedExcludes(t *testing.T) {
	var l Lock
	barriers := 0
	l.Init(Biased, func() { barriers++ })
	l.LockOther()
	if l.TryLock() {
		t.Fatal("both inside")
	}
	if l.TryLockOther() {
		t.Fatal("two others inside")
	}
	got := make(chan bool)
	go func() {
		l.Lock()
		got <- true
		<-got
		l.Unlock()
		got <- true
	}()
	select {
	case <-got:
		t.Fatal("the owner came in")
	default:
	}
	l.UnlockOther()
	<-got
	if l.TryLockOther() {
		t.Fatal("both inside")
	}
	if barriers != 2 {
		t.Errorf("%d barriers, want 2", barriers)
	}
	got <- true
	l.LockOther()
	<-got
	l.UnlockOther()
	if !l.TryLockOther() {
		t.Error("not free")
	}
	l.UnlockOther()
	if !l.TryLock() {
		t.Error("not free")
	}
	l.Unlock()
}

// TestAllocs covers all functions marked as fast path.
func TestAllocs(t *testing.T) {
	for _, k := range []Kind{None, Biased, Spin} {
		var l Lock
		l.Init(k, func() {})
		if n := testing.AllocsPerRun(100, func() {
			l.Lock()
			l.Unlock()
			if l.TryLock() {
				l.Unlock()
			}
			if k != None {
				l.LockOther()
				l.UnlockOther()
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations", k, n)
		}
	}
}

func BenchmarkPair(b *testing.B) {
	b.Run("bare=none", func(b *testing.B) {
		var x uint32
		for range b.N {
			relstore.Uint32(&x, 1)
		}
	})
	b.Run("bare=mutex", func(b *testing.B) {
		var mu sync.Mutex
		for range b.N {
			mu.Lock()
			mu.Unlock()
		}
	})
	for _, k := range []Kind{None, Biased, Spin} {
		var l Lock
		l.Init(k, func() {})
		b.Run("kind="+k.String(), func(b *testing.B) {
			for range b.N {
				l.Lock()
				l.Unlock()
			}
		})
		b.Run("try="+k.String(), func(b *testing.B) {
			for range b.N {
				if l.TryLock() {
					l.Unlock()
				}
			}
		})
	}
}
