package match

import "github.com/gofabric/gofabric/fi"

// A Recv is a posted receive. The queue owns it while it is posted. Arrive, Next, Cancel and Drain hand it out, and
// whoever got it reads it until Done; each of them is answered by one Done.
type Recv struct {
	n     node[Recv]
	class *class
	uses  int32 // isPosted while it is in the table, and one for each that holds it; 0: free

	Buf   []byte     // where the message goes; of a multi-receive: what is left of it
	Ctx   any        // the operation's context
	Flags fi.OpFlags // as posted
	Iov   [][]byte   // instead of Buf when there are several buffers, else empty; valid until Done

	nextFree *Recv
}

// isPosted is in Recv.uses.
const isPosted = 1 << 30

// Src is the source that the receive names, or [fi.AddrUnspec].
func (r *Recv) Src() fi.Addr { return fi.Addr(r.n.src) }

// Tag is the tag of the receive; bits that it ignores are 0.
func (r *Recv) Tag() uint64 { return r.n.tag }

// Group is the peer group of the receive.
func (r *Recv) Group() uint32 { return uint32(r.n.kind) }

// Multi says that the receive takes many messages (FI_MULTI_RECV).
func (r *Recv) Multi() bool { return r.Flags&fi.OpMultiRecv != 0 }

// Len is the room for a message in bytes; of a multi-receive: what is left.
func (r *Recv) Len() int {
	n := len(r.Buf)
	for _, b := range r.Iov {
		n += len(b)
	}
	return n
}

func (r *Recv) posted() bool { return r.uses&isPosted != 0 }

// slot gives a free receive.
//
//fabric:fastpath
func (q *Queue) slot() *Recv {
	r := q.free
	if r == nil {
		return q.newRecv()
	}
	q.free = r.nextFree
	q.frees--
	return r
}

// newRecv makes a receive; a queue's first one comes from here.
//
//go:noinline
func (q *Queue) newRecv() *Recv {
	if q.classes.recent == nil {
		q.classes.recent = &noClass
	}
	r := new(Recv)
	r.n.owner = r
	return r
}

// Done ends the use of a receive that was handed out; after it the pointer means nothing any more. It reports whether
// this gave a multi-receive's buffer back to the application: it takes no more messages and no transfer into it runs.
// The completion that belongs to the call then carries FI_MULTI_RECV. For other receives Done reports false.
//
//fabric:fastpath
func (q *Queue) Done(r *Recv) (released bool) {
	if r.uses != 1 || len(r.Iov) != 0 || q.frees >= poolLimit {
		return q.doneSlow(r)
	}
	r.uses, r.Buf, r.Ctx = 0, nil, nil
	r.nextFree, q.free = q.free, r
	q.frees++
	return r.Multi()
}

// doneSlow is Done when others hold the receive too, or it has several buffers, or there are many free ones.
//
//go:noinline
func (q *Queue) doneSlow(r *Recv) (released bool) {
	if r.uses != 1 {
		if r.uses&^isPosted > 0 {
			r.uses--
		}
		return false
	}
	r.uses, r.Buf, r.Ctx = 0, nil, nil
	clear(r.Iov)
	r.Iov = r.Iov[:0]
	if q.frees < poolLimit {
		r.nextFree, q.free = q.free, r
		q.frees++
	} else {
		r.n = node[Recv]{} // the collector gets it, and its neighbours do not wait for it
	}
	return r.Multi()
}
