package driver

import (
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// A provider may stand on others: its domain has one of theirs for each way that leads to peers (lnx: shared memory and a
// network). Those are parts of a whole. They have one lock and one engine, so that their endpoints can have one receive
// context ([Bindings.SharedRx] is that of the endpoint above), one pair of queues and the same counters, and the order
// between messages that come by different ways is that in which they are found.

// Whole is what the parts of a domain have in common.
type Whole struct {
	// Engine drives all parts: its source polls theirs. A part makes none of its own and does not close it.
	Engine *Engine
	// Regions are all regions by their keys. The whole adds a region, and chooses its key, before it calls RegisterMR of
	// the parts; CloseMR of a part may end it, again and again.
	Regions *mr.Table
}

// PartOpener is a [Fabric] whose domains can be parts of another provider's.
type PartOpener interface {
	// OpenPart opens a domain that is a part of w. It is closed after the engine, and after the last Wait of its source.
	OpenPart(info *fi.Info, w *Whole) (Part, error)
}

// Part is a domain that is a part of a whole.
type Part interface {
	Domain
	// Source is what the whole's source polls, arms and waits for. Wait is called by a goroutine of its own.
	Source() Source
}

// Reacher is an endpoint that can tell whether a peer is there before something is sent to it, for a whole that has
// another way to the peer.
type Reacher interface {
	// Reach begins to connect with a peer and calls done once: with 0 when the connection is there, perhaps before it
	// returns, or with the reason why there is none. With the lock, as done.
	Reach(to fi.Addr, done func(fi.Errno)) fi.Errno
}

// Place has raw at an index, and user as what completions report of it, in a vector that follows another one: that of a
// part. What is there is replaced. With the domain's lock.
func (v *AV) Place(a fi.Addr, raw []byte, user fi.Addr) {
	v.mu.Lock()
	v.grow(a)
	was := v.slots[a].raw
	if was != nil && string(was) != string(raw) {
		v.mu.Unlock()
		v.Displace(a)
		v.mu.Lock()
		was = nil
	}
	if was == nil {
		v.put(a, raw)
	}
	v.slots[a].user = user
	ws := v.watchers
	v.mu.Unlock()
	for _, w := range ws {
		w.AVInserted(a, raw)
	}
}

// Displace frees an index of such a vector; nothing happens when it is free. With the domain's lock.
func (v *AV) Displace(a fi.Addr) {
	v.mu.Lock()
	if a >= fi.Addr(len(v.slots)) || v.slots[a].raw == nil {
		v.mu.Unlock()
		return
	}
	v.take(a)
	ws := v.watchers
	v.mu.Unlock()
	for _, w := range ws {
		w.AVRemoved(a)
	}
}
