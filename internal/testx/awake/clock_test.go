package awake

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestGaps counts a long gap for little, and short ones as they are.
func TestGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := From(time.Now())
		<-time.After(time.Hour)
		if got := c.Look(); got != blink {
			t.Errorf("an hour without a look counts %v", got)
		}
		for range 5 {
			<-time.After(blink / 2)
			c.Look()
		}
		if got := c.Look(); got != blink+5*blink/2 {
			t.Errorf("five looks more: %v", got)
		}
	})
}

// TestWatch looks all the time.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took := Watch()
		<-time.After(time.Second)
		if got := took(); got != time.Second {
			t.Errorf("a second counts %v", got)
		}
	})
}
