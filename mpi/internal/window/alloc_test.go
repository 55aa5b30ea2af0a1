package window_test

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/window"
)

// Accesses to mapped memory allocate nothing.
//
// allocs: Window.Put Window.Get Window.kernel Window.inFence Window.Fetch64 Window.Swap64 Window.settle Window.Flush
// allocs: Window.flush Window.mayLock Window.reach Window.swap word bits64 target.acquired target.released
func TestAllocs(t *testing.T) {
	ctx := t.Context()
	ws := open(t, 2, "shm", small)
	w, b, large := ws[0], make([]byte, 8), make([]byte, 64)
	sum := window.Operation{Type: fi.TypeInt64, Op: fi.AtomicSum}
	access := func() {
		old, err := w.Fetch64(ctx, 1, 1, 2, sum)
		must(t, err)
		_, err = w.Swap64(ctx, old+1, old, 1, 2)
		must(t, err, w.Put(b, 1, 0), w.Get(large, 1, 0), w.Accumulate(b, 1, 1, sum), w.GetAccumulate(b, b, 1, 1, sum))
	}
	for name, f := range map[string]func(){
		"flush":  func() { access(); must(t, w.Flush(ctx, 1)) },
		"lock":   func() { must(t, w.Unlock(ctx, 1), w.Lock(ctx, 1, window.ExclusiveLock, 0)) },
		"shared": func() { must(t, w.Unlock(ctx, 1), w.Lock(ctx, 1, window.SharedLock, 0)) },
	} {
		must(t, w.Lock(ctx, 1, window.SharedLock, 0))
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
		must(t, w.Unlock(ctx, 1))
	}
	w.SetFence()
	if n := testing.AllocsPerRun(100, access); n != 0 {
		t.Errorf("between fences: %v allocations", n)
	}
}
