package tcp

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// op is an operation of ours that is not complete when it was posted: it waits for a connection or a fence, its buffers
// are being written, or the peer has to answer. Operations come from a list of the endpoint, so that the steady state
// allocates nothing.
type op struct {
	kind opKind
	comp fi.CompFlags // kind of its completion
	fl   fi.OpFlags
	ctx  any
	to   *peer
	c    *conn    // it is on its way there
	iov  [][]byte // local buffers
	n    int      // bytes of them

	tag, data uint64
	rma       [rmaLimit]fi.RMAIov
	ranges    int

	k               *fiatomic.Kernel
	compare, result [][]byte

	placed bool // it has a place of a shared transmit context
	parent *op  // of a part of an atomic with several ranges
	part   rdm.Part
	parts  int // open parts
	err    fi.Errno
	text   string

	id      uint32
	age     uint64
	state   opState
	waits   waitBits
	rts     uint8 // the context of a plain announcement; 0: none
	moved   int   // bytes that were pulled, or that have been read
	pulling int   // bytes that the peer has asked for
	flat    []byte
	next    *op
}

type opKind uint8

const (
	opSend opKind = iota
	opWrite
	opRead
	opAtomic
	opWhole // has parts
)

type opState uint8

const (
	opFree     opState = iota
	opDeferred         // waits here
	opUnderWay
	opAnnounced // the peer has to ask for its data
	opCanceling // the peer was asked to give it back
)

// waitBits are what an operation waits for.
type waitBits uint8

const (
	waitWritten waitBits = 1 << iota // its buffers are referred to by what is to be written
	waitAnswer                       // of the peer
)

// ids are index+1 | generation<<16: an answer to an operation that has ended is recognised.
const idIndex = 1<<16 - 1

// mostOps is how many operations may be in flight.
func (e *endpoint) mostOps() int { return min(e.d.cfg.txSize, idIndex) }

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
		if len(e.ops) >= e.mostOps() {
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

// recycle gives an operation back to the list.
func (e *endpoint) recycle(o *op) {
	if o.placed {
		e.SharedTx.Give()
		e.pending.Add(-1)
	}
	clear(o.iov)
	clear(o.compare)
	clear(o.result)
	flat := o.flat[:0]
	if cap(flat) > copyMax {
		flat = nil
	}
	*o = op{id: o.id, iov: o.iov[:0], compare: o.compare[:0], result: o.result[:0], flat: flat, next: e.freeOps}
	e.freeOps = o
	e.liveOps--
}

// find gives the operation of an id that the peer of c named; nil when none such is under way there.
func (c *conn) find(id uint32) *op {
	i := int(id&idIndex) - 1
	if i < 0 || i >= len(c.owner.ops) {
		return nil
	}
	if o := c.owner.ops[i]; o.id == id && o.c == c {
		return o
	}
	return nil
}

// own copies injected data, whose buffer the caller gets back.
func (o *op) own() {
	if o.fl&fi.OpInject == 0 || o.kind == opRead || len(o.iov)+len(o.compare) == 0 || len(o.flat) > 0 {
		return
	}
	if len(o.compare) > 0 {
		var flat []byte
		for _, b := range o.compare {
			flat = append(flat, b...)
		}
		clear(o.compare)
		o.compare = append(o.compare[:0], flat)
	}
	for _, b := range o.iov {
		o.flat = append(o.flat, b...)
	}
	clear(o.iov)
	o.iov = append(o.iov[:0], o.flat)
}

// gather copies the local buffers from off on to dst.
func gather(dst []byte, iov [][]byte, off int) {
	for _, b := range iov {
		if off >= len(b) {
			off -= len(b)
			continue
		}
		n := copy(dst, b[off:])
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
		n := copy(b[off:], src)
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

// reached says that something has happened for which an operation waits.
func (o *op) reached(what waitBits) {
	o.waits &^= what
	if o.waits == 0 && o.c != nil {
		o.c.end(o, o.err, o.text)
	}
}

// end completes an operation that was under way and lets go on what waited for it.
func (c *conn) end(o *op, err fi.Errno, text string) {
	p := o.to
	if o.c != nil {
		p.inFlight--
		if o.rts != 0 {
			c.plainRTS[o.rts] = nil
		}
	}
	c.owner.finish(o, err, text)
	switch {
	case p.deferred.Len() > 0:
		p.resume()
	case p.refs == 0 && p.inFlight == 0 && p.c == c:
		c.takeLeave() // it had to wait for this
	}
}

// finish writes the completion of an operation, or notes that of a part, and recycles it.
func (e *endpoint) finish(o *op, err fi.Errno, text string) {
	if w := o.parent; w != nil {
		if err != 0 && w.err == 0 {
			w.err, w.text = err, text
		}
		e.recycle(o)
		if w.parts--; w.parts == 0 {
			e.finish(w, w.err, w.text)
		}
		return
	}
	e.TxEnd(o.ctx, o.fl, o.comp, o.n, o.tag, err, text)
	e.recycle(o)
}
