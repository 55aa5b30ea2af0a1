package shm

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Reach begins to connect with a peer, if there is no connection yet, and calls done when there is one or none comes.
func (e *endpoint) Reach(to fi.Addr, done func(fi.Errno)) fi.Errno {
	p, err := e.pairFor(to)
	switch {
	case err != 0:
		return err
	case p.state == connecting:
		p.reaching = append(p.reaching, done)
	default:
		done(0)
	}
	return 0
}

// told calls those who wait to hear what has become of an attempt to connect.
func (p *pair) told(err fi.Errno) {
	waiting := p.reaching
	p.reaching = nil
	for _, done := range waiting {
		done(err)
	}
}

var _ driver.Reacher = (*endpoint)(nil)
