package ctrl

import (
	"sync"
	"time"
)

// parts is how many parts of a limit have to pass, one after another.
const parts = 8

// After calls late in a goroutine of its own when d has passed, unless stop is called before; never when d is 0. The time in
// which the whole machine stood still, with the other side, counts as one eighth at most.
func After(d time.Duration, late func()) (stop func()) {
	if d == 0 {
		return func() {}
	}
	var mu sync.Mutex
	passed, stopped := 0, false
	var t *time.Timer
	mu.Lock()
	defer mu.Unlock()
	t = time.AfterFunc(d/parts, func() {
		mu.Lock()
		passed++
		again, call := !stopped && passed < parts, !stopped && passed == parts
		if again {
			t.Reset(d / parts)
		}
		mu.Unlock()
		if call {
			late()
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		t.Stop()
	}
}
