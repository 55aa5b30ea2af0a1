package tcp

import (
	"syscall"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// room gives n contiguous bytes at the end of the stage, which become part of the stream: the caller fills them. nil
// says that there is none now. n is at most copyMax and a header.
//
//fabric:fastpath
func (c *conn) room(n int) []byte {
	if c.stage == nil {
		c.stage = c.s.getChunk()
	}
	if c.used+n > chunkSize {
		if c.flush(); c.state == connDead || c.stage != nil && c.used+n > chunkSize {
			return nil
		}
		if c.stage == nil {
			c.stage = c.s.getChunk()
		}
	}
	b := c.stage.b[c.used : c.used+n]
	if c.staged {
		s := c.out.Last()
		s.b = s.b[:len(s.b)+n]
	} else {
		c.out.Push(segment{b: c.stage.b[c.used : c.used+n]})
		c.staged = true
	}
	c.used += n
	return b
}

// trim gives the last n bytes of room back.
func (c *conn) trim(n int) {
	s := c.out.Last()
	s.b = s.b[:len(s.b)-n]
	c.used -= n
}

// answerRoom is room for what a peer has asked for. It is always there, for a peer that writes more than it reads is
// read no more; see [conn.tooManyAnswers].
func (c *conn) answerRoom(n int) []byte {
	if c.stage != nil && c.used+n > chunkSize {
		c.full = append(c.full, c.stage)
		c.stage, c.used, c.staged = nil, 0, false
	}
	return c.room(n)
}

// tooManyAnswers tells whether the peer has to take some before we read more from it.
func (c *conn) tooManyAnswers() bool { return len(c.full) > 4 || c.out.Len() > 4096 }

// refer makes a buffer part of the stream. o, if any, waits until it is written; r is the region whose memory it is.
func (c *conn) refer(b []byte, o *op, r *mr.Region) {
	c.out.Push(segment{b: b, o: o, r: r})
	c.staged = false
}

// markDirty has the next poll write.
func (c *conn) markDirty() {
	if !c.isDirty {
		c.isDirty = true
		c.s.dirty = append(c.s.dirty, c)
		c.s.d.eng.Kick()
	}
}

// push sends what was just posted on its way: at once when the connection has not written since the last poll, with
// what comes later otherwise.
//
//fabric:fastpath
func (c *conn) push(fl fi.OpFlags) {
	if fl&fi.OpMore != 0 || c.isDirty && c.s.gathers || c.wrote == c.s.epoch && c.s.gathers {
		c.markDirty()
		return
	}
	if c.flush(); c.out.Len() > 0 {
		c.markDirty()
	}
}

// pushLarge is push for what is not gathered.
func (c *conn) pushLarge(fl fi.OpFlags) {
	if fl&fi.OpMore == 0 {
		c.flush()
	}
	if c.out.Len() > 0 {
		c.markDirty()
	}
}

// flush writes what the socket takes.
//
//fabric:fastpath
func (c *conn) flush() {
	if c.dying {
		c.discard()
		return
	}
	if c.blocked && c.inSet {
		return // the set will tell
	}
	for range writeMost {
		if c.out.Len() == 0 || c.state == connDead {
			return
		}
		if !c.writeOnce() {
			return
		}
	}
}

// discard drops what cannot be written any more.
//
//go:noinline
func (c *conn) discard() {
	if c.out.Len() > 0 {
		c.out.Drop()
		c.drained()
	}
}

// writeOnce makes one call; false when another one would be in vain.
func (c *conn) writeOnce() bool {
	c.wrote = c.s.epoch
	first := c.out.First().b
	if c.out.Len() == 1 && len(first) <= callMost {
		n, errno := sysWrite(c.fd, first)
		if errno != 0 {
			return c.writeFailed(errno)
		}
		if c.trace != nil {
			c.traceWritten(n)
		}
		c.wroteSince += n
		if n == len(first) {
			c.wroteAll()
			return false
		}
		c.consume(n)
		c.setBlocked(true)
		return false
	}
	v := &c.s.v
	v.reset()
	for _, s := range c.out.All() {
		b := s.b
		if len(b) > callMost-v.bytes {
			b = b[:callMost-v.bytes]
		}
		if len(b) > 0 {
			v.add(b)
		}
		if v.full() || v.bytes == callMost {
			break
		}
	}
	n, errno := v.writev(c.fd)
	short := n < v.bytes
	v.clear()
	if errno != 0 {
		return c.writeFailed(errno)
	}
	if c.trace != nil {
		c.traceWritten(n)
	}
	c.wroteSince += n
	c.consume(n)
	if short && c.state != connDead {
		c.setBlocked(true)
	}
	return !short
}

// wroteAll is consume of the only segment.
func (c *conn) wroteAll() {
	o := c.out.Pop().o
	c.drained()
	if o != nil {
		c.written(o)
	}
}

// consume drops n bytes that were written. Operations hear of it when all of them are dropped: one that ends may lead to
// another write.
func (c *conn) consume(n int) {
	c.setBlocked(false)
	var first, last *op // linked by next
	for c.out.Len() > 0 {
		s := c.out.First()
		if n < len(s.b) {
			s.b = s.b[n:]
			break
		}
		n -= len(s.b)
		if o := c.out.Pop().o; o != nil {
			if first == nil {
				first = o
			} else {
				last.next = o
			}
			last = o
		}
		if n == 0 && c.out.Len() > 0 && len(c.out.First().b) > 0 {
			break
		}
	}
	if c.out.Len() == 0 {
		c.drained()
	}
	if c.glut && !c.tooManyAnswers() {
		c.setGlut(false)
	}
	for o := first; o != nil && c.state != connDead; {
		next := o.next
		o.next = nil
		c.written(o)
		o = next
	}
}

// drained gives the stage back: nothing refers to it.
func (c *conn) drained() {
	c.setBlocked(false)
	c.staged, c.used = false, 0
	if c.stage != nil {
		c.s.putChunk(c.stage)
		c.stage = nil
	}
	for i, b := range c.full {
		c.s.putChunk(b)
		c.full[i] = nil
	}
	c.full = c.full[:0]
	if c.glut {
		c.setGlut(false)
	}
}

//go:noinline
func (c *conn) writeFailed(errno error) bool {
	switch errno {
	case errIntr:
		return true
	case errAgain:
		c.setBlocked(true)
	default: // what has come before is still there to be read
		if e, ok := errno.(syscall.Errno); ok { //nolint:errorlint // documented: bare values
			c.endWith(e)
		}
		c.s.expire(c)
	}
	return false
}
