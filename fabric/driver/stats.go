package driver

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/relstore"
)

// EndpointCounter is an [Endpoint] that counts what it does. Package fabric asks for it when the endpoint is enabled.
type EndpointCounter interface {
	// Stats adds the endpoint's numbers to s. It may be called by any goroutine beside anything, after Close too, and
	// does not take the domain's lock: that may have an owner who knows of no others.
	Stats(s *fi.EndpointStats)
}

// RxCounter is a [SharedRx] that counts what it does, as [EndpointCounter].
type RxCounter interface {
	// Stats adds the context's numbers to s.
	Stats(s *fi.RxStats)
}

// OpCounts counts operations by kinds for an [EndpointCounter]. Done and Fail need the domain's lock, so that counting is
// a plain addition to a line that the lock's owner has; others look without.
type OpCounts struct {
	moved  [fi.OpKinds]struct{ done, bytes uint64 } // a cache line for messages, tagged or not
	failed [fi.OpKinds]uint64
}

// Done counts a successful operation of n bytes.
//
//fabric:fastpath
func (c *OpCounts) Done(k fi.OpKind, n int) {
	m := &c.moved[k]
	relstore.Uint64(&m.done, m.done+1)
	relstore.Uint64(&m.bytes, m.bytes+uint64(n))
}

// Fail counts an operation in error.
func (c *OpCounts) Fail(k fi.OpKind) { relstore.Uint64(&c.failed[k], c.failed[k]+1) }

// Stats adds the numbers to t. No lock needed.
func (c *OpCounts) Stats(t *fi.OpTable) {
	for k := range t {
		t[k].Done += atomic.LoadUint64(&c.moved[k].done)
		t[k].Bytes += atomic.LoadUint64(&c.moved[k].bytes)
		t[k].Failed += atomic.LoadUint64(&c.failed[k])
	}
}

// Tally is a number that one goroutine at a time writes, such as the owner of a domain's lock, and any may look at.
type Tally struct{ n uint64 }

// Add adds to the number; d may be negative.
func (t *Tally) Add(d int) { relstore.Uint64(&t.n, t.n+uint64(d)) }

// Load is the number. No lock needed.
func (t *Tally) Load() uint64 { return atomic.LoadUint64(&t.n) }
