package tcp

import (
	"net/netip"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/fifo"
	"github.com/gofabric/gofabric/mr"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// conn is one TCP connection, from the moment that its socket is there. The domain's lock guards it.
type conn struct {
	rdm.Peer            // the sender, as receives see it
	ranges   rdm.Ranges // of an atomic of the peer's

	s     *source
	owner *endpoint
	to    *peer // who is at the other end; nil while a caller has not said so
	fd    int
	token uint64
	state connState
	ours  bool // we have connected

	inSet    bool
	direct   bool // read by every poll, without the set
	blocked  bool // the socket takes no more now
	isDirty  bool
	isPaused bool
	glut     bool          // the peer has to take answers before more is read: its socket rings no more
	holding  bool          // the peer wants messages announced
	slow     bool          // no short cut for messages: holding, or a plain peer that takes no tagged ones
	soon     bool          // what it was paused for has a place now
	hungup   bool          // paused, and the peer sends no more
	detached bool          // only read: nothing of ours is under way, and the peer has gone
	keeping  bool          // the peer was asked to announce, for what we keep of it
	refusing bool          // and for what the receives keep
	misses   uint8         // looks of the clock in a row without a sign of life
	cause    syscall.Errno // why the stream is about to end; 0: it was closed
	pings    uint64        // that were sent
	dying    bool          // nothing can be written any more
	bye      byeState

	pid      uint32
	ext      bool // the extension is spoken
	features wire.Features
	version  uint8 // of the RDM protocol
	deadline time.Time
	greeting greeting
	heldBy   *peer // its request waits there
	wasHeld  bool
	from     netip.AddrPort // of a caller
	pending  asked          // an atomic whose values are arriving

	// Writing.
	enc    wire.Encoder
	out    fifo.Queue[segment] // what waits to be written
	stage  *chunk              // in which headers and small payloads are put together; nil: none needed
	used   int                 // bytes of it
	full   []*chunk            // earlier ones that are still being written
	staged bool                // the last segment ends where the stage does
	wrote  uint64              // the epoch of the last write
	// wroteSince is how many bytes were written since the last were read.
	wroteSince int
	trace      *tracer // nil: nobody wants to know

	// Reading.
	dec wire.Decoder
	buf *chunk // what was read and not handled; nil: nothing
	r   int    // handled so far
	w   int    // read so far
	in  incoming

	reads    fifo.Queue[*op] // plain read requests that are not answered yet, in order
	unacked  fifo.Queue[*op] // plain operations that want an ack, in order
	plainRTS map[uint8]*op
	cts      map[uint8]*rdm.Transfer // plain announcements that we have asked for; nil: to be dropped
	open     map[uint64]struct{}     // announcements that nothing has matched, by the first word of their tokens
	pulls    map[uint32]*rdm.Transfer
	cancels  map[uint64]struct{}  // operations of the peer that it wants back, of what is being handled
	saved    map[uint64]*savedMsg // long messages that nothing has matched
	serial   uint64
	heldUp   uint64 // the serial of the last hold that we sent
	heldAck  uint64 // and of the last that the peer has answered
}

type connState uint8

const (
	connDialing connState = iota // TCP connects
	connAsked                    // our request was sent
	connCalled                   // a peer has connected, its request has not come
	connOffered                  // its request waits for the application (MSG)
	connReady
	connClosing // shut down by us: only what was sent is written
	connDead
)

// segment is a piece of what is to be written.
type segment struct {
	b []byte
	o *op        // waits for this piece; nil for most
	r *mr.Region // the piece is memory of it
}

// enter puts the socket into the set.
func (c *conn) enter() {
	if c.inSet || c.isPaused && c.hungup {
		return
	}
	c.inSet = true
	c.set().add(c.fd, c.interest(), c.token)
}

// leave takes it out. Nobody tells then that a socket which was full takes more: polls try.
func (c *conn) leave() {
	if c.inSet {
		c.inSet = false
		c.set().remove(c.fd)
		if c.blocked && c.out.Len() > 0 {
			c.markDirty()
		}
	}
}

// set is where the socket belongs; it leaves before its state changes.
func (c *conn) set() *pollSet {
	if c.state < connReady {
		return c.s.door
	}
	return c.s.set
}

func (c *conn) interest() uint32 {
	in := uint32(pollIn)
	switch {
	case c.isPaused:
		in = pollHup
	case c.glut:
		in = 0
	}
	if c.blocked || c.state == connDialing {
		return in | pollOut
	}
	return in
}

// setBlocked notes whether the socket takes what we write, and has the set tell when it does again.
func (c *conn) setBlocked(b bool) {
	if c.blocked == b {
		return
	}
	c.blocked = b
	c.renew()
}

// setGlut notes whether the peer has to take answers before we read more from it, and whether the set tells of what it sends.
//
//go:noinline
func (c *conn) setGlut(b bool) {
	if c.glut == b {
		return
	}
	c.glut = b
	c.renew()
}

// renew tells the set, if the socket is in it, what it is watched for now.
func (c *conn) renew() {
	if c.inSet {
		c.set().modify(c.fd, c.interest(), c.token)
	}
}

// ready serves what the set has told of the socket.
func (c *conn) ready(events uint32) {
	switch c.state {
	case connReady, connClosing:
		if events&pollOut != 0 && c.blocked {
			c.setBlocked(false)
			c.markDirty()
		}
		switch {
		case c.isPaused && events&(pollHup|pollErr) != 0:
			c.endsPaused()
		case events&(pollIn|pollErr) != 0:
			c.receive()
		}
	case connDialing:
		if events != 0 {
			c.dialed()
		}
	case connAsked, connCalled, connOffered:
		c.greet()
	}
}

// pause stops reading until there is room; the peer then stops, too.
func (c *conn) pause() {
	if c.isPaused {
		return
	}
	c.leave()
	c.isPaused = true
	c.s.undirect(c)
	c.s.paused = append(c.s.paused, c)
	c.enter() // its end is still heard of
}

// endsPaused says that the stream of a connection that is not read has ended. What has come of it stays to be read, but a
// message that waits for its rest waits in vain. Operations of ours end now: nobody knows when their answers are read.
func (c *conn) endsPaused() {
	c.leave()
	c.hungup = true
	if c.owner.link != nil || c.in.sink == sinkWait && sysUnread(c.fd)+c.w-c.r < c.in.left {
		c.hungUp()
		return
	}
	c.detach()
}

// detach makes the connection one that is only read, to its end.
func (c *conn) detach() {
	err, text := c.ending()
	c.detached, c.dying = true, true
	c.s.dying = without(c.s.dying, c)
	c.reads.Drop()
	c.unacked.Drop()
	c.plainRTS = nil
	c.flush()
	for _, t := range c.pulls {
		c.EP.Finish(t, err, text)
	}
	c.pulls = nil
	c.withdrawOpen()
	p := c.to
	if p.c == c {
		p.c = nil
	}
	for _, o := range c.owner.ops {
		if o.c == c {
			o.c = nil
			o.to.inFlight--
			c.owner.finish(o, err, text)
		}
	}
	p.lost(connReady, err, text)
}

// resumeReading ends that.
func (c *conn) resumeReading() {
	if !c.isPaused {
		return
	}
	c.leave()
	c.isPaused, c.hungup = false, false
	c.s.paused = without(c.s.paused, c)
	if len(c.s.conns) <= directMax {
		c.s.makeDirect(c)
		if c.s.inSet {
			c.enter()
		}
	} else {
		c.enter()
	}
}

// peerName is the other side, for people.
func (c *conn) peerName() string {
	if len(c.Raw) == 0 {
		return "unknown"
	}
	return nameOf(c.Raw)
}

func nameOf(raw []byte) string {
	a, err := fi.DecodeSockaddr(raw)
	if err != nil {
		return "unknown"
	}
	return a.String()
}

// near tells whether an address is one of this host.
func (d *domain) near(local, remote netip.Addr) bool {
	if remote.IsLoopback() || local.WithZone("") == remote.WithZone("") {
		return true
	}
	_, mine := d.own[remote.WithZone("")]
	return mine
}

// established begins the stream. version is that of the RDM protocol; offer is what both sides speak of the extension.
func (c *conn) established(order wire.Order, version uint8, ext bool, features wire.Features) {
	c.state, c.version, c.ext, c.features = connReady, version, ext, features
	c.enc = wire.NewEncoder(order)
	ops := c.owner.plainOps(version)
	theirs := ops
	if ext {
		ops, theirs = wire.ExtOps(c.owner.features(), features), wire.ExtOps(features, c.owner.features())
	}
	c.dec = wire.NewDecoder(order, ops)
	c.follow(order, ops, theirs)
	c.Wire = c
	c.slow = c.owner.link != nil && !ext
	c.wrote = ^uint64(0)
	if k := c.s.d.cfg.options.keepAlive; k > 0 && (!ext || features&wire.FeaturePing == 0) {
		sysKeepAlive(c.fd, k)
	}
	if c.owner.link == nil { // else it is counted
		c.owner.Conns.Up()
	}
	if c.to != nil {
		c.to.known = true
	}
	c.s.join(c)
	c.logJoined()
}

// fail ends the connection: everything that is under way on it completes with err.
func (c *conn) fail(err fi.Errno, text string) {
	if c.state == connDead {
		return
	}
	was := c.state
	if c.trace != nil {
		c.trace.tellMissed()
	}
	c.logEnd(err, text)
	c.leave()
	c.state = connDead
	c.s.part(c)
	c.s.unregister(c.token)
	c.isPaused = false
	if was == connReady && err == fi.ErrCanceled {
		sysShutdown(c.fd)
	}
	sysClose(c.fd)
	if c.owner.link == nil && (was == connReady || was == connClosing) {
		c.owner.Conns.Down()
	}
	switch was {
	case connDialing, connAsked, connCalled, connOffered:
		c.s.asking--
	}
	c.s.callers = without(c.s.callers, c)
	if p := c.heldBy; p != nil {
		p.held, c.heldBy = nil, nil
	}
	c.dropOutput()
	c.dropInput(err, text)
	e, p := c.owner, c.to
	opErr := err
	if e.link != nil { // whatever has ended the connection
		opErr = fi.ErrCanceled
	}
	delete(e.conns, c)
	if p != nil && p.c == c {
		p.c = nil
	}
	for _, o := range e.ops {
		if o.c == c {
			o.c = nil
			o.to.inFlight--
			e.finish(o, opErr, text)
		}
	}
	if p != nil && !c.detached {
		p.lost(was, err, text)
	}
}

// broken ends a connection whose peer does not follow the protocol.
func (c *conn) broken(why string) {
	c.fail(fi.ErrProto, "the peer "+c.peerName()+" broke the protocol, the connection is closed: "+why)
}

func (c *conn) dropOutput() {
	c.out.Drop()
	for _, b := range c.full {
		c.s.putChunk(b)
	}
	c.full = nil
	if c.stage != nil {
		c.s.putChunk(c.stage)
		c.stage = nil
	}
	c.used, c.staged = 0, false
	c.reads.Drop()
	c.unacked.Drop()
	c.plainRTS = nil
}

// dropInput ends what was arriving. Long messages that are here stay: they can still be received.
func (c *conn) dropInput(err fi.Errno, text string) {
	if c.buf != nil {
		c.s.putChunk(c.buf)
		c.buf = nil
	}
	c.r, c.w = 0, 0
	c.in.abort(c, err, text)
	for _, t := range c.cts {
		if t != nil {
			c.EP.Finish(t, err, text)
		}
	}
	for _, t := range c.pulls {
		c.EP.Finish(t, err, text)
	}
	c.cts, c.pulls = nil, nil
	if c.Wire == nil {
		return
	}
	c.withdrawOpen()
	if len(c.saved) == 0 {
		c.Gone()
		return
	}
	c.Wire = &orphanage{c}
}

// withdrawOpen drops announcements that nothing has matched: nobody can fetch these any more.
func (c *conn) withdrawOpen() {
	if open := c.open; len(open) > 0 {
		c.open = nil
		c.WithdrawAll(func(id uint64) bool { _, ok := open[id]; return ok })
	}
}
