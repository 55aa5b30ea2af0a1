package tcp

import (
	"syscall"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// incoming is the payload that is arriving.
type incoming struct {
	sink   sink
	left   int // bytes still to come
	off    int // bytes that have come
	t      *rdm.Transfer
	saved  *savedMsg
	o      *op
	pieces [][]byte // of the regions that a write goes to
	region *mr.Region
	ranges []rdm.Range // of a write
	data   uint64
	flags  inFlags
	id     uint32   // the sender's operation (extension)
	serial uint64   // of a message that is arriving
	err    fi.Errno // what becomes of a write that is dropped
}

// sink is where a payload goes.
type sink uint8

const (
	sinkNone   sink = iota // between messages
	sinkMsg                // into a receive: t
	sinkSaved              // into saved
	sinkWait               // nowhere yet: there is no room, and no receive
	sinkWrite              // into regions
	sinkRead               // into the buffers of o
	sinkDrop               // nobody wants it
	sinkAtomic             // into operands
	sinkPulled             // into t, a piece of an announced message
)

type inFlags uint8

const (
	inAck      inFlags = 1 << iota // a plain ack is wanted when all has come
	inData                         // a write with data
	inDone                         // an ExtDone is wanted when all has come
	inLastPart                     // the answer to a read is whole with this
)

// savedMsg is a long message, or what has come of it, that no receive has matched.
type savedMsg struct {
	b        []byte
	complete bool
	done     uint32 // the sender wants to hear when it is delivered
}

// place gives the next contiguous bytes for the payload; empty when what comes is dropped.
//
//fabric:fastpath
func (c *conn) place() []byte {
	in := &c.in
	switch in.sink {
	case sinkMsg, sinkPulled:
		if in.t.Got < in.t.Size {
			return in.t.Piece(in.t.Got, min(in.left, in.t.Size-in.t.Got))
		}
	case sinkSaved, sinkAtomic:
		return in.saved.b[in.off : in.off+in.left]
	case sinkWrite:
		return piece(in.pieces, in.off, in.left)
	case sinkRead:
		return piece(in.o.iov, in.o.moved, in.left)
	}
	return nil
}

// came counts n bytes that have come to their place, or were dropped.
func (c *conn) came(n int) {
	in := &c.in
	in.left -= n
	in.off += n
	switch in.sink {
	case sinkMsg, sinkPulled:
		in.t.Got = min(in.t.Got+n, in.t.Size)
	case sinkRead:
		in.o.moved += n
	}
}

// receive reads what the socket has, within bounds, and handles it. It tells whether anything came.
//
//fabric:fastpath
func (c *conn) receive() bool {
	found := false
	for range readMost {
		if c.state != connReady || c.isPaused {
			break
		}
		if len(c.full) > 0 && c.tooManyAnswers() {
			c.setGlut(true)
			break
		}
		n, all := c.read()
		if n <= 0 {
			break
		}
		found = true
		if !all { // the socket had less than we asked for: it is empty now
			break
		}
	}
	return found
}

// read makes one call and handles what came; all tells that everything asked for was there.
//
//fabric:fastpath
func (c *conn) read() (n int, all bool) {
	if c.buf == nil {
		c.buf = c.s.getChunk()
	}
	if c.in.sink != sinkNone && c.r == c.w {
		return c.readPayload()
	}
	if c.r == c.w {
		c.r, c.w = 0, 0
	} else if c.r > 0 && c.w+copyMax > chunkSize {
		c.w = copy(c.buf.b[:], c.buf.b[c.r:c.w])
		c.r = 0
	}
	space := c.buf.b[c.w:]
	n, errno := sysRead(c.fd, space)
	if errno != 0 || n == 0 {
		c.readFailed(errno)
		return 0, false
	}
	if c.trace != nil {
		c.traceRead(0, space[:n])
	}
	c.wroteSince = 0
	c.w += n
	c.handle()
	return n, n == len(space)
}

// readPayload reads the rest of a payload straight to its place, and what follows it into the buffer, by one call.
//
//go:noinline
func (c *conn) readPayload() (n int, all bool) {
	c.r, c.w = 0, 0
	d := c.place()
	if len(d) > callMost {
		d = d[:callMost]
	}
	v := &c.s.v
	v.reset()
	if len(d) > 0 {
		v.add(d)
	}
	if len(d) == c.in.left || len(d) == 0 {
		v.add(c.buf.b[:])
	}
	n, errno := v.readv(c.fd)
	want := v.bytes
	v.clear()
	if errno != 0 || n == 0 {
		c.readFailed(errno)
		return 0, false
	}
	k := min(n, len(d))
	if c.trace != nil {
		c.traceRead(k, c.buf.b[:n-k])
	}
	c.wroteSince = 0
	c.came(k)
	c.w = n - k
	c.handle()
	return n, n == want
}

//go:noinline
func (c *conn) readFailed(errno syscall.Errno) {
	if c.r == c.w && c.buf != nil {
		c.s.putChunk(c.buf)
		c.buf = nil
	}
	if errno == errAgain || errno == errIntr { // most polls
		return
	}
	c.endWith(errno)
	c.hungUp()
}

// hungUp says that the stream has ended.
func (c *conn) hungUp() { c.fail(c.ending()) }

// handle works off what is in the buffer.
//
//fabric:fastpath
func (c *conn) handle() {
	for c.state == connReady {
		if c.in.sink != sinkNone {
			if !c.takePayload() {
				break
			}
			continue
		}
		if c.r == c.w {
			break
		}
		if !c.message() {
			break
		}
	}
	if c.cancels != nil {
		c.withdraw()
	}
	if c.r == c.w && c.buf != nil {
		c.s.putChunk(c.buf)
		c.buf = nil
	}
}

// takePayload moves what is in the buffer to the place of the payload; false when more has to come.
func (c *conn) takePayload() bool {
	in := &c.in
	if in.sink == sinkWait {
		return false
	}
	for in.left > 0 {
		have := c.w - c.r
		if have == 0 {
			return false
		}
		d := c.place()
		k := min(have, in.left)
		if len(d) > 0 {
			k = copy(d, c.buf.b[c.r:c.r+k])
		}
		c.r += k
		c.came(k)
	}
	c.arrived()
	return c.state == connReady
}

// message handles the message at the beginning of the buffer; false when more has to come first, or there is no room.
//
//fabric:fastpath
func (c *conn) message() bool {
	h := &c.s.h
	b := c.buf.b[c.r:c.w]
	n, err := c.dec.Header(b, h)
	if n <= 0 {
		if err != nil {
			c.broken(err.Error())
		}
		return false
	}
	if h.Payload <= len(b)-n && h.Flags == 0 { // the commonest: all is here, and nobody wants an answer
		payload := b[n : n+h.Payload]
		switch h.Op {
		case wire.OpTagged:
			if !c.Eager(&c.EP.Rx.Tag, rdm.KindTRecv, h.Tag, payload) {
				return c.refused()
			}
			c.r += n + h.Payload
			return true
		case wire.OpMsg:
			if !c.Eager(&c.EP.Rx.Msg, rdm.KindRecv, 0, payload) {
				return c.refused()
			}
			c.r += n + h.Payload
			return true
		}
	}
	return c.begin(h, b, n)
}

// refused decides what becomes of a peer whose message was not taken.
//
//go:noinline
func (c *conn) refused() bool {
	if c.Later() {
		c.pause()
	} else if c.state == connReady {
		c.broken("a message that it should have announced")
	}
	return false
}

// abort ends what was arriving when the connection ended.
func (in *incoming) abort(c *conn, err fi.Errno, text string) {
	switch in.sink {
	case sinkMsg:
		c.EP.Finish(in.t, err, text)
	case sinkSaved, sinkWait:
		c.forget(in.serial)
		c.Withdraw(in.serial)
	}
	clear(in.pieces)
	*in = incoming{pieces: in.pieces[:0], ranges: in.ranges[:0]}
}
