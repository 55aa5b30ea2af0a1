package driver

import (
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
)

// EQ is an event queue as package fabric and [Events] see it. It is safe for concurrent use, has a lock of its own that
// comes after those of domains, and calls nobody with it held.
//
// It never refuses an event of a connection: each endpoint has at most two of them unread, and a passive endpoint as many
// requests as its provider lets in (see [Events.Waiting]).
type EQ struct {
	unread  atomic.Int32
	waiting atomic.Int32  // readers that want the bell
	bell    chan struct{} // rung when an event was added while somebody waits
	signal  func()        // tells a native wait object; nil when there is none

	mu      sync.Mutex
	events  []event       // oldest first; +checklocks:mu
	size    int           // how many that an application wrote may wait
	written int           // how many of them do; +checklocks:mu
	closed  bool          // +checklocks:mu
	stats   fi.QueueStats // Depth and Sleeps are not kept here; +checklocks:mu
}

// event is what waits to be read: an entry, or one in error.
type event struct {
	src   *Events // nil for what an application wrote
	entry fi.EQEntry
	err   *fi.EQErrEntry
	req   *ConnReq
}

// DefaultEQSize is how many events that an application wrote wait in a queue opened with size 0.
const DefaultEQSize = 256

// NewEQ makes a queue in which size events that an application wrote may wait.
func NewEQ(size int) *EQ {
	if size <= 0 {
		size = DefaultEQSize
	}
	return &EQ{size: size, bell: make(chan struct{}, 1)}
}

// Len is the number of events that wait to be read.
func (q *EQ) Len() int { return int(q.unread.Load()) }

// add appends an event; the caller holds q.mu and rings afterwards.
func (q *EQ) add(e event) {
	q.events = append(q.events, e)
	q.unread.Add(1)
	q.stats.Written++
	q.stats.MostDeep = max(q.stats.MostDeep, uint64(len(q.events)))
	if e.err != nil {
		q.stats.Errors++
	}
}

// rung wakes a reader if there is one. Without q.mu.
func (q *EQ) rung() {
	if q.waiting.Load() != 0 {
		q.Ring()
	}
}

// Read takes the oldest event. isErr says that it is one in error, for ReadErr. With fi.EQPeek it stays.
func (q *EQ) Read(dst *fi.EQEntry, flags fi.EQFlags) (ok, isErr bool) {
	peek := flags&fi.EQPeek != 0
	q.mu.Lock()
	if len(q.events) == 0 || q.events[0].err != nil {
		isErr = len(q.events) > 0
		q.mu.Unlock()
		return false, isErr
	}
	e := q.events[0]
	*dst = e.entry
	dst.CMData = append([]byte(nil), e.entry.CMData...)
	dst.Info = e.entry.Info.Clone()
	if !peek {
		q.shift()
	}
	q.mu.Unlock()
	if !peek {
		e.taken()
	}
	return true, false
}

// ReadErr takes the oldest event if it is one in error.
func (q *EQ) ReadErr(dst *fi.EQErrEntry) bool {
	q.mu.Lock()
	if len(q.events) == 0 || q.events[0].err == nil {
		q.mu.Unlock()
		return false
	}
	*dst = *q.events[0].err
	q.shift()
	q.mu.Unlock()
	return true
}

// shift removes the oldest event. With q.mu.
func (q *EQ) shift() {
	q.stats.Read++
	if e := &q.events[0]; e.src == nil {
		q.written--
	} else if e.req != nil {
		e.src.requests--
	}
	q.events[0] = event{}
	if q.events = q.events[1:]; len(q.events) == 0 {
		q.events = nil
	}
	q.unread.Add(-1)
}

// taken tells the provider that a request was read. Without q.mu.
func (e *event) taken() {
	if e.req != nil && e.req.Read != nil {
		e.req.Read()
	}
}

// Write adds an event of the application's; false when too many of these wait.
func (q *EQ) Write(entry fi.EQEntry) bool {
	q.mu.Lock()
	room := q.written < q.size && !q.closed
	if room {
		q.written++
		q.add(event{entry: entry})
	} else {
		q.stats.Full++
	}
	q.mu.Unlock()
	q.rung()
	return room
}

// Stats gives the queue's numbers, of a closed queue the last ones. It may be called beside anything.
func (q *EQ) Stats() fi.QueueStats {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.stats
	if !q.closed {
		s.Depth = uint64(len(q.events))
	}
	return s
}

// Close drops what the queue holds.
func (q *EQ) Close() {
	q.mu.Lock()
	q.unread.Add(-int32(len(q.events)))
	q.stats.Depth = uint64(len(q.events)) // of a closed queue the last
	q.events, q.closed = nil, true
	q.mu.Unlock()
}

// Want registers (delta 1) and removes (delta -1) a reader that waits for the bell.
func (q *EQ) Want(delta int32) { q.waiting.Add(delta) }

// Bell is what a waiting reader receives from; one ring wakes one reader.
func (q *EQ) Bell() <-chan struct{} { return q.bell }

// OnSignal sets what else is called when an event is added while a reader waits: a native wait object's signal.
func (q *EQ) OnSignal(f func()) { q.signal = f }

// Ring wakes one waiting reader.
func (q *EQ) Ring() {
	if q.signal != nil {
		q.signal()
	}
	select {
	case q.bell <- struct{}{}:
	default:
	}
}
