package shm

import "time"

// A sender whose road is auto announces the best road that its memory allows and leaves the choice to the receiver,
// which learns. None is best everywhere: copying an unchanged buffer out of the sender's memory is fast, copying one
// that was just written is not, and blocks need a sender that polls. So the receiver measures, for each peer and each
// size, what the announced road and the blocks take, takes the faster one, and now and then looks at the other again.

// tries is what a receiver knows of one peer and one class of sizes.
type tries struct {
	n    uint32
	took [2]float64 // nanoseconds a KiB: by the announced road, by blocks; 0 for not known
}

const (
	byAnnounced = 0
	byBlocks    = 1

	firstTries   = 8  // both in turn, until there is something to compare
	lookAgain    = 64 // transfers between two looks at the slower road
	sizeClasses  = 16
	smallestSize = 13 // log2 of what does not travel as one message
)

// sizeClass is the power of two that a size belongs to.
func sizeClass(n int) int {
	c := 0
	for n >>= smallestSize; n > 1 && c < sizeClasses-1; n >>= 1 {
		c++
	}
	return c
}

// choose takes a road for data that the sender announced with a choice.
func (p *pair) choose(in *inbound, announced road) road {
	if announced == roadBulk || announced == roadCMA && !p.cmaIn {
		return roadBulk
	}
	t := &p.tried[sizeClass(in.size)]
	t.n++
	way := byAnnounced
	if t.took[byBlocks] < t.took[byAnnounced]*taken(announced, in.size) {
		way = byBlocks
	}
	if t.n <= firstTries {
		way = int(t.n & 1)
	} else if t.n%lookAgain == 0 {
		way = 1 - way
	}
	if p.fetching.Len() == 0 && len(p.inbound) == 0 && t.n > 2 { // nothing else in the way, and the first of each is slow
		in.way, in.since = way+1, time.Since(epoch)
	}
	if way == byBlocks {
		return roadBulk
	}
	return announced
}

// taken is what the announced road costs both sides, in times of what the receiver sees. Lines of shared memory that the
// sender wrote and the receiver loads cost the sender more than that when it writes them the next time. Lines that it did
// not write are the receiver's already, and so fast that the factor changes nothing. Much data fits neither cache, and
// costs the same either way.
func taken(announced road, size int) float64 {
	if announced == roadMap && size <= cached {
		return 2.5
	}
	return 1
}

// cached is what a core's own cache holds beside other things.
const cached = 512 << 10

// learn notes how long a transfer took.
func (in *inbound) learn() {
	if in.way == 0 || in.got != in.size || in.p.fetching.Len() > 0 || len(in.p.inbound) > 0 {
		return
	}
	took := &in.p.tried[sizeClass(in.size)].took[in.way-1]
	v := float64(time.Since(epoch)-in.since) * 1024 / float64(in.size)
	switch {
	case *took == 0 || v < *took:
		*took = v
	case v > 4**took: // somebody else had the processor
		*took *= 1.1
	default:
		*took += (v - *took) / 4
	}
}

var epoch = time.Now()
