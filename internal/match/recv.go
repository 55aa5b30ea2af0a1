package match

import "github.com/gofabric/gofabric/fi"

// A Recv is a posted receive. The queue owns it while it is posted. Arrive, Next, Cancel and Drain hand it out, and
// whoever got it reads it until Done; each of them is answered by one Done.
type Recv struct {
	// Two cache lines: the node, and the rest.
	n node[Recv]

	Buf   []byte     // where the message goes; of a multi-receive: what is left of it; nil if there is a vector
	Ctx   any        // the operation's context
	Flags fi.OpFlags // as posted
	vec   *[][]byte  // kept when the receive is used again
	uses  int32      // isPosted while it is in the table, and one for each that holds it; 0: free
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

// Iov is the vector of a receive of several buffers, else empty. It is valid until Done.
func (r *Recv) Iov() [][]byte {
	if r.vec == nil {
		return nil
	}
	return *r.vec
}

// Len is the room for a message in bytes; of a multi-receive: what is left.
func (r *Recv) Len() int {
	n := len(r.Buf)
	for _, b := range r.Iov() {
		n += len(b)
	}
	return n
}

func (r *Recv) posted() bool { return r.uses&isPosted != 0 }

// setIov gives the receive a copy of a vector.
func (r *Recv) setIov(iov [][]byte) {
	if r.vec == nil {
		r.vec = new([][]byte)
	}
	*r.vec = append((*r.vec)[:0], iov...)
}

// slot gives a free receive.
//
//fabric:fastpath
func (q *Queue) slot() *Recv {
	n := q.free
	if n == nil {
		return q.newRecv()
	}
	q.free = n.chain
	q.frees--
	return n.owner
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
	if r.uses != 1 || r.vec != nil || q.frees >= poolLimit {
		return q.doneSlow(r)
	}
	r.uses, r.Buf, r.Ctx = 0, nil, nil
	r.n.chain, q.free = q.free, &r.n
	q.frees++
	return r.Multi()
}

// doneSlow is Done when others hold the receive too, or it has had a vector, or there are many free ones.
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
	if r.vec != nil {
		clear(*r.vec)
		*r.vec = (*r.vec)[:0]
	}
	if q.frees < poolLimit {
		r.n.chain, q.free = q.free, &r.n
		q.frees++
	} else {
		r.n = node[Recv]{} // the collector gets it, and its neighbours do not wait for it
	}
	return r.Multi()
}
