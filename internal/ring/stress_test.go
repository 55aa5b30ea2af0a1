package ring

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Two goroutines, one at each end, with messages of all places; under the race detector the ring is their only order.
func TestTwoGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, publish := range []Publish{Plain, Fenced} {
		_, a, b := ends(t, publish, 0)
		startAt(a, b, 1<<32-500)
		const count = 20000
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range count {
				p := a.Tx.Reserve(edgeSizes[i%len(edgeSizes)])
				for p == nil {
					runtime.Gosched()
					p = a.Tx.Reserve(edgeSizes[i%len(edgeSizes)])
				}
				for j := 0; j < len(p); j += 8 {
					p[j] = byte(i + j)
				}
				a.Tx.Commit(1, 0, uint64(i), 0)
			}
		})
		wg.Go(func() {
			for i := range count {
				for !b.Rx.Ready() {
					runtime.Gosched()
				}
				_, _, tag, _, p, s := b.Rx.Next()
				if s != Message || tag != uint64(i) || len(p) != edgeSizes[i%len(edgeSizes)] {
					t.Errorf("message %d: %v, tag %d, %d bytes", i, s, tag, len(p))
					return
				}
				for j := 0; j < len(p); j += 8 {
					if p[j] != byte(i+j) {
						t.Errorf("message %d: byte %d", i, j)
						return
					}
				}
				b.Rx.Advance()
			}
		})
		wg.Wait()
		if t.Failed() {
			return
		}
	}
}

// The way to sleep without membarrier: both sides publish by full fences. In no race may the sender miss that the other
// one sleeps and the sleeper miss the message. (The way with membarrier is tested where that call is.)
func TestFencedSleepLitmus(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two processors")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const rounds = 20000
	_, a, b := ends(t, Fenced, 0)
	var asleep atomic.Uint32
	var gate, saw [2]struct {
		v atomic.Uint32
		_ [124]byte
	}
	meet := func(me int, i uint32) {
		gate[me].v.Store(i)
		for n := 0; gate[1-me].v.Load() < i; n++ {
			if n > 200 {
				runtime.Gosched()
			}
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { // the sender
		for i := uint32(1); i <= rounds; i++ {
			meet(0, 2*i)
			a.Tx.Put(1, 0, 0, 0, nil)
			saw[0].v.Store(asleep.Load())
			meet(0, 2*i+1)
		}
	})
	lost := 0
	wg.Go(func() { // the one that goes to sleep
		for i := uint32(1); i <= rounds; i++ {
			meet(1, 2*i)
			asleep.Swap(1)
			ready := b.Rx.Ready()
			meet(1, 2*i+1)
			if !ready && saw[0].v.Load() == 0 {
				lost++
			}
			b.Rx.Next()
			b.Rx.Advance()
			asleep.Store(0)
		}
	})
	wg.Wait()
	if lost > 0 {
		t.Errorf("%d of %d wake-ups lost", lost, rounds)
	}
}
