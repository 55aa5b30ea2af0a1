package ring

import (
	"encoding/binary"
	"github.com/gofabric/gofabric/internal/memcopy"
	"sync/atomic"
	"unsafe"

	"github.com/gofabric/gofabric/internal/relstore"
)

// Tx is the producing end of a ring: [Tx.Reserve], fill, [Tx.Commit], or [Tx.Put] for both. One goroutine at a time.
//
// All that it decides by is private to it; the one word it reads from the peer is the consumer's head, and that only
// when the ring seems full.
type Tx struct {
	lines *[Lines]line
	area  *[areaBytes]byte
	head  *uint32 // written by the consumer

	pos  uint32 // next position to write
	seen uint32 // the consumer's head when last looked at
	next uint32 // next free byte of the area
	low  uint32 // oldest byte in use
	held uint32 // messages with bytes in the area: tells full from empty when next == low

	publish Publish
	run     uint8  // messages since the other side was heard; it wraps around
	size    uint32 // of a reservation in the area
	off     uint32
	shape   uint64 // place and len of the reservation; noReservation when there is none

	ends [Lines]uint16 // where the bytes of the message at a position end, in lines; 0: it has none
}

// Reserve finds room for a message with n bytes of payload and returns where to write them: n contiguous bytes of shared
// memory, which may be read back only by a caller that does not mind what the peer put there. It returns nil when the
// ring is full (and for n out of range), a non-nil empty slice for n == 0.
//
// A reservation is not visible to the peer and costs nothing to abandon: the next Reserve or Put replaces it. So Reserve
// also answers "is there room?".
//
//fabric:fastpath
func (t *Tx) Reserve(n int) []byte {
	if uint(n) > Inline || t.pos-t.seen >= Lines {
		return t.reserveSlow(n)
	}
	t.shape = placeInline | uint64(n)<<lenShift
	return t.lines[t.pos%Lines].pay[:n:n]
}

//go:noinline
func (t *Tx) reserveSlow(n int) []byte {
	t.shape = noReservation
	lines := uint32(1)
	if n > Inline && n <= LineSize {
		lines = 2
	}
	if n < 0 || n > MaxPayload || !t.room(lines) {
		return nil
	}
	if n <= Inline {
		t.shape = placeInline | uint64(n)<<lenShift
		return t.lines[t.pos%Lines].pay[:n:n]
	}
	if n <= LineSize {
		t.shape = placeNext | uint64(n)<<lenShift
		return nextLine(t.lines, t.pos)[:n:n]
	}
	off, ok := t.find(roundUp(uint32(n)))
	if !ok {
		return nil
	}
	t.off, t.size = off, uint32(n)
	t.shape = placeArea | descriptor<<lenShift
	return t.area[off : off+t.size : off+t.size]
}

// Commit publishes the message that was reserved. Op has 6 bits; aux, tag and data belong to the protocol above. Without
// a reservation it does nothing.
//
//fabric:fastpath
func (t *Tx) Commit(op uint8, aux uint16, tag, data uint64) {
	p, shape := t.pos, t.shape
	l := &t.lines[p%Lines]
	lines := uint32(1)
	if shape&placeMask != placeInline {
		if lines = t.settle(l); lines == 0 {
			return
		}
	}
	t.shape = noReservation
	raceRelease()
	l.tag, l.data = tag, data
	t.pos = p + lines
	t.ownNext(p + lines)
	if t.publish == Fenced {
		atomic.SwapUint64(&l.word, word(p, op, aux, shape))
		return
	}
	relstore.Uint64(&l.word, word(p, op, aux, shape))
}

// settle enters the bytes of a reservation outside its line into the books and returns the lines that it takes.
//
//go:noinline
func (t *Tx) settle(l *line) uint32 {
	switch t.shape & placeMask {
	case placeNext:
		return 2
	case placeArea:
		binary.NativeEndian.PutUint64(l.pay[:], uint64(t.size)|uint64(t.off)<<32)
		t.next = t.off + roundUp(t.size)
		t.held++
		t.ends[t.pos%Lines] = uint16(t.next / LineSize)
		return 1
	}
	return 0
}

// Put sends a whole message with buf as its payload; false when the ring is full or buf longer than [MaxPayload].
//
//fabric:fastpath
func (t *Tx) Put(op uint8, aux uint16, tag, data uint64, buf []byte) bool {
	p := t.pos
	if len(buf) > Inline || p-t.seen >= Lines {
		return t.putSlow(op, aux, tag, data, buf)
	}
	l := &t.lines[p%Lines]
	if len(buf) == 8 { // the commonest size without a call
		binary.NativeEndian.PutUint64(l.pay[:], binary.NativeEndian.Uint64(buf))
	} else {
		copy(l.pay[:], buf)
	}
	t.shape = noReservation
	raceRelease()
	l.tag, l.data = tag, data
	t.pos = p + 1
	t.ownNext(p + 1)
	w := word(p, op, aux, uint64(len(buf))<<lenShift)
	if t.publish == Fenced {
		atomic.SwapUint64(&l.word, w)
	} else {
		relstore.Uint64(&l.word, w)
	}
	return true
}

//go:noinline
func (t *Tx) putSlow(op uint8, aux uint16, tag, data uint64, buf []byte) bool {
	b := t.Reserve(len(buf))
	if b == nil {
		return false
	}
	memcopy.Out(b, buf)
	t.Commit(op, aux, tag, data)
	return true
}

// room tells whether so many lines are free.
func (t *Tx) room(lines uint32) bool {
	if t.pos-t.seen <= Lines-lines {
		return true
	}
	t.refresh()
	return t.pos-t.seen <= Lines-lines
}

// refresh takes over the consumer's head. One that does not lie between the last one and our position comes from a
// broken peer and is ignored.
func (t *Tx) refresh() {
	h := atomic.LoadUint32(t.head)
	if h-t.seen > t.pos-t.seen {
		return
	}
	for p := t.seen; p != h && t.held > 0; p++ { // at most Lines rounds
		if end := &t.ends[p%Lines]; *end != 0 {
			t.low, *end = uint32(*end)*LineSize, 0
			t.held--
		}
	}
	t.seen = h
}

// find returns where need contiguous bytes of the area are free. The bytes in use are [low, next), or, when next has
// passed the end and started again, [low, end) and [0, next).
func (t *Tx) find(need uint32) (off uint32, ok bool) {
	for range 2 {
		switch {
		case t.held == 0:
			t.low = 0
			return 0, true
		case t.next > t.low:
			if areaBytes-t.next >= need {
				return t.next, true
			}
			if t.low >= need {
				return 0, true
			}
		case t.low-t.next >= need:
			return t.next, true
		}
		t.refresh()
	}
	return 0, false
}

// Taken is how many lines the consumer has taken, counted from the first one of the pair on, as far as we know: what it
// has published, after a Reserve or Put that found no room. While it stays the same nothing was read.
func (t *Tx) Taken() uint32 { return t.seen }

// nextLine is the whole line after the one at a position, as bytes.
func nextLine(lines *[Lines]line, pos uint32) *[LineSize]byte {
	return (*[LineSize]byte)(unsafe.Pointer(&lines[(pos+1)%Lines]))
}
