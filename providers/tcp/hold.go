package tcp

import (
	"time"

	"github.com/gofabric/gofabric/fi"
)

// holdMost is how long a request of a peer waits that has not decided on ours.
const holdMost = 200 * time.Millisecond

// holding is the request of a peer that waits until it has answered ours.
type holding struct {
	held      *conn // nil for none
	heldUntil time.Time
}

// hold lets a request wait of a peer that has the greater address and connects to us as we connect to it. It will reject
// ours, and then we accept; but C at the wildcard address takes itself for the smaller one: it has given its request up
// and accepts ours, and what we sent on the other connection would be lost.
func (p *peer) hold(c *conn) {
	if old := p.held; old != nil {
		old.fail(fi.ErrConnAborted, "the peer has asked again")
	}
	c.leave()
	p.held, p.heldUntil, c.heldBy = c, time.Now().Add(holdMost), p
}

// answerHeld decides on the request that has waited, unless the peer has given it up.
func (p *peer) answerHeld() {
	c := p.held
	if c == nil {
		return
	}
	p.held, c.heldBy, c.wasHeld = nil, nil, true
	var b [1]byte
	if _, errno := sysRead(c.fd, b[:]); errno != errAgain { // it says nothing before our answer
		c.fail(fi.ErrConnAborted, "the peer has given its request up")
		return
	}
	c.enter()
	c.greet()
}
