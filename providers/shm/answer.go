package shm

import "github.com/gofabric/gofabric/fi"

// Answers of a peer to operations of ours. Each names the operation, and is taken only by one that waits for that kind
// of answer in that state: an operation that ends while its data still travels would hand its place, and the next one's
// buffers, to what is left of the transfer.

// owed gives the operation that the peer answers; nil when it owes no such answer.
func (p *pair) owed(id uint64, kind opKind) *op {
	o := p.find(uint32(id))
	if o == nil || id>>32 != 0 || o.kind != kind || o.pushing {
		return nil
	}
	return o
}

// acked says that a message of ours is matched, and fetched or dropped.
func (p *pair) acked(id uint64) bool {
	o := p.owed(id, opKindSend)
	if o == nil {
		return false
	}
	p.end(o, 0, "")
	return true
}

// written says that a write of ours has ended.
func (p *pair) written(id, status uint64) bool {
	o := p.owed(id, opKindWrite)
	if o == nil {
		return false
	}
	p.end(o, errnoOf(status), "")
	return true
}

// started says that the peer is ready for n bytes of an operation, by blocks.
func (p *pair) started(id, n uint64) bool {
	o := p.owed(id, opKindSend)
	if o == nil {
		o = p.owed(id, opKindWrite)
	}
	if o == nil || o.state == opMoving || n == 0 || n > uint64(o.n) {
		return false
	}
	o.state = opMoving
	o.pushing = true
	w := p.newOutward()
	w.id, w.iov, w.size, w.o = o.id, o.iov, int(n), o
	p.pushData(w)
	return true
}

// readBytes is the answer to a read.
func (p *pair) readBytes(id, status uint64, payload []byte) bool {
	o := p.owed(id, opKindRead)
	if o == nil {
		return false
	}
	in := p.inbound[inKey(o.id, blockOfRead)]
	if err := errnoOf(status); err != 0 {
		if in != nil {
			delete(p.inbound, inKey(o.id, blockOfRead))
			p.dropInbound(in)
		}
		p.end(o, err, "")
		return true
	}
	if in != nil || len(payload) != o.n {
		return false
	}
	scatter(o.iov, 0, payload)
	p.end(o, 0, "")
	return true
}

// atomicResult is the answer to an atomic.
func (p *pair) atomicResult(id, status uint64, payload []byte) bool {
	o := p.owed(id, opKindAtomic)
	if o == nil {
		return false
	}
	err := errnoOf(status)
	if err == 0 {
		want := 0
		if o.k.GivesResult() {
			want = o.n
		}
		if len(payload) != want {
			return false
		}
		scatter(o.result, 0, payload)
	}
	p.end(o, err, "")
	return true
}

// canceled is the answer to our question for a message back.
func (p *pair) canceled(id uint64, taken bool) bool {
	o := p.find(uint32(id))
	switch {
	case o == nil: // it was answered while the question travelled
		return true
	case taken && o.state != opCanceling:
		return false
	case taken:
		p.end(o, fi.ErrCanceled, "")
	case o.state == opCanceling:
		o.state = opInFlight
	}
	return true
}

// errnoOf is an error number that a peer sent.
func errnoOf(v uint64) fi.Errno {
	if v > 1<<15 {
		return fi.ErrOther
	}
	return fi.Errno(v)
}
