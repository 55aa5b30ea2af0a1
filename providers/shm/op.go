package shm

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/memcopy"
	"github.com/gofabric/gofabric/mr"
)

// op is an operation of ours that could not be done at once: it waits for the connection, for a fence, or for the peer's
// answer. Operations come from a list of the endpoint, so that the steady state allocates nothing.
type op struct {
	kind opKind
	comp fi.CompFlags // kind of its completion
	fl   fi.OpFlags
	ctx  any
	to   *pair
	iov  [][]byte // local buffers
	n    int      // bytes of them

	tag, data uint64
	group     uint16

	key, addr uint64 // remote memory

	k               *fiatomic.Kernel
	compare, result [][]byte

	placed bool // it has a place of a shared transmit context
	parent *op  // of a part of an operation with several remote ranges
	part   rdm.Part
	parts  int  // open parts of a parent
	told   bool // of a parent: the target executes a part of it, and has to have the rest
	err    fi.Errno
	text   string

	id       uint32
	state    opState
	age      uint64    // older ones have a smaller one
	blocking bool      // later operations to the peer wait for it
	held     *mr.Block // keeps memory that the peer copies from
	pushing  bool      // its data is going into blocks
	total    int       // of a parent: bytes of all parts
	flat     []byte    // a copy of injected data; reused
	next     *op
}

type opKind uint8

const (
	opKindSend opKind = iota
	opKindWrite
	opKindRead
	opKindAtomic
	opKindParent
)

type opState uint8

const (
	opFree      opState = iota
	opWaiting           // deferred
	opInFlight          // the peer will answer
	opMoving            // the peer is fetching, or we push
	opCanceling         // the peer was asked to give it back
	opWhole             // its parts are on their way
)

// ids are index+1 | generation<<16: an answer to an operation that has ended is recognised.
const idIndex = 1<<16 - 1

// newOp takes an operation from the list; nil when too many are in flight.
func (e *endpoint) newOp() *op {
	if !e.SharedTx.Take() {
		return nil
	}
	o := e.newPart()
	if o == nil {
		e.SharedTx.Give()
		return nil
	}
	o.placed = true
	e.pending.Add(1)
	return o
}

// newPart is newOp for a part of an operation that has its place in a shared context already.
func (e *endpoint) newPart() *op {
	o := e.freeOps
	if o == nil {
		if len(e.ops) >= e.d.cfg.txSize || len(e.ops) >= idIndex {
			return nil
		}
		o = &op{id: uint32(len(e.ops)) + 1}
		e.ops = append(e.ops, o)
	} else {
		e.freeOps, o.next = o.next, nil
	}
	o.id += 1 << 16 // next generation
	e.liveOps++
	e.ages++
	o.age = e.ages
	return o
}

// find gives the operation of an id that a peer named; nil when it has none in flight.
func (p *pair) find(id uint32) *op {
	i := int(id&idIndex) - 1
	if i < 0 || i >= len(p.ep.ops) {
		return nil
	}
	if o := p.ep.ops[i]; o.id == id && o.to == p && o.state >= opInFlight {
		return o
	}
	return nil
}

// recycle gives an operation back to the list.
func (e *endpoint) recycle(o *op) {
	if o.held != nil {
		o.held.Release()
	}
	if o.placed {
		e.SharedTx.Give()
		e.pending.Add(-1)
	}
	clear(o.iov)
	clear(o.compare)
	clear(o.result)
	*o = op{id: o.id, iov: o.iov[:0], compare: o.compare[:0], result: o.result[:0], flat: o.flat[:0], next: e.freeOps}
	e.freeOps = o
	e.liveOps--
}

// own copies injected data, whose buffer the caller gets back.
func (o *op) own() {
	if o.fl&fi.OpInject == 0 || o.kind == opKindRead || len(o.iov) == 0 {
		return
	}
	o.flat = o.flat[:0]
	for _, b := range o.iov {
		o.flat = append(o.flat, b...)
	}
	clear(o.iov)
	o.iov = append(o.iov[:0], o.flat)
}

// gather copies n bytes of the local buffers, from off on, to dst.
func (o *op) gather(dst []byte, off int) { gather(dst, o.iov, off) }

func gather(dst []byte, iov [][]byte, off int) {
	for _, b := range iov {
		if off >= len(b) {
			off -= len(b)
			continue
		}
		n := memcopy.Out(dst, b[off:])
		if dst = dst[n:]; len(dst) == 0 {
			return
		}
		off = 0
	}
}

// scatter copies src to the buffers, from off on.
func scatter(iov [][]byte, off int, src []byte) {
	for _, b := range iov {
		if off >= len(b) {
			off -= len(b)
			continue
		}
		n := memcopy.In(b[off:], src)
		if src = src[n:]; len(src) == 0 {
			return
		}
		off = 0
	}
}

// piece gives the contiguous part of the buffers at off, at most n bytes.
func piece(iov [][]byte, off, n int) []byte {
	for _, b := range iov {
		if off < len(b) {
			return b[off:min(off+n, len(b))]
		}
		off -= len(b)
	}
	return nil
}

func length(iov [][]byte) (n int) {
	for _, b := range iov {
		n += len(b)
	}
	return n
}

// answer is how many bytes come back through the ring. The target has to keep what finds no room there, so their sum is
// bounded: beyond maxAwaited bytes on the way an operation waits.
func (o *op) answer() int {
	if o.kind == opKindRead && o.n <= eagerMax || o.kind == opKindAtomic && o.k.GivesResult() {
		return o.n
	}
	return 0
}

func (p *pair) tooMuch(o *op) bool { return p.awaited > 0 && p.awaited+o.answer() > maxAwaited }

const maxAwaited = 1 << 20

// launched counts an operation that the peer will answer.
func (p *pair) launched(o *op, blocking bool) {
	o.state, o.blocking = opInFlight, blocking
	p.inFlight++
	p.awaited += o.answer()
	if o.kind != opKindSend {
		p.accesses++
	}
	if blocking {
		p.blocking++
		p.waiting++
	}
}

// end completes an operation, as a success when err is 0, and lets go on what waited for it.
func (p *pair) end(o *op, err fi.Errno, text string) {
	if o.state >= opInFlight {
		p.inFlight--
		p.awaited -= o.answer()
		if o.blocking {
			p.blocking--
			p.waiting--
		}
		if o.kind != opKindSend {
			p.accesses--
		}
	}
	e := p.ep
	if parent := o.parent; parent != nil {
		if err != 0 && parent.err == 0 {
			parent.err, parent.text = err, text
		}
		e.recycle(o)
		if parent.parts--; parent.parts == 0 {
			e.complete(parent, parent.err, parent.text)
		}
	} else {
		e.complete(o, err, text)
	}
	if p.deferred.Len() > 0 {
		p.resume()
	}
}

// complete writes the completion of an operation and recycles it.
func (e *endpoint) complete(o *op, err fi.Errno, text string) {
	n := o.n
	if o.kind == opKindParent {
		n = o.total
	}
	e.TxEnd(o.ctx, o.fl, o.comp, n, o.tag, err, text)
	e.recycle(o)
}

// submit accepts an operation that was filled in, or returns why not; the operation is then recycled. With the lock.
func (e *endpoint) submit(o *op, to fi.Addr) error {
	p, err := e.pairFor(to)
	if err != 0 {
		e.recycle(o)
		return err
	}
	if !e.Reserve(o.fl) {
		e.recycle(o)
		return e.NoRoom()
	}
	o.to = p
	if p.mustWait(o) {
		p.deferOp(o)
		return nil
	}
	switch p.issue(o) {
	case full:
		e.Unreserve(o.fl)
		e.recycle(o)
		return e.NoRoom()
	case later:
		p.deferOp(o)
	}
	return nil
}

func (p *pair) deferOp(o *op) {
	o.own()
	o.state = opWaiting
	p.deferred.Push(o)
	p.waiting++
}

// mustWait tells whether an operation has to stay behind others.
func (p *pair) mustWait(o *op) bool {
	return p.state != ready || p.deferred.Len() > 0 || p.blocking > 0 || o.fl&fi.OpFence != 0 && p.inFlight > 0
}

// outcome is what issuing an operation led to.
type outcome uint8

const (
	issued outcome = iota // it is under way or done
	full                  // the ring is full
	later                 // something must come first: a mapping
)

// issue starts an operation.
func (p *pair) issue(o *op) outcome {
	switch o.kind {
	case opKindSend:
		return p.issueSend(o)
	case opKindAtomic:
		return p.issueAtomic(o)
	}
	return p.issueAccess(o)
}

// resume issues what was deferred, as far as it may.
func (p *pair) resume() {
	if p.resuming {
		return // end, called by issue, called by us
	}
	p.resuming = true
	stalled := false
	for p.state == ready && p.deferred.Len() > 0 {
		o := *p.deferred.First()
		if p.blocking > 0 || o.fl&fi.OpFence != 0 && p.inFlight > 0 {
			break
		}
		p.deferred.Pop()
		p.waiting--
		r := p.issue(o)
		if r != issued {
			p.deferred.PutBack(o)
			p.waiting++
			stalled = r == full
			break
		}
	}
	if stalled != p.stalled {
		p.stalled = stalled
		if stalled {
			p.d.src.work.stick(1)
		} else {
			p.d.src.work.stick(-1)
		}
	}
	p.resuming = false
}

var _ rdm.Wire = (*pair)(nil)
