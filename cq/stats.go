package cq

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
)

// Stats gives the queue's numbers, of a closed queue the last ones. It takes no lock, and may be called beside anything;
// numbers that change meanwhile may be of slightly different times. Sleeps are not known here.
func (q *Queue) Stats() fi.QueueStats {
	if atomic.LoadUint32(&q.closed) != 0 {
		return q.final
	}
	s := fi.QueueStats{Errors: atomic.LoadUint64(&q.failed), Full: atomic.LoadUint64(&q.full), MostDeep: atomic.LoadUint64(&q.most)}
	for range 10 { // mostly once: both of one moment
		s.Read = atomic.LoadUint64(&q.head)
		s.Written = max(atomic.LoadUint64(&q.tail), s.Read)
		if atomic.LoadUint64(&q.head) == s.Read {
			break
		}
	}
	if atomic.LoadUint32(&q.closed) != 0 { // meanwhile: tail says so to readers
		return q.final
	}
	s.Depth = s.Written - s.Read
	s.MostDeep = max(s.MostDeep, s.Depth)
	return s
}
