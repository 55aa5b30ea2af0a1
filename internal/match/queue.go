package match

import "sync/atomic"

// A Queue holds the posted receives and the unexpected messages of one endpoint (or shared receive context), for
// tagged messages or for untagged ones (tag and ignore 0). Its zero value is ready.
//
// No posted receive matches a queued message: Post looks among the messages before it stores a receive, Arrive among
// the receives before the caller keeps a message.
//
// A Queue has no lock; its owner serialises the calls. Callbacks run inside the call and may use the queue as their
// function says.
type Queue struct {
	// Posted receives.
	seq     uint64 // age of the youngest receive or message
	posted  uint64 // receives in the table; others look at it without the owner's lock
	classes classes
	recvs   table[Recv]
	free    *node[Recv]
	frees   int
	byCtx   ctxIndex

	// Unexpected messages, in the order of their arrival.
	first, last  *Msg
	claimed      *Msg // reserved ones, oldest first
	lastClaimed  *Msg
	unexpected   uint64 // in the list from first to last; looked at by others, as bytes
	bytes        uint64
	indexes      [maxIndexes]index
	indexed      int // the indexes in use are the first ones
	debt         int // messages looked at in vain since the last index was made
	tick         uint64
	spareMsgs    pool[Msg]
	spareNodes   pool[node[Msg]]
	spareBuffers buffers
}

// Posted is the number of receives that wait for messages. Like Unexpected and Bytes it may be called beside anything.
func (q *Queue) Posted() int { return int(atomic.LoadUint64(&q.posted)) }

// Unexpected is the number of messages that wait for a receive, without the claimed ones.
func (q *Queue) Unexpected() int { return int(atomic.LoadUint64(&q.unexpected)) }

// Bytes is the memory that unexpected messages hold, in bytes: a fixed part each and the kept payloads. It counts
// claimed messages and those that were taken but not yet freed.
func (q *Queue) Bytes() int { return int(atomic.LoadUint64(&q.bytes)) }

// age gives the next sequence number.
func (q *Queue) age() uint64 {
	q.seq++
	return q.seq
}
