package shm

import (
	"testing"
	"time"
)

// chooser is a pair whose transfers are of one size and take as long as a test says.
type chooser struct {
	pair
	now time.Duration
}

const chosenSize = 64 << 10

func newChooser() *chooser {
	c := &chooser{}
	c.cmaIn, c.inbound = true, map[uint64]*inbound{}
	return c
}

// begin chooses a road for the next transfer.
func (c *chooser) begin() *inbound {
	in := &inbound{p: &c.pair, size: chosenSize}
	in.road = c.choose(in, roadCMA)
	in.since = c.now
	return in
}

// end ends a transfer, some time after what was last.
func (c *chooser) end(in *inbound, after time.Duration) {
	c.now += after
	in.got = in.size
	if in.way > 0 {
		in.learn(c.now)
	} else {
		c.ends.skip()
	}
}

// stream has transfers begin in groups, and tells how many went by blocks. The announced road takes its time for each at
// once; those by blocks come by fours, after the time of all four.
func (c *chooser) stream(groups int, announced, blocks time.Duration) (byBlocks int) {
	for range groups {
		var wait []*inbound
		for range 64 {
			in := c.begin()
			if in.road == roadCMA {
				c.end(in, announced)
			} else {
				wait = append(wait, in)
				c.inbound[uint64(len(wait))] = in
			}
		}
		byBlocks += len(wait)
		for i, in := range wait {
			if i%4 == 0 {
				c.now += blocks * time.Duration(min(4, len(wait)-i))
			}
			delete(c.inbound, uint64(i+1))
			c.end(in, 0)
		}
	}
	return byBlocks
}

// TestChooseInStream: transfers that end together do not look cheap, whichever way is the faster one.
func TestChooseInStream(t *testing.T) {
	const groups = 100
	if n := newChooser().stream(groups, 7*time.Microsecond, 30*time.Microsecond); n > 64*groups/20 {
		t.Errorf("%d of %d by blocks, which take four times as long", n, 64*groups)
	}
	if n := newChooser().stream(groups, 7*time.Microsecond, 5*time.Microsecond); n < 64*groups*3/4 {
		t.Errorf("%d of %d by blocks, which are faster", n, 64*groups)
	}
}

// TestChooseAlone: one transfer after the other, in a world that changes.
func TestChooseAlone(t *testing.T) {
	c := newChooser()
	run := func(announced, blocks time.Duration) (byBlocks int) {
		for range 10000 {
			in, took := c.begin(), announced
			if in.road == roadBulk {
				took = blocks
				byBlocks++
			}
			c.end(in, took)
		}
		return byBlocks
	}
	if n := run(7*time.Microsecond, 5*time.Microsecond); n < 9500 {
		t.Errorf("%d of 10000 by blocks, which are faster", n)
	}
	if n := run(7*time.Microsecond, 12*time.Microsecond); n > 500 {
		t.Errorf("%d of 10000 by blocks, which have become slower", n)
	}
	if n := run(20*time.Microsecond, 12*time.Microsecond); n < 9000 {
		t.Errorf("%d of 10000 by blocks, which are faster again", n)
	}
	if n := run(7*time.Microsecond, 40*time.Microsecond); n > 250 {
		t.Errorf("%d of 10000 by blocks, which take six times as long", n)
	}
}
