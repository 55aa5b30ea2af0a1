package faults

import (
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"
)

// wire joins two namespaces, and does to packets what it is told.
type wire struct {
	mu      sync.Mutex
	harm    harm
	carried int
	lost    int
}

// harm is what happens to packets, in both directions.
type harm struct {
	loss    float64 // the part that is lost
	delay   time.Duration
	reorder float64 // the part that comes later, behind others
	cut     bool    // nothing comes through
}

// wired gives two namespaces that are joined by a wire.
func wired(t *testing.T, h harm) (a, b *namespace, w *wire) {
	t.Helper()
	needRoot(t)
	a, b = newNamespace(t), newNamespace(t)
	x, y := a.openTUN(t), b.openTUN(t)
	a.up(t, addrA)
	b.up(t, addrB)
	w = &wire{harm: h}
	var both sync.WaitGroup
	both.Go(func() { w.carry(x, y, 1) })
	both.Go(func() { w.carry(y, x, 2) })
	t.Cleanup(func() {
		x.Close()
		y.Close()
		both.Wait()
		t.Logf("%d packets, %d lost", w.carried, w.lost)
	})
	return a, b, w
}

func (w *wire) set(h harm) {
	w.mu.Lock()
	w.harm = h
	w.mu.Unlock()
}

// carry hands packets over, until the device is closed.
func (w *wire) carry(from, to *os.File, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	write := func(p []byte) { to.Write(p) } //nolint:errcheck // a device that takes no more loses it
	var later sync.WaitGroup
	defer later.Wait()
	var buf [2048]byte
	for {
		n, err := from.Read(buf[:])
		if err != nil {
			return
		}
		w.mu.Lock()
		h := w.harm
		w.carried++
		lost := h.cut || rng.Float64() < h.loss
		if lost {
			w.lost++
		}
		w.mu.Unlock()
		wait := h.delay
		if h.reorder > 0 && rng.Float64() < h.reorder {
			wait += 3 * time.Millisecond
		}
		switch {
		case lost:
		case wait == 0:
			write(buf[:n])
		default:
			p := append([]byte(nil), buf[:n]...)
			later.Go(func() {
				<-time.After(wait)
				write(p)
			})
		}
	}
}
