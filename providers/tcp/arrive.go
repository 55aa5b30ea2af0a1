package tcp

import (
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// Tokens of announced messages (rdm.Arrival.Token): the first word tells them apart, the second says how to get the data.
const (
	fromStream uint64 = iota // it is arriving, or here
	fromPull                 // extension: by ExtPull, of the operation in the first word
	fromCTS                  // plain: by a CTS of the context in the third word
)

// inStream begins the first words of messages without an operation's id; those with one have it there.
const inStream = 1 << 40

func plainToken(ctx uint8) uint64 { return 2*inStream | uint64(ctx) }

// begin handles what the header h says; b is what has come, n bytes of it the header. False when the buffer must stay
// as it is: more has to come first, or there is no room.
//
//go:noinline
func (c *conn) begin(h *wire.Header, b []byte, n int) bool {
	here := min(h.Payload, len(b)-n)
	switch h.Op {
	case wire.OpMsg, wire.OpTagged, wire.ExtMsg, wire.ExtTagged:
		if h.Len+h.Payload <= copyMax && here < h.Payload {
			return false // it is short: wait for the rest
		}
		return c.beginMessage(h, b[n:n+here])
	case wire.ExtAtomic:
		if here < h.Payload && h.Len+h.Payload <= chunkSize {
			return false
		}
	case wire.OpWrite, wire.ExtWrite:
		if c.Unread() && h.Flags&wire.FlagData != 0 {
			c.Wait()
			return c.refused()
		}
	}
	in := &c.in
	in.off, in.left, in.flags, in.id, in.err = 0, h.Payload, 0, h.ID, 0
	ok := true
	switch h.Op {
	case wire.OpAck:
		ok = c.acked()
	case wire.OpReadReq:
		ok = c.readRequest(h)
	case wire.OpReadRsp:
		ok = c.readResponse(h)
	case wire.OpWrite, wire.ExtWrite:
		ok = c.beginWrite(h)
	case wire.OpTaggedRTS:
		ok = c.announced(h)
	case wire.OpCTS:
		ok = c.clearToSend(h)
	case wire.OpRTSData:
		ok = c.announcedData(h)
	default:
		ok = c.beginExt(h, b[n:n+here])
	}
	if c.state != connReady {
		return false
	}
	if !ok {
		if c.Later() {
			c.pause()
			return false
		}
		if c.detached { // an answer to what has ended
			in.sink = sinkNone
			c.r += n
			if h.Payload > 0 {
				in.sink = sinkDrop
			}
			return true
		}
		c.broken("an unexpected " + h.Op.String())
		return false
	}
	c.r += n
	if in.sink == sinkNone && h.Payload > 0 {
		in.sink = sinkDrop
	} else if in.sink != sinkNone && h.Payload == 0 {
		c.arrived()
	}
	return true
}

// beginMessage hands a message to the receives: a whole one at once, a longer one as if it was announced, and then its
// bytes come by themselves.
func (c *conn) beginMessage(h *wire.Header, here []byte) bool {
	a := &c.s.arrival.a
	*a = rdm.Arrival{Tagged: h.Op == wire.OpTagged || h.Op == wire.ExtTagged, Tag: h.Tag, Len: h.Payload}
	if !a.Tagged {
		a.Tag = 0
	}
	if h.Flags&wire.FlagData != 0 {
		a.Data, a.Flags = h.Data, fi.CompRemoteCQData
	}
	c.serial++
	serial := inStream | c.serial
	flags, done := inFlags(0), uint32(0)
	if h.Op >= wire.ExtMsg {
		a.Group = h.Group
		switch {
		case h.Flags&wire.FlagTransmit != 0:
			flags, done = inDone, h.ID
		case h.Flags&(wire.FlagDeliver|wire.FlagMatch) != 0:
			a.Ack, serial = uint64(h.ID), uint64(h.ID)
			if c.saved[serial] != nil {
				c.broken("a message of an operation that is not over")
				return false
			}
		}
	} else if h.Flags.WantsAck() {
		flags = inAck
	}
	a.Token = [3]uint64{serial, fromStream}
	if len(here) == h.Payload {
		a.Payload = here
		if !c.Arrive(a) {
			return c.refused()
		}
		if c.state != connReady {
			return false
		}
		c.r += h.Len + h.Payload
		c.answer(flags, done)
		return true
	}
	a.Announced = true
	in := &c.in
	n, length := h.Len, h.Payload
	in.serial, in.t = serial, nil // Fetch, if called by Arrive, sets t
	if !c.Arrive(a) {
		in.serial = 0
		return c.refused()
	}
	if c.state != connReady {
		return false
	}
	c.r += n
	in.off, in.left, in.flags, in.id, in.err = 0, length, flags, done, 0
	if in.t != nil {
		in.sink = sinkMsg
		return true
	}
	c.save()
	return true
}

// save makes a place for the message that is arriving and that no receive has matched; with the budget used up it waits
// in the socket.
func (c *conn) save() {
	in := &c.in
	e := c.owner
	if e.savedBytes+in.left > e.d.cfg.unexpected {
		c.keepLess()
		if !c.fits(in.left) {
			in.sink = sinkWait
			c.pause()
			return
		}
	}
	e.savedBytes += in.left
	in.saved = &savedMsg{b: make([]byte, in.left)}
	in.sink = sinkSaved
	if c.saved == nil {
		c.saved = make(map[uint64]*savedMsg)
	}
	c.saved[in.serial] = in.saved
}

// keepLess asks the peer to announce its messages, since enough of them is kept.
func (c *conn) keepLess() {
	if !c.keeping && c.ext {
		c.keeping = true
		c.owner.keepers = append(c.owner.keepers, c)
		c.sendHold(c.refusing)
	}
}

// fits tells whether a message may be kept. A peer that is about to announce may send until it has heard.
func (c *conn) fits(n int) bool {
	most := c.owner.d.cfg.unexpected
	if c.keeping {
		most *= 2
	}
	return c.owner.savedBytes+n <= most
}

// tryAgain looks whether a connection that is paused can go on.
func (c *conn) tryAgain() {
	if c.soon {
		c.goOn()
		return
	}
	if c.in.sink == sinkWait {
		if !c.fits(c.in.left) {
			return
		}
		c.in.sink = sinkNone
		c.save()
	} else if !c.Room() {
		return
	}
	c.goOn()
}

// goOn reads again, beginning with what is in the buffer.
func (c *conn) goOn() {
	c.resumeReading()
	c.soon = false
	if c.buf != nil {
		c.handle()
	}
}

// Fetch moves an announced message into a receive.
func (c *conn) Fetch(t *rdm.Transfer) {
	switch t.Token[1] {
	case fromPull:
		c.pull(t)
	case fromCTS:
		c.sendCTS(t)
	default:
		c.fetchSaved(t)
	}
}

// fetchSaved serves a receive for a message of the stream: one that is arriving, or one that is here.
func (c *conn) fetchSaved(t *rdm.Transfer) {
	in := &c.in
	serial := t.Token[0]
	if in.serial == serial {
		switch in.sink {
		case sinkNone: // Arrive calls
			in.t = t
			return
		case sinkWait:
			in.t, in.sink = t, sinkMsg
			c.soon = true
			return
		}
	}
	m := c.saved[serial]
	if m == nil {
		c.EP.Finish(t, fi.ErrOther, "the message is gone")
		return
	}
	c.forget(serial)
	if !m.complete {
		t.Place(0, m.b[:in.off])
		t.Got = min(in.off, t.Size)
		in.t, in.sink, in.saved = t, sinkMsg, nil
		return
	}
	t.Place(0, m.b)
	t.Got = t.Size
	ack := t.Ack
	c.EP.Finish(t, 0, "")
	if ack != 0 {
		c.Ack(ack)
	}
}

// forget takes a saved message out.
func (c *conn) forget(serial uint64) {
	m := c.saved[serial]
	if m == nil {
		return
	}
	delete(c.saved, serial)
	e := c.owner
	e.savedBytes -= len(m.b)
	if len(e.keepers) > 0 && e.savedBytes <= e.d.cfg.unexpected/2 {
		for _, k := range e.keepers {
			k.keeping = false
			k.sendHold(k.refusing || k.state != connReady)
		}
		e.keepers = nil
	}
}

// Discard throws an announced message away.
func (c *conn) Discard(token [3]uint64) {
	switch token[1] {
	case fromPull:
		delete(c.open, token[0])
		c.done(uint32(token[0]), 0)
		return
	case fromCTS: // it has to come all the same
		delete(c.open, token[0])
		c.allow(uint8(token[2]), nil)
		return
	}
	if c.in.serial == token[0] && (c.in.sink == sinkSaved || c.in.sink == sinkWait) {
		waited := c.in.sink == sinkWait
		c.in.sink, c.in.saved = sinkDrop, nil
		if waited {
			c.soon = true
		}
	}
	c.forget(token[0])
	if id := uint32(token[0]); token[0] < inStream {
		c.done(id, 0)
	}
}

// arrived ends the payload that has come.
func (c *conn) arrived() {
	in := &c.in
	was, flags, id := in.sink, in.flags, in.id
	in.sink = sinkNone
	switch was {
	case sinkMsg:
		t := in.t
		in.t, in.serial = nil, 0
		ack := t.Ack
		c.EP.Finish(t, 0, "")
		if ack != 0 {
			c.Ack(ack)
		}
	case sinkSaved:
		in.saved.complete = true
		in.saved, in.serial = nil, 0
	case sinkWrite:
		c.wroteRegions()
		return
	case sinkRead:
		o := in.o
		in.o = nil
		if flags&inLastPart != 0 {
			o.reached(waitAnswer)
		}
		return
	case sinkDrop:
		in.serial = 0
		if in.flags&inDone != 0 && in.err != 0 {
			in.flags = 0
			c.done(id, in.err)
			return
		}
	case sinkAtomic:
		m := in.saved
		in.saved = nil
		c.runAtomic(m.b)
		return
	case sinkPulled:
		t := in.t
		in.t = nil
		if t.Got == t.Size {
			c.pulled(t)
		}
		return
	}
	c.answer(flags, id)
}

// answer sends what the sender of a message waits for.
func (c *conn) answer(flags inFlags, id uint32) {
	switch {
	case flags&inAck != 0:
		c.enc.PutAck(c.answerRoom(wire.BaseSize))
		c.markDirty()
	case flags&inDone != 0:
		c.done(id, 0)
	}
}

// done ends an operation of the peer.
func (c *conn) done(id uint32, err fi.Errno) {
	if c.state != connReady {
		return
	}
	c.enc.PutExtDone(c.answerRoom(wire.BaseSize+8), id, err)
	c.markDirty()
}

// Ack says that a message is delivered, or matched.
func (c *conn) Ack(id uint64) { c.done(uint32(id), 0) }

// orphanage is the Wire of a connection that has ended while long messages of its peer are still to be received.
type orphanage struct{ c *conn }

func (o *orphanage) Ack(uint64) {}
func (o *orphanage) Hold(bool)  {}
func (o *orphanage) Tail() int  { return 1 << 30 }

func (o *orphanage) Fetch(t *rdm.Transfer) {
	m := o.c.saved[t.Token[0]]
	if m == nil {
		t.EP.Finish(t, fi.ErrConnReset, "peer closed: the sender ended before its message had arrived")
		return
	}
	o.c.forget(t.Token[0])
	t.Place(0, m.b)
	t.EP.Finish(t, 0, "")
}

func (o *orphanage) Discard(token [3]uint64) { o.c.forget(token[0]) }

// arrivalBox keeps an arrival off the stack, where it would escape from with every message.
type arrivalBox struct{ a rdm.Arrival }
