package cq

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/relstore"
)

// Counter counts completions or bytes (what fi_cntr_open makes, fi_cntr(3)), as a provider sees it. Done and Fail need
// the lock of the counter's domain; the values may be loaded without it.
type Counter struct {
	value, errs uint64
	waiting     uint32
	bytes       bool
	bell        chan struct{}
	signal      func()
	watch       func() // guarded by the domain's lock
}

// NewCounter makes a counter of the given kind of events.
func NewCounter(events fi.CounterEvents) *Counter {
	return &Counter{bytes: events == fi.CounterEventsBytes, bell: make(chan struct{}, 1)}
}

// Done counts one successful operation of n bytes.
//
//fabric:fastpath
func (c *Counter) Done(n int) {
	d := uint64(1)
	if c.bytes {
		d = uint64(n)
	}
	relstore.Uint64(&c.value, c.value+d)
	if atomic.LoadUint32(&c.waiting) != 0 {
		c.changed()
	}
}

// Fail counts one operation in error.
func (c *Counter) Fail() { c.AddErr(1) }

// Value is the number of successes (or their bytes). No lock needed.
func (c *Counter) Value() uint64 { return atomic.LoadUint64(&c.value) }

// Errs is the number of errors. No lock needed.
func (c *Counter) Errs() uint64 { return atomic.LoadUint64(&c.errs) }

// Add adds to the value.
func (c *Counter) Add(d uint64) { c.store(&c.value, c.value+d) }

// AddErr adds to the errors.
func (c *Counter) AddErr(d uint64) { c.store(&c.errs, c.errs+d) }

// Set sets the value.
func (c *Counter) Set(v uint64) { c.store(&c.value, v) }

// SetErr sets the errors.
func (c *Counter) SetErr(v uint64) { c.store(&c.errs, v) }

func (c *Counter) store(p *uint64, v uint64) {
	relstore.Uint64(p, v)
	if atomic.LoadUint32(&c.waiting) != 0 {
		c.changed()
	}
}

//go:noinline
func (c *Counter) changed() {
	if c.watch != nil {
		c.watch()
	}
	c.Ring()
}

// Watch sets what is called when the counter changes, with the domain's lock and in the middle of whatever changes it: f
// only notes that. nil ends it. A counter that nobody watches pays nothing. With the lock.
func (c *Counter) Watch(f func()) {
	switch {
	case c.watch == nil && f != nil:
		c.Want(1)
	case c.watch != nil && f == nil:
		c.Want(-1)
	}
	c.watch = f
}

// Want registers (delta 1) and removes (delta -1) a waiter. No lock needed.
func (c *Counter) Want(delta int32) { atomic.AddUint32(&c.waiting, uint32(delta)) }

// Bell is what a waiter receives from. No lock needed.
func (c *Counter) Bell() <-chan struct{} { return c.bell }

// OnSignal sets what else is called when the counter changes while somebody waits.
func (c *Counter) OnSignal(f func()) { c.signal = f }

// Ring wakes one waiter. No lock needed.
//
//go:noinline
func (c *Counter) Ring() {
	if c.signal != nil {
		c.signal()
	}
	select {
	case c.bell <- struct{}{}:
	default:
	}
}
