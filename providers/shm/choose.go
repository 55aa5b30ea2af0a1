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

// ends are those of a peer's transfers. In a stream a transfer costs what lies between two ends, and no single one tells:
// the blocks of several transfers come in turn, and these end together. So some in a row are measured, all of one class
// and by one way.
type ends struct {
	count uint32
	at    time.Duration // of the last one; 0 when it was not measured
	way   int           // of a row, as in inbound; 0 for none
	class int
	since time.Duration // its begin
	row   int           // ends in it
	bytes int           // of these
}

const (
	byAnnounced = 0
	byBlocks    = 1

	firstTries   = 24  // half of them each way, until there is something to compare
	lookAgain    = 768 // transfers from one look at the slower road to the next
	lookSeldom   = 8   // times as many when it takes more than twice as long
	lookFor      = 12  // transfers of a look
	measureEvery = 64  // transfers from one measurement of the faster road to the next: reading the clock costs, too
	rowLength    = 8   // ends that are measured together
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

// choose takes a road for data that the sender announced with a choice. It sets the transfer's way if that is to be measured.
func (p *pair) choose(in *inbound, announced road) road {
	if announced == roadBulk || announced == roadCMA && !p.cmaIn {
		return roadBulk
	}
	t := &p.tried[sizeClass(in.size)]
	t.n++
	way := t.better(taken(announced, in.size))
	if t.n < firstTries {
		way = int(t.n / (firstTries / 2))
	} else if t.looking() {
		way = 1 - way
	}
	if t.n < firstTries || t.n%measureEvery < lookFor {
		in.way, in.ended = way+1, p.ends.count
		in.beside = p.fetching.Len() > 0 || len(p.inbound) > 0
	}
	if way == byBlocks {
		return roadBulk
	}
	return announced
}

// better is the faster way as far as is known; factor is what the announced road's time counts.
func (t *tries) better(factor float64) int {
	if b := t.took[byBlocks]; b > 0 && b < t.took[byAnnounced]*factor {
		return byBlocks
	}
	return byAnnounced
}

// looking tells whether it is time for the slower way.
func (t *tries) looking() bool {
	if t.n%lookAgain >= lookFor {
		return false
	}
	a, b := t.took[byAnnounced], t.took[byBlocks]
	return t.n%(lookSeldom*lookAgain) < lookFor || max(a, b) < 2*min(a, b)
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

// learn notes, when a transfer has ended, how long it took.
func (in *inbound) learn(now time.Duration) {
	e := &in.p.ends
	if in.got != in.size {
		e.skip()
		return
	}
	e.count++
	class, before := sizeClass(in.size), e.at
	e.at = now
	t := &in.p.tried[class]
	if !in.beside && in.ended+1 == e.count && in.p.fetching.Len() == 0 && len(in.p.inbound) == 0 { // it was alone
		e.way = 0
		if t.n > 2 { // the first is slow
			t.note(in.way, now-in.since, in.size)
		}
		return
	}
	if e.way != in.way || e.class != class {
		e.way, e.class, e.since, e.row, e.bytes = in.way, class, max(before, in.since), 0, 0
		if before == 0 { // it had another beside it whose end is not known
			e.since = now
			return
		}
	}
	e.bytes += in.size
	if e.row++; e.row == rowLength {
		t.note(in.way, now-e.since, e.bytes)
		e.since, e.row, e.bytes = now, 0, 0
	}
}

// skip notes an end that is not measured.
func (e *ends) skip() {
	e.count++
	e.way, e.at = 0, 0
}

// note takes a measurement.
func (t *tries) note(way int, d time.Duration, bytes int) {
	took := &t.took[way-1]
	v := float64(d) * 1024 / float64(bytes)
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

// clock is the time that transfers are measured by.
func clock() time.Duration { return time.Since(epoch) }
