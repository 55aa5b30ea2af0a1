package ring

import (
	"errors"
	"fmt"
	"unsafe"
)

// The memory of a pair. The maker's outgoing ring comes first; offsets are in bytes.
//
//	    0 +--------------------------------------------------+
//	      | control page                                     |
//	      |      0  head of ring 0 (u32, by the taker)       |
//	      |    256  head of ring 1 (u32, by the maker)       |
//	      |    512  maker's word (u32), 516 its end (u32)    |
//	      |    768  taker's word (u32), 772 its end (u32)    |
//	      |   1024  maker's busy words, 4 x u64, 128 apart   |
//	      |   1536  taker's busy words, 4 x u64, 128 apart   |
//	 4096 +--------------------------------------------------+
//	      | ring 0, maker to taker: 128 lines of 64 bytes    |
//	12288 |                         byte area of 22 KiB      |
//	34816 +--------------------------------------------------+
//	      | ring 1, taker to maker: 128 lines of 64 bytes    |
//	43008 |                         byte area of 22 KiB      |
//	65536 +--------------------------------------------------+
//
// A line; the first word is one number in the machine's byte order, seq its low half:
//
//	0      4        5        6     8      16     24                              64
//	+------+--------+--------+-----+------+------+--------------------------------+
//	| seq  |op|place|  len   | aux | tag  | data | payload, up to 40 bytes        |
//	+------+--------+--------+-----+------+------+--------------------------------+
//	'---- one 8-byte store publishes -----'
//
//	seq    position + 1: the consumer touches nothing but the line itself
//	op     6 bits, place 2 bits (0 in this line, 1 in the next line, 2 in the byte area)
//	len    payload bytes of places 0 and 1; 8 for place 2, whose payload is size | offset<<32
//
// Words of different writers, and those that different cores of one process write, are at least 128 bytes apart: the
// adjacent-line prefetcher fetches lines in twos.
const (
	LineSize   = 64         // bytes of a line
	Lines      = 128        // lines of one direction
	Inline     = 40         // payload bytes that fit in the header's own line
	MaxPayload = 8<<10 + 64 // largest payload of one message, bytes
	PairBytes  = 64 << 10   // memory of a pair, both directions
	BusyWords  = 4          // busy words of one direction

	areaBytes    = 22 << 10
	controlBytes = 4096
	ringBytes    = Lines*LineSize + areaBytes

	headStride = 256
	wordOffset = 512
	wordStride = 256
	busyOffset = 1024
	busyStride = BusyWords * 128
)

type line struct {
	word uint64
	tag  uint64
	data uint64
	pay  [Inline]byte
}

// Side tells which end of a pair this process is.
type Side uint8

// The two ends.
const (
	Maker Side = iota // made the memory
	Taker             // was given it
)

// Publish is how a line, a head or a busy word is made visible to the peer.
type Publish uint8

// The ways to publish.
const (
	// Plain is a store with release order and no fence (internal/relstore). A sender that looks at a peer's "asleep" word
	// after it needs the sleeper to run a process-wide memory barrier (membarrier) between setting that word and its last
	// look.
	Plain Publish = iota
	// Fenced is an atomic exchange, a full fence: right with any sleeper that sets its word by one too. It halves the rate
	// of a stream.
	Fenced
)

// Config is what both ends agree on, and the end that this process is.
type Config struct {
	Side    Side
	Publish Publish
	// First is the line, 0 to 127, with which both rings begin; the two ends must give the same. Different values for
	// different pairs spread the lines that a poll over many pairs looks at over the sets of the first-level cache.
	First uint8
}

// Pair is one process's view of the memory that it shares with one peer. Use it through the pointer that [Layout]
// returned: what the producing end writes and what the consuming end writes then lie in cache lines of their own.
type Pair struct {
	Tx     Tx // to the peer
	_      [64]byte
	Rx     Rx   // from the peer
	Mine   Busy // written by this process
	Theirs Busy // written by the peer

	// A word of each end for the protocol above, to be used by sync/atomic: what one end says with it reaches the other
	// also while a ring is full. The peer may write anything.
	MyWord, TheirWord *uint32
	// Another one, not 0 from the moment on at which an end has left: from then on it may use what the other reads outside
	// of this memory for something else.
	MyEnd, TheirEnd *uint32
}

// ErrLayout says that the memory or the configuration given to [Layout] cannot be a pair.
var ErrLayout = errors.New("ring: bad layout")

// Layout makes the view of mem, which must have exactly [PairBytes] bytes, begin at a cache line and be zero when the
// maker calls it. It writes nothing. The memory is not kept alive by the view beyond what the garbage collector does for
// Go memory: mapped memory must stay mapped as long as the view is used.
func Layout(mem []byte, c Config) (*Pair, error) {
	switch {
	case len(mem) != PairBytes:
		return nil, fmt.Errorf("%w: %d bytes, want %d", ErrLayout, len(mem), PairBytes)
	case uintptr(unsafe.Pointer(&mem[0]))%LineSize != 0:
		return nil, fmt.Errorf("%w: memory does not begin at a cache line", ErrLayout)
	case c.Side > Taker || c.Publish > Fenced || c.First >= Lines:
		return nil, fmt.Errorf("%w: side %d, publish %d, first line %d", ErrLayout, c.Side, c.Publish, c.First)
	}
	out, in := int(c.Side), 1-int(c.Side)
	p := &Pair{}
	p.Tx.lines, p.Tx.area, p.Tx.head = half(mem, out)
	p.Rx.lines, p.Rx.area, p.Rx.head = half(mem, in)
	p.Tx.shape = noReservation
	p.Tx.publish, p.Rx.publish = c.Publish, c.Publish
	p.Mine = Busy{busyOf(mem, out), c.Publish}
	p.Theirs = Busy{busyOf(mem, in), c.Publish}
	p.MyWord, p.TheirWord = wordOf(mem, out, 0), wordOf(mem, in, 0)
	p.MyEnd, p.TheirEnd = wordOf(mem, out, 1), wordOf(mem, in, 1)
	p.start(uint32(c.First), uint32(c.First))
	return p, nil
}

// start sets the positions of both rings. Positions beyond the first lap need lines that do not look valid.
func (p *Pair) start(out, in uint32) {
	p.Tx.pos, p.Tx.seen = out, out
	p.Rx.pos, p.Rx.told = in, in
}

func half(mem []byte, i int) (*[Lines]line, *[areaBytes]byte, *uint32) {
	o := controlBytes + i*ringBytes
	return (*[Lines]line)(unsafe.Pointer(&mem[o])),
		(*[areaBytes]byte)(unsafe.Pointer(&mem[o+Lines*LineSize])),
		(*uint32)(unsafe.Pointer(&mem[i*headStride]))
}

func wordOf(mem []byte, i, which int) *uint32 {
	return (*uint32)(unsafe.Pointer(&mem[wordOffset+i*wordStride+which*4]))
}
