package tcp

import (
	"net/netip"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// traceMost is how many lines of a connection may wait to be written; what comes while they do is counted only.
const traceMost = 4096

// tracer tells the log of each header that a connection sends and receives (FI_TCP_TRACE_MSG).
type tracer struct {
	s       *source
	peer    string
	sent    follower
	got     follower
	waiting atomic.Int64 // lines that are not written yet
	missed  int          // headers since that found no room
}

// follow begins to follow both streams of a connection, if that is wanted.
func (c *conn) follow(order wire.Order, ours, theirs wire.Ops) {
	if !c.s.d.cfg.trace || !c.s.notes.Log.On(driver.LevelTrace) {
		return
	}
	c.trace = &tracer{s: c.s, peer: c.peerName(), sent: follower{dec: wire.NewDecoder(order, theirs)}, got: follower{dec: wire.NewDecoder(order, ours)}}
}

// traceControl tells of a message of the handshake.
func (c *conn) traceControl(what string, m *wire.Control) {
	if !c.s.d.cfg.trace || !c.s.notes.Log.On(driver.LevelTrace) {
		return
	}
	peer := c.peerName()
	if len(c.Raw) == 0 && c.from.IsValid() { // who calls has not said yet where it listens
		peer = c.from.String()
	}
	c.s.note(controlLine(what, peer, m))
}

// traceControl tells of a request, or of its rejection. The goroutine writes it.
func (p *passive) traceControl(what string, from netip.AddrPort, m *wire.Control) {
	if p.c.trace && p.notes.Log.On(driver.LevelTrace) {
		p.notes.Add(controlLine(what, from.String(), m))
	}
}

func controlLine(what, peer string, m *wire.Control) func(log driver.Logger) {
	header := m.String()
	return func(log driver.Logger) { log.Trace(what, "peer", peer, "header", header) }
}

// traceWritten follows the first n bytes of what waits to be written.
//
//go:noinline
func (c *conn) traceWritten(n int) {
	for i := range c.out.All() {
		if n == 0 {
			return
		}
		b := c.out.All()[i].b
		b = b[:min(n, len(b))]
		n -= len(b)
		c.trace.sent.take(b, func(header string) { c.trace.tell("sent", header) })
	}
}

// traceRead follows bytes that have come: a part of a payload that went to its place, and what lies in the buffer.
//
//go:noinline
func (c *conn) traceRead(payload int, b []byte) {
	c.trace.got.skip -= payload
	c.trace.got.take(b, func(header string) { c.trace.tell("received", header) })
}

// tell writes a line.
func (t *tracer) tell(what, header string) {
	if t.waiting.Load() >= traceMost {
		t.missed++
		return
	}
	t.tellMissed()
	t.waiting.Add(1)
	t.s.note(func(log driver.Logger) {
		t.waiting.Add(-1)
		log.Trace(what, "peer", t.peer, "header", header)
	})
}

// tellMissed says how many headers were left out, if any.
func (t *tracer) tellMissed() {
	if n := t.missed; n > 0 {
		t.missed = 0
		t.s.note(func(log driver.Logger) {
			log.Trace("headers left out: they came faster than the log takes them", "peer", t.peer, "number", n)
		})
	}
}

// follower finds the headers in a stream.
type follower struct {
	dec  wire.Decoder
	head []byte // the beginning of a header
	skip int    // bytes of payload before the next one
	lost bool
}

// take follows more bytes of the stream.
func (f *follower) take(b []byte, tell func(header string)) {
	for len(b) > 0 && !f.lost {
		if k := min(f.skip, len(b)); k > 0 {
			f.skip -= k
			b = b[k:]
			continue
		}
		var h wire.Header
		had := len(f.head)
		f.head = append(f.head, b[:min(len(b), wire.MaxHeader-had)]...)
		n, err := f.dec.Header(f.head, &h)
		switch {
		case n > 0:
			f.head = f.head[:0]
			f.skip = h.Payload
			b = b[n-had:]
			tell(h.String())
		case err != nil:
			f.lost = true
			tell("what cannot be read: " + err.Error())
		default:
			return // the rest of the header has not come
		}
	}
}
