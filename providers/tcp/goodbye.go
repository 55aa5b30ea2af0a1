package tcp

import (
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// A connection that nobody needs ends when both sides say that nothing of theirs is under way: the address vector has
// lost the peer. Plain connections stay: their end would look like the peer's death. docs/wire/tcp-extension.md has the
// table that this follows.

// byeState is how far a side has come with its goodbye.
type byeState uint8

const (
	byeNone   byeState = iota
	byeAsked           // we have asked, and send nothing new until we hear
	byeAgreed          // we have agreed, and send nothing at all: the peer closes
)

// quiet tells whether nothing of ours is under way.
func (c *conn) quiet() bool {
	return c.out.Len() == 0 && c.to.inFlight == 0 && c.to.deferred.Len() == 0
}

// takeLeave asks the peer of a connection that is not needed whether it may end.
func (c *conn) takeLeave() {
	if c.state != connReady || c.owner.link != nil || !c.ext || c.bye != byeNone || c.detached || c.to.c != c || !c.quiet() ||
		c.features&wire.FeatureGoodbye == 0 {
		return
	}
	c.bye, c.slow = byeAsked, true
	c.say(wire.GoodbyeAsk)
}

func (c *conn) say(which uint8) {
	c.enc.PutExtGoodbye(c.answerRoom(wire.BaseSize), which)
	c.markDirty()
}

// goodbye serves what the peer says; false: it breaks the protocol.
func (c *conn) goodbye(which uint8) bool {
	if c.owner.link != nil {
		return which == wire.GoodbyeLeave
	}
	switch which {
	case wire.GoodbyeAsk:
		switch {
		case c.bye == byeAgreed:
			return false
		case c.bye == byeNone && (c.detached || !c.quiet()):
			c.say(wire.GoodbyeRefuse)
		default:
			c.say(wire.GoodbyeAgree)
			c.bye, c.slow = byeAgreed, true
			c.letGo()
			c.deadline = time.Now().Add(c.s.d.cfg.linger)
			c.s.callers = append(c.s.callers, c)
			c.s.remind()
		}
	case wire.GoodbyeAgree:
		if c.bye != byeNone {
			c.letGo()
			c.fail(fi.ErrCanceled, "closed after a goodbye")
		}
	case wire.GoodbyeRefuse:
		if c.bye == byeAsked {
			c.bye, c.slow = byeNone, c.holding
			c.to.resume()
		}
	}
	return true
}

// letGo has what is posted from now on go to a new connection; what waits for this one goes there too.
func (c *conn) letGo() {
	c.detached = true
	p := c.to
	if p.c != c {
		return
	}
	p.c = nil
	if p.deferred.Len() > 0 {
		p.connect()
	} else {
		p.release()
	}
}

// sayLeave says that the endpoint is being closed.
func (c *conn) sayLeave() {
	if c.state == connReady && c.ext && c.bye != byeAgreed && !c.dying && c.features&wire.FeatureGoodbye != 0 {
		c.say(wire.GoodbyeLeave)
		c.flush()
	}
}
