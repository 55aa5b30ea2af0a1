package conformance

import "time"

// blink is what a gap between two looks counts for at most.
const blink = 10 * time.Millisecond

// awake is the time that has passed while somebody looked. While the machine stands still, or does something else, nobody
// looks: limits of such time hold there, too.
type awake struct {
	last time.Time
	sum  time.Duration
}

func awakeFrom(t time.Time) *awake { return &awake{last: t} }

// look gives the time so far.
func (a *awake) look() time.Duration {
	now := time.Now()
	a.sum += min(now.Sub(a.last), blink)
	a.last = now
	return a.sum
}
