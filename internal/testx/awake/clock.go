package awake

import "time"

// blink is what a gap between two looks counts for at most.
const blink = 10 * time.Millisecond

// Clock is the time that has passed while somebody looked.
type Clock struct {
	last time.Time
	sum  time.Duration
}

// From starts a clock at a time that has just been.
func From(t time.Time) *Clock { return &Clock{last: t} }

// Look gives the time so far.
func (c *Clock) Look() time.Duration {
	now := time.Now()
	c.sum += min(now.Sub(c.last), blink)
	c.last = now
	return c.sum
}

// Watch looks by itself, on a goroutine of its own. The function that it gives ends that, and gives the time.
func Watch() (took func() time.Duration) {
	stop, sum := make(chan struct{}), make(chan time.Duration)
	c := From(time.Now())
	go func() {
		tick := time.NewTicker(blink / 5)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				c.Look()
			case <-stop:
				sum <- c.Look()
				return
			}
		}
	}()
	return func() time.Duration { close(stop); return <-sum }
}
