package ring

import "sync/atomic"

// Head is the first word of a line as [Rx.Short] sees it: the sequence number less the one that is expected.
type Head uint64

// Line is a line in shared memory. The peer may change it all the time.
type Line = line

// HeadOf is the head of a message of one line with operation op and aux 0; its length is not compared.
func HeadOf(op uint8) Head { return Head(op&opMask) << opShift }

// Here tells whether the line has come.
func (h Head) Here() bool { return uint32(h) == 0 }

// Is tells whether the line has come and its head is h but for the length, which is one that fits in the line.
//
//fabric:fastpath
func (h Head) Is(plain Head) bool { return h&^(0xff<<lenShift) == plain && h>>lenShift&0xff <= Inline }

// Message is the tag and the payload of a line whose head is h; [Head.Is] has approved of that.
//
//fabric:fastpath
func (l *line) Message(h Head) (tag uint64, payload []byte) {
	raceAcquire()
	n := h >> lenShift & 0xff
	return atomic.LoadUint64(&l.tag), l.pay[:n:n]
}
