package tcp

import (
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// beginWrite checks where a write of the peer goes. In a plain stream a wrong key ends the connection, for there is no
// answer that could say it.
func (c *conn) beginWrite(h *wire.Header) bool {
	in := &c.in
	e := &c.owner.Endpoint
	clear(in.pieces)
	clear(in.ranges)
	in.pieces, in.ranges, in.region = in.pieces[:0], in.ranges[:0], nil
	for i := range h.Ranges() {
		v := &h.RMA[i]
		r, off, err := e.Target(v.Key, v.Addr, int(v.Len), fi.AccessRemoteWrite)
		if err != 0 {
			if h.Op == wire.OpWrite {
				c.refuseAccess(err)
				return true
			}
			in.sink, in.flags, in.err = sinkDrop, inDone, err
			return true
		}
		in.pieces = r.Pieces(in.pieces, off, int(v.Len))
		in.ranges = append(in.ranges, rdm.Range{Region: r, N: int(v.Len)})
	}
	in.sink = sinkWrite
	if h.Flags&wire.FlagData != 0 {
		in.flags, in.data = inData, h.Data
	}
	if h.Op == wire.ExtWrite {
		in.flags |= inDone
	} else if h.Flags.WantsAck() {
		in.flags |= inAck
	}
	return true
}

// refuseAccess ends a plain connection whose peer asks for what it may not have.
func (c *conn) refuseAccess(err fi.Errno) {
	c.fail(fi.ErrConnAborted, "the peer "+c.peerName()+" was refused an access ("+err.Error()+
		"); without the extension the connection ends with it")
}

// wroteRegions says that a write of the peer is in memory.
func (c *conn) wroteRegions() {
	in := &c.in
	flags, n := in.flags, in.off
	c.owner.WrittenRanges(in.ranges)
	clear(in.pieces)
	clear(in.ranges)
	in.pieces, in.ranges = in.pieces[:0], in.ranges[:0]
	if flags&inData != 0 {
		c.owner.WrittenData(n, in.data, c.Addr)
	}
	c.answer(flags, in.id)
}

// readRequest answers a plain read.
func (c *conn) readRequest(h *wire.Header) bool {
	regions, pieces, n, err := c.source(h)
	if err != 0 {
		c.refuseAccess(err)
		return true
	}
	c.enc.PutReadRsp(c.answerRoom(wire.BaseSize), h.Cnt, n)
	c.referRegions(h, regions, pieces)
	return true
}

// source finds what a read asks for.
func (c *conn) source(h *wire.Header) (regions []*mr.Region, pieces [][]byte, n int, err fi.Errno) {
	s := c.s
	regions, pieces = s.regions[:0], s.pieces[:0]
	for i := range h.Ranges() {
		v := &h.RMA[i]
		r, off, err := c.owner.Target(v.Key, v.Addr, int(v.Len), fi.AccessRemoteRead)
		if err != 0 {
			return nil, nil, 0, err
		}
		if n+int(v.Len) < n {
			return nil, nil, 0, fi.ErrInvalid
		}
		k := len(pieces)
		pieces = r.Pieces(pieces, off, int(v.Len))
		for range pieces[k:] {
			regions = append(regions, r)
		}
		n += int(v.Len)
	}
	s.regions, s.pieces = regions, pieces
	return regions, pieces, n, 0
}

// referRegions sends memory of regions: short pieces as copies, others from where they are.
func (c *conn) referRegions(h *wire.Header, regions []*mr.Region, pieces [][]byte) {
	for i, b := range pieces {
		switch {
		case len(b) == 0:
		case len(b) <= copyMax:
			copy(c.answerRoom(len(b)), b)
		default:
			c.refer(b, nil, regions[i])
		}
	}
	var ranges [rmaLimit]rdm.Range
	asked := h.Ranges()
	for i := range asked {
		ranges[i] = rdm.Range{Region: c.owner.Regions.Find(asked[i].Key), N: int(asked[i].Len)}
	}
	c.owner.ReadRanges(ranges[:len(asked)])
	clear(c.s.regions)
	clear(c.s.pieces)
	c.markDirty()
}

// readResponse begins to take the answer to our oldest plain read.
func (c *conn) readResponse(h *wire.Header) bool {
	if c.reads.Len() == 0 {
		return false
	}
	o := c.reads.Pop()
	if o.n != h.Payload {
		c.reads.PutBack(o)
		return false
	}
	c.in.sink, c.in.o, c.in.flags = sinkRead, o, inLastPart
	return true
}

// acked ends our oldest plain operation that waits for an ack.
func (c *conn) acked() bool {
	if c.unacked.Len() == 0 {
		return false
	}
	o := *c.unacked.First()
	if o.waits&waitWritten != 0 {
		return false // it has not left yet
	}
	c.unacked.Pop()
	o.reached(waitAnswer)
	return true
}

// announced takes a plain announcement.
func (c *conn) announced(h *wire.Header) bool {
	token := plainToken(h.Context)
	_, open := c.open[token]
	if _, twice := c.cts[h.Context]; twice || open {
		return false
	}
	a := &c.s.arrival.a
	*a = rdm.Arrival{Tagged: true, Announced: true, Tag: h.Tag, Len: h.Size, Token: [3]uint64{token, fromCTS, uint64(h.Context)}}
	if h.Flags&wire.FlagData != 0 {
		a.Data, a.Flags = h.Data, fi.CompRemoteCQData
	}
	c.opened(token)
	if !c.Arrive(a) {
		delete(c.open, token)
		return false
	}
	return true
}

func (c *conn) opened(token uint64) {
	if c.open == nil {
		c.open = make(map[uint64]struct{})
	}
	c.open[token] = struct{}{}
}

// sendCTS asks for an announced message.
func (c *conn) sendCTS(t *rdm.Transfer) {
	delete(c.open, t.Token[0])
	c.allow(uint8(t.Token[2]), t)
}

// allow sends a CTS; the data then goes into t, or nowhere.
func (c *conn) allow(context uint8, t *rdm.Transfer) {
	if c.cts == nil {
		c.cts = make(map[uint8]*rdm.Transfer)
	}
	c.cts[context] = t
	c.enc.PutCTS(c.answerRoom(wire.BaseSize), context)
	c.markDirty()
}

// announcedData begins to take the data that a CTS has asked for.
func (c *conn) announcedData(h *wire.Header) bool {
	t, ok := c.cts[h.Context]
	if !ok || t != nil && t.Len != h.Payload {
		return false
	}
	delete(c.cts, h.Context)
	in := &c.in
	in.sink = sinkDrop
	if t != nil {
		in.sink, in.t = sinkMsg, t
	}
	if h.Flags.WantsAck() {
		in.flags = inAck
	}
	return true
}

// clearToSend sends the data of an announcement of ours.
func (c *conn) clearToSend(h *wire.Header) bool {
	o := c.plainRTS[h.Context]
	if o == nil {
		return false
	}
	delete(c.plainRTS, h.Context)
	o.rts, o.state = 0, opUnderWay
	flags := wireFlags(o.fl)
	c.enc.PutRTSData(c.answerRoom(wire.BaseSize), flags, h.Context, o.n)
	o.waits = waitWritten
	if flags.WantsAck() {
		o.waits |= waitAnswer
		c.unacked.Push(o)
	}
	c.referAll(o)
	c.markDirty()
	return true
}

// release lets go of a region that is being closed: what is still to be read from it was promised, and is copied; what
// is still to be written to it is dropped.
func (c *conn) release(r *mr.Region) {
	for i := range c.out.All() {
		if s := &c.out.All()[i]; s.r == r {
			s.b, s.r = append([]byte(nil), s.b...), nil
		}
	}
	in := &c.in
	if in.sink != sinkWrite {
		return
	}
	for _, x := range in.ranges {
		if x.Region == r {
			if in.flags&inDone == 0 {
				c.refuseAccess(fi.ErrKeyRejected)
				return
			}
			in.sink, in.err = sinkDrop, fi.ErrKeyRejected
			clear(in.pieces)
			clear(in.ranges)
			in.pieces, in.ranges = in.pieces[:0], in.ranges[:0]
			return
		}
	}
}
