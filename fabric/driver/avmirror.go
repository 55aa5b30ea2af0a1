package driver

import (
	"bytes"

	"github.com/gofabric/gofabric/fi"
)

// AVSource is an address vector of another process. Its methods may be called with the domain's lock.
type AVSource interface {
	// Len is one more than the highest index that was ever in use, and never falls.
	Len() int
	// At gives the canonical address at an index, which the caller may keep.
	At(i int) (raw []byte, ok bool)
}

// NewMirror makes a vector that shows what src has: what Sync has seen, and what Lookup is asked for. Nothing is inserted
// or removed otherwise.
func NewMirror(eng *Engine, src AVSource) *AV {
	v := NewAV(eng, src.Len())
	v.source = src
	return v
}

// adopt looks an index up in the source. Watchers hear of it at the next Sync: the caller may hold a lock of theirs.
func (v *AV) adopt(a fi.Addr) (raw []byte, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.source == nil || a >= fi.Addr(v.source.Len()) {
		return nil, false
	}
	v.grow(a)
	if raw = v.slots[a].raw; raw != nil { // somebody was faster
		return raw, true
	}
	if raw, ok = v.source.At(int(a)); ok {
		v.put(a, raw)
		v.adopted = append(v.adopted, a)
	}
	return raw, ok
}

// adoptSender looks an address up among what the source has behind all that was looked at: who sends to us may have been
// told that it is in the vector. What has come to a place that was free before is known with the next Sync, so that a
// stranger costs no more than what is new.
func (v *AV) adoptSender(raw []byte) fi.Addr {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.source == nil {
		return fi.AddrNotAvail
	}
	for n := v.source.Len(); v.seen < n; v.seen++ {
		a := fi.Addr(v.seen)
		v.grow(a)
		if v.slots[a].raw != nil { // by Lookup
			continue
		}
		if raw, ok := v.source.At(v.seen); ok {
			v.put(a, raw)
			v.adopted = append(v.adopted, a)
		}
	}
	return v.reverse(raw)
}

// grow makes the index exist. With the mutex.
func (v *AV) grow(a fi.Addr) {
	for a >= fi.Addr(len(v.slots)) {
		v.slots = append(v.slots, avSlot{})
	}
}

// SyncSoon has Sync called by who has the domain's lock next: the source has changed. Called without any lock, by any
// goroutine.
func (v *AV) SyncSoon() { v.eng.Request(mirrorSync{v}) }

// Detach ends the mirror: the source is not asked any more when it returns.
func (v *AV) Detach() {
	v.mu.Lock()
	v.source = nil
	v.mu.Unlock()
}

// mirrorSync is that as a task.
type mirrorSync struct{ v *AV }

func (t mirrorSync) Run() { t.v.Sync() }

// Sync takes over what has changed in the source, and tells the watchers. With the domain's lock.
func (v *AV) Sync() {
	type change struct {
		a   fi.Addr
		raw []byte // nil: removed
	}
	var changes []change
	v.mu.Lock()
	if v.source == nil {
		v.mu.Unlock()
		return
	}
	for _, a := range v.adopted {
		if raw := v.slots[a].raw; raw != nil {
			changes = append(changes, change{a, raw})
		}
	}
	v.adopted = nil
	v.seen = max(v.seen, v.source.Len())
	for i := range v.seen {
		a := fi.Addr(i)
		v.grow(a)
		raw, ok := v.source.At(i)
		had := v.slots[a].raw
		if had != nil && (!ok || !bytes.Equal(had, raw)) {
			v.take(a)
			changes = append(changes, change{a, nil})
			had = nil
		}
		if ok && had == nil {
			v.put(a, raw)
			changes = append(changes, change{a, raw})
		}
	}
	ws := v.watchers
	v.mu.Unlock()
	for _, c := range changes {
		for _, w := range ws {
			if c.raw == nil {
				w.AVRemoved(c.a)
			} else {
				w.AVInserted(c.a, c.raw)
			}
		}
	}
}
