package ctrl

import (
	"testing"
	"time"
)

// TestAfter calls once, not before its time, and not when it was stopped.
func TestAfter(t *testing.T) {
	began, called := time.Now(), make(chan time.Duration, 10)
	defer After(40*time.Millisecond, func() { called <- time.Since(began) })()
	After(20*time.Millisecond, func() { t.Error("it was stopped") })()
	defer After(0, func() { t.Error("there is no limit") })()
	if took := <-called; took < 39*time.Millisecond {
		t.Errorf("after %v", took)
	}
	if len(called) > 0 {
		t.Error("twice")
	}
}
