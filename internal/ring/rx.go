package ring

import (
	"sync/atomic"
	"unsafe"

	"github.com/gofabric/gofabric/internal/relstore"
)

// Status is what [Rx.Next] found.
type Status uint8

// The states of a ring as its consumer sees it.
const (
	Empty   Status = iota // nothing has come
	Message               // a message is there; Advance frees it
	Broken                // the peer wrote a malformed line: close the connection. The ring stays broken
)

// String names the status.
func (s Status) String() string {
	switch s {
	case Empty:
		return "empty"
	case Message:
		return "message"
	}
	return "broken"
}

// The head is published after a quarter of the lines or of the bytes. By lines alone 22 messages of 1 KiB would fill the
// area long before 32 lines are read, and both ends would wait. With a quarter of the bytes unpublished there is still
// room for the largest payload, wherever those bytes lie: half of the other three quarters is more than MaxPayload.
const (
	tellLines = Lines / 4
	tellBytes = areaBytes / 4
)

// Rx is the consuming end of a ring: [Rx.Next], use, [Rx.Advance]. One goroutine at a time, but for [Rx.Ready].
type Rx struct {
	lines *[Lines]line
	area  *[areaBytes]byte
	head  *uint32 // ours; the producer looks at it when the ring seems full

	pos   uint32 // next position to read; others peek at it
	told  uint32 // the head when last published
	bytes uint32 // of the area, read since then
	place uint32 // of the message that Next returned: 0 none, else its lines, 1 or 2
	size  uint32 // and what it takes of the area

	publish Publish
	broken  bool
	_       [18]byte
}

// Ready tells whether the next line has come: one load of shared memory. It needs no lock and may be called by any
// goroutine; beside a running Next and Advance the answer may be out of date.
//
//fabric:fastpath
func (r *Rx) Ready() bool {
	p := atomic.LoadUint32(&r.pos)
	return uint32(atomic.LoadUint64(&r.lines[p%Lines].word)) == p+1
}

// Short returns the next line with its head, for the commonest messages: the head has [Head.Is] for what the caller
// expects of it, and what it does not expect it asks [Rx.Next] for. It is followed by [Rx.Step] where Next is by Advance.
//
//fabric:fastpath
func (r *Rx) Short() (Head, *Line) {
	p := r.pos
	l := &r.lines[p%Lines]
	return Head(atomic.LoadUint64(&l.word) ^ uint64(p+1)), l
}

// Step is Advance for a message that [Rx.Short] returned and that [Head.Is] recognised.
//
//fabric:fastpath
func (r *Rx) Step() {
	p := r.pos + 1
	relstore.Uint32(&r.pos, p)
	if p-r.told >= tellLines {
		r.Flush()
	}
}

// Next returns the message at the head of the ring, as often as it is called, until [Rx.Advance]. Payload lies in shared
// memory: it is the caller's until Advance, and the peer may change it all the time, so whoever interprets it copies it
// first. With a status other than [Message] the other results are zero.
//
//fabric:fastpath
func (r *Rx) Next() (op uint8, aux uint16, tag, data uint64, payload []byte, status Status) {
	p := r.pos
	l := &r.lines[p%Lines]
	w := atomic.LoadUint64(&l.word)
	if uint32(w) != p+1 {
		return
	}
	n := uint8(w >> lenShift)
	if w&placeMask != placeInline || n > Inline || r.broken {
		return r.nextSlow(l, w)
	}
	raceAcquire()
	r.place, r.size = 1, 0
	return uint8(w>>opShift) & opMask, uint16(w >> auxShift), atomic.LoadUint64(&l.tag), atomic.LoadUint64(&l.data),
		l.pay[:n:n], Message
}

//go:noinline
func (r *Rx) nextSlow(l *line, w uint64) (op uint8, aux uint16, tag, data uint64, payload []byte, status Status) {
	raceAcquire()
	payload = r.payload(l, w)
	if payload == nil {
		r.place, r.broken = 0, true
		return 0, 0, 0, 0, nil, Broken
	}
	return uint8(w>>opShift) & opMask, uint16(w >> auxShift), atomic.LoadUint64(&l.tag), atomic.LoadUint64(&l.data),
		payload, Message
}

// payload finds the bytes of a message outside its line; nil when the line is malformed. One message has one form.
func (r *Rx) payload(l *line, w uint64) []byte {
	n := uint8(w >> lenShift)
	switch {
	case r.broken:
	case w&placeMask == placeNext && n > Inline && n <= LineSize:
		r.place, r.size = 2, 0
		return nextLine(r.lines, r.pos)[:n:n]
	case w&placeMask == placeArea && n == descriptor:
		d := atomic.LoadUint64((*uint64)(unsafe.Pointer(&l.pay)))
		size, off := uint32(d), uint32(d>>32)
		if size > LineSize && size <= MaxPayload && off%LineSize == 0 && off < areaBytes && size <= areaBytes-off {
			r.place, r.size = 1, roundUp(size)
			return r.area[off : off+size : off+size]
		}
	}
	return nil
}

// Advance frees the message that [Rx.Next] returned; its payload is the peer's again. It reports whether it told the
// peer by publishing the head: a peer that sleeps until it can send must then be woken. Without a message it does nothing.
//
//fabric:fastpath
func (r *Rx) Advance() bool {
	p := r.pos
	if r.place != 1 {
		if r.place == 0 {
			return false
		}
		p = r.skip()
	}
	r.place = 0
	relstore.Uint32(&r.pos, p+1)
	r.bytes += r.size
	if p+1-r.told < tellLines && r.bytes < tellBytes {
		return false
	}
	r.Flush()
	return true
}

// skip steps over a line that was read as payload. The next lap looks for a header there, and the user's bytes may look
// like one: such a word is spoiled.
func (r *Rx) skip() uint32 {
	p := r.pos + 1
	w := &r.lines[p%Lines].word
	if valid := p + Lines + 1; uint32(atomic.LoadUint64(w)) == valid {
		relstore.Uint64(w, uint64(^valid))
	}
	return p
}

// Flush publishes the head now. Nothing depends on it; it frees what has been read a little earlier.
func (r *Rx) Flush() {
	if r.told == r.pos {
		return
	}
	r.told, r.bytes = r.pos, 0
	if r.publish == Fenced {
		atomic.SwapUint32(r.head, r.pos)
		return
	}
	relstore.Uint32(r.head, r.pos)
}
