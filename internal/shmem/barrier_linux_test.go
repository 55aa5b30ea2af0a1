package shmem

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gofabric/gofabric/internal/lock"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/relstore"
	"github.com/gofabric/gofabric/internal/ring"
)

func TestBarriers(t *testing.T) {
	have := RegisterBarriers()
	if have != RegisterBarriers() {
		t.Error("the second answer differs")
	}
	if have&GlobalBarriers != 0 && !GlobalBarrier() {
		t.Error("the global barrier does not work")
	}
	PrivateBarrier()
	if n := testing.AllocsPerRun(10, func() {
		GlobalBarrier()
		PrivateBarrier()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	t.Logf("%#x", have)
}

// The owner of a biased lock and the progress goroutine count in one plain variable.
func TestBiasedLock(t *testing.T) {
	if RegisterBarriers()&PrivateBarriers == 0 {
		t.Skip("known: no private barrier here")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var l lock.Lock
	l.Init(lock.Biased, PrivateBarrier)
	n, owned := 0, 0
	const others = 2000
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for range others {
			l.LockOther()
			n++
			l.UnlockOther()
		}
		stop.Store(true)
	})
	for !stop.Load() {
		l.Lock()
		n++
		l.Unlock()
		owned++
		if owned%1000 == 0 {
			runtime.Gosched()
		}
	}
	wg.Wait()
	if n != owned+others {
		t.Errorf("counted %d, want %d and %d", n, owned, others)
	}
}

// The way to sleep: the sender publishes by a plain store and looks at "asleep"; the sleeper sets "asleep", runs the
// barrier and looks at the ring. In no race may both see nothing. Without the barrier some do, which shows that the test
// would notice.
func TestSleepLitmus(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two processors")
	}
	if RegisterBarriers()&GlobalBarriers == 0 {
		t.Skip("known: no global barrier here")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	lost := sleepRaces(t, ring.Plain, 10000, func(asleep *uint32) {
		relstore.Uint32(asleep, 1)
		GlobalBarrier()
	})
	if lost != 0 {
		t.Errorf("%d wake-ups lost", lost)
	}
	// The way without that call: both exchange.
	if lost = sleepRaces(t, ring.Fenced, 50000, func(asleep *uint32) { atomic.SwapUint32(asleep, 1) }); lost != 0 {
		t.Errorf("%d wake-ups lost with fences", lost)
	}
	if osx.RaceEnabled || runtime.GOARCH != "amd64" {
		return // publishing is a fence here
	}
	if lost = sleepRaces(t, ring.Plain, 50000, func(asleep *uint32) { relstore.Uint32(asleep, 1) }); lost == 0 {
		t.Skip("known: control: no loss to be seen on this machine now")
	}
	t.Logf("control: %d of 50000 lost", lost)
}

func sleepRaces(t *testing.T, publish ring.Publish, rounds uint32, sleep func(asleep *uint32)) (lost int) {
	mem := memory(t)
	a, err := ring.Layout(mem, ring.Config{Side: ring.Maker, Publish: publish})
	if err != nil {
		t.Fatal(err)
	}
	b, err := ring.Layout(mem, ring.Config{Side: ring.Taker, Publish: publish})
	if err != nil {
		t.Fatal(err)
	}
	type word struct { // alone in its lines
		v uint32
		_ [124]byte
	}
	asleep := make([]word, ring.Lines) // in turn, as the lines are
	words := make([]word, 4)
	saw, gate := &words[0].v, words[1:3]
	meet := func(me int, i uint32) {
		atomic.StoreUint32(&gate[me].v, i)
		for n := 1; atomic.LoadUint32(&gate[1-me].v) < i; n++ {
			if n%1000 == 0 {
				osx.SchedYield()
			}
			if n%30000 == 0 {
				runtime.Gosched()
			}
		}
	}
	linger := func(n uint32) { // some ten nanoseconds: whoever came last to the gate leaves it first
		for range n % 256 {
			atomic.LoadUint32(&words[3].v)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		own(0)
		for i := uint32(1); i <= rounds; i++ {
			word := &asleep[i%ring.Lines].v
			atomic.LoadUint32(word) // into our cache, so that the load after the store is the faster of the two
			meet(0, 2*i)
			linger(i * 7)
			a.Tx.Put(1, 0, 0, 0, nil)
			v := atomic.LoadUint32(word)
			atomic.StoreUint32(saw, v)
			meet(0, 2*i+1)
		}
	})
	wg.Go(func() {
		own(1)
		for i := uint32(1); i <= rounds; i++ {
			word := &asleep[i%ring.Lines].v
			b.Rx.Ready() // into our cache
			meet(1, 2*i)
			linger(i * 13)
			sleep(word)
			ready := b.Rx.Ready()
			meet(1, 2*i+1)
			if !ready && atomic.LoadUint32(saw) == 0 {
				lost++
			}
			b.Rx.Next()
			b.Rx.Advance()
			atomic.StoreUint32(word, 0)
		}
	})
	wg.Wait()
	return lost
}

// own gives the calling goroutine one of two processors, if it can. The thread ends with the goroutine.
func own(i int) {
	if cpus := osx.CPUs(); len(cpus) > 1 {
		runtime.LockOSThread()
		osx.PinThread(cpus[i])
	}
}

func memory(t testing.TB) []byte {
	f, err := Create("pair", ring.PairBytes, Populate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f.Bytes()
}

func BenchmarkBarrier(b *testing.B) {
	RegisterBarriers()
	b.Run("kind=private", func(b *testing.B) {
		for b.Loop() {
			PrivateBarrier()
		}
	})
	b.Run("kind=global", func(b *testing.B) {
		for b.Loop() {
			GlobalBarrier()
		}
	})
}
