package cq

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/relstore"
)

// Bits in Entry.Flags of the ring that never reach a reader.
const (
	markReserved fi.CompFlags = 1 << 63 // the entry's place was reserved when the operation was posted
	markErr      fi.CompFlags = 1 << 62 // the entry stands for the oldest error entry
)

// Queue is a completion queue as a provider sees it. All methods but Empty and Notify's channel need the lock of the
// domain that the queue belongs to.
type Queue struct {
	// One cache line: all that operations and reads write.
	head, tail uint64 // entries read and written ever; written under the lock, looked at without it
	most       uint64 // entries that have waited at a time, before the last read
	mask       uint32
	size       uint32 // places that operations may reserve
	reserved   uint32 // places reserved and not read yet
	waiting    uint32 // readers that want the bell; set with sync/atomic
	ring       []Entry

	errs   []ErrEntry // in the order of their marks in the ring
	failed uint64     // error entries ever
	full   uint64     // operations that found no place
	closed uint32     // final is there; set with sync/atomic
	final  fi.QueueStats

	bell   chan struct{} // rung when something was written while waiting != 0
	signal func()        // tells a native wait object; nil when there is none
	behind *Queue        // of a relay: what waits there to be read; see NewRelay
}

// DefaultSize is the number of entries of a queue opened with size 0.
const DefaultSize = 1024

// NewQueue makes a queue in which size operations may have a place reserved at a time.
func NewQueue(size int) *Queue {
	if size <= 0 {
		size = DefaultSize
	}
	size = min(size, 1<<30)
	n := 64
	for n < size && n < 1<<16 {
		n *= 2
	}
	return &Queue{size: uint32(size), mask: uint32(n - 1), ring: make([]Entry, n), bell: make(chan struct{}, 1)}
}

// Size is the number of places that can be reserved.
func (q *Queue) Size() int {
	if q.behind != nil {
		return q.behind.Size()
	}
	return int(q.size)
}

// Len is the number of entries that wait to be read.
func (q *Queue) Len() int {
	if q.behind != nil {
		return q.lenBehind()
	}
	return int(q.tail - q.head)
}

//go:noinline
func (q *Queue) lenBehind() int { return q.behind.Len() }

// Reserved is the number of places that are reserved and whose entries were not read yet.
func (q *Queue) Reserved() int { return int(q.reserved) }

// Empty looks, without the lock, whether nothing waits.
func (q *Queue) Empty() bool { return atomic.LoadUint64(&q.head) == atomic.LoadUint64(&q.tail) }

// Reserve takes a place for an operation that is about to be posted; false when there is none.
//
//fabric:fastpath
func (q *Queue) Reserve() bool {
	if q.reserved >= q.size {
		relstore.Uint64(&q.full, q.full+1)
		return false
	}
	q.reserved++
	return true
}

// Release gives a reserved place back: the operation was not accepted, or ends without an entry.
func (q *Queue) Release() { q.reserved-- }

// Put writes an entry that fills a reserved place. Fields that are not parameters are zero.
//
//fabric:fastpath
func (q *Queue) Put(ctx any, flags fi.CompFlags, n int, tag uint64) {
	e := q.next()
	e.Context, e.Flags, e.Len, e.Tag = ctx, flags|markReserved, n, tag
	e.Data, e.Src, e.Buf = 0, fi.AddrNotAvail, nil
	q.publish()
}

// AddRecv writes the entry of a message that was received into a buffer of its own.
//
//fabric:fastpath
func (q *Queue) AddRecv(ctx any, flags fi.CompFlags, n int, data, tag uint64, src fi.Addr) {
	e := q.next()
	e.Context, e.Flags, e.Len, e.Data, e.Tag, e.Src = ctx, flags, n, data, tag, src
	e.Buf = nil
	q.publish()
}

// Add gives a place for an entry that was not reserved: a receive, or what a peer did. The caller fills every field and
// calls Publish.
//
//fabric:fastpath
func (q *Queue) Add() *Entry { return q.next() }

// Publish makes the entry given by Add visible.
//
//fabric:fastpath
func (q *Queue) Publish() { q.publish() }

// PutErr writes an error entry that fills a reserved place.
func (q *Queue) PutErr(e ErrEntry) { q.putErr(e, markReserved) }

// AddErr writes an error entry that was not reserved.
func (q *Queue) AddErr(e ErrEntry) { q.putErr(e, 0) }

func (q *Queue) putErr(e ErrEntry, mark fi.CompFlags) {
	q.errs = append(q.errs, e)
	relstore.Uint64(&q.failed, q.failed+1)
	s := q.next()
	*s = Entry{Flags: markErr | mark}
	q.publish()
}

func (q *Queue) next() *Entry {
	if q.tail-q.head > uint64(q.mask) {
		q.grow()
	}
	return &q.ring[q.tail&uint64(q.mask)]
}

func (q *Queue) publish() {
	relstore.Uint64(&q.tail, q.tail+1)
	if atomic.LoadUint32(&q.waiting) != 0 {
		q.Ring()
	}
}

// grow doubles the ring: receives are not reserved.
//
//go:noinline
func (q *Queue) grow() {
	n := uint64(len(q.ring))
	ring := make([]Entry, 2*n)
	for p := q.head; p != q.tail; p++ {
		ring[p&(2*n-1)] = q.ring[p&uint64(q.mask)]
	}
	q.ring, q.mask = ring, uint32(2*n-1)
}

// Read moves up to len(dst) entries; it stops before an error entry. 0 with more true says that the next one is an
// error.
//
//fabric:fastpath
func (q *Queue) Read(dst []Entry) (n int, isErr bool) {
	head := q.head
	deep := q.tail - head
	if deep > q.most { // it has grown since the last read, and shrinks only by reads
		relstore.Uint64(&q.most, deep)
	}
	dst = dst[:min(int(deep), len(dst))]
	reserved := uint32(0)
	for i := range dst {
		e := &q.ring[head&uint64(q.mask)]
		f := e.Flags
		if f&markErr != 0 {
			isErr = i == 0
			break
		}
		// Field by field: the entry was mostly written just now, in words, and a wider load would have to wait until those
		// have left the store buffer.
		d := &dst[i]
		d.Flags, d.Len, d.Data, d.Tag, d.Src = f&^markReserved, e.Len, e.Data, e.Tag, e.Src
		d.Context, d.Buf = e.Context, e.Buf
		reserved += uint32(f >> 63)
		head++
	}
	n = int(head - q.head)
	q.reserved -= reserved
	relstore.Uint64(&q.head, head)
	return n, isErr
}

// NextIsErr tells whether the oldest entry is an error.
func (q *Queue) NextIsErr() bool {
	return q.head != q.tail && q.ring[q.head&uint64(q.mask)].Flags&markErr != 0
}

// ReadErr takes the oldest entry if it is an error.
func (q *Queue) ReadErr(dst *ErrEntry) bool {
	if !q.NextIsErr() {
		return false
	}
	e := &q.ring[q.head&uint64(q.mask)]
	if e.Flags&markReserved != 0 {
		q.reserved--
	}
	if deep := q.tail - q.head; deep > q.most {
		relstore.Uint64(&q.most, deep)
	}
	*dst = q.errs[0]
	q.errs[0] = ErrEntry{}
	q.errs = q.errs[1:]
	if len(q.errs) == 0 {
		q.errs = nil
	}
	*e = Entry{}
	relstore.Uint64(&q.head, q.head+1)
	return true
}

// Want registers (delta 1) and removes (delta -1) a reader that waits for the bell. No lock needed.
func (q *Queue) Want(delta int32) { atomic.AddUint32(&q.waiting, uint32(delta)) }

// Bell is what a waiting reader receives from; one ring wakes one reader. No lock needed.
func (q *Queue) Bell() <-chan struct{} { return q.bell }

// OnSignal sets what else is called when an entry is written while a reader waits: a native wait object's signal.
func (q *Queue) OnSignal(f func()) { q.signal = f }

// Close drops what the queue holds, and makes it look, for ever, as if an error came next: readers then see that it is
// closed. ReadErr must not be called any more.
func (q *Queue) Close() {
	q.final = q.Stats()
	atomic.StoreUint32(&q.closed, 1)
	clear(q.ring)
	q.errs = nil
	q.ring[q.head&uint64(q.mask)].Flags = markErr
	relstore.Uint64(&q.tail, q.head+1)
}

// Ring wakes one waiting reader. No lock needed.
//
//go:noinline
func (q *Queue) Ring() {
	if q.signal != nil {
		q.signal()
	}
	select {
	case q.bell <- struct{}{}:
	default:
	}
}
