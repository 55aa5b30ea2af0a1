package device

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
)

// Scope is a context's members: those whose failure concerns its operations.
type Scope struct {
	Context uint32

	d       *Device
	revoked atomic.Bool
	acked   atomic.Int32 // how many of the device's failures were acknowledged

	mu    sync.Mutex
	ranks []int    // guarded by mu: in order of world ranks; a new slice for each change
	bound []*Scope // guarded by mu: those that are revoked with this one

	agreement agreement
}

// scopes are those of a device, and the contexts that were revoked.
type scopes struct {
	mu      sync.RWMutex
	of      map[uint32]*Scope // guarded by mu
	revoked map[uint32]int    // guarded by mu: by whom; that is this process once it is known to be true
	trouble atomic.Bool       // something was revoked
}

// revokedMost bounds what is remembered: also contexts that nobody here knows, of which some are about to be made.
const revokedMost = 1 << 16

// OpenScope says who the members of a context are, in any order; this process is one of them.
func (d *Device) OpenScope(context uint32, ranks []int) *Scope {
	s := &Scope{Context: context, d: d}
	s.agreement.init(s)
	s.Extend(ranks)
	d.scopes.mu.Lock()
	if d.scopes.of == nil {
		d.scopes.of = map[uint32]*Scope{}
	}
	d.scopes.of[context] = s
	by, early := d.scopes.revoked[context]
	delete(d.scopes.revoked, context)
	d.scopes.mu.Unlock()
	if early {
		d.revoke(context, by)
	}
	return s
}

// Extend adds members: those of the other group of an intercommunicator.
func (s *Scope) Extend(ranks []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Concat(s.ranks, ranks)
	slices.Sort(all)
	s.ranks = slices.Compact(all)
}

// Bind has other scopes revoked with this one: those of communicators that belong to an intercommunicator.
func (s *Scope) Bind(others ...*Scope) {
	s.mu.Lock()
	s.bound = append(s.bound, others...)
	s.mu.Unlock()
	if s.Revoked() {
		for _, o := range others {
			o.Revoke()
		}
	}
}

// Ranks are the world ranks of the members, in order. The caller does not change it.
func (s *Scope) Ranks() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ranks
}

func (s *Scope) has(rank int) bool {
	_, ok := slices.BinarySearch(s.Ranks(), rank)
	return ok
}

// Close forgets the scope; one that has agreed on something goes on to tell others what it was.
func (s *Scope) Close() {
	if s.agreement.used() {
		return
	}
	s.d.scopes.mu.Lock()
	defer s.d.scopes.mu.Unlock()
	delete(s.d.scopes.of, s.Context)
}

func (d *Device) scope(context uint32) *Scope {
	d.scopes.mu.RLock()
	defer d.scopes.mu.RUnlock()
	return d.scopes.of[context]
}

// Failed are the members that are known to be gone, in the order in which that became known.
func (s *Scope) Failed() []int { return s.among(s.d.FailedRanks()) }

// among gives those that are members.
func (s *Scope) among(ranks []int) []int {
	var in []int
	for _, r := range ranks {
		if s.has(r) {
			in = append(in, r)
		}
	}
	return in
}

// Acknowledge says that the first n of the failed members are known to the program: receives from anybody wait again. It
// returns how many are acknowledged now.
func (s *Scope) Acknowledge(n int) int {
	all, last := s.d.FailedRanks(), 0
	for i, r := range all {
		if n > 0 && s.has(r) {
			n--
			last = i + 1
		}
	}
	for {
		was := s.acked.Load()
		if int32(last) <= was || s.acked.CompareAndSwap(was, int32(last)) {
			break
		}
	}
	return len(s.Acknowledged())
}

// Acknowledged are the failed members that were acknowledged.
func (s *Scope) Acknowledged() []int { return s.among(s.d.FailedRanks()[:s.acked.Load()]) }

// unacknowledged gives a failed member that was not, -1 for none.
func (s *Scope) unacknowledged() int {
	for _, r := range s.d.FailedRanks()[s.acked.Load():] {
		if s.has(r) {
			return r
		}
	}
	return -1
}

// Revoked tells whether the context was revoked, here or by another member.
//
//fabric:fastpath
func (s *Scope) Revoked() bool { return s.revoked.Load() }

// Revoke ends the use of the context at all members: what waits there fails, and what is begun.
func (s *Scope) Revoke() { s.d.revoke(s.Context, s.d.Rank) }

// revoke notes and passes on what a rank has revoked. Everybody tells everybody, once: the first may die in the middle.
func (d *Device) revoke(context uint32, by int) {
	first := by
	d.scopes.mu.Lock()
	s := d.scopes.of[context]
	if _, known := d.scopes.revoked[context]; known || len(d.scopes.revoked) >= revokedMost || s != nil && !s.has(by) {
		d.scopes.mu.Unlock()
		return
	}
	if d.scopes.revoked == nil {
		d.scopes.revoked = map[uint32]int{}
	}
	if s != nil {
		by = d.Rank
	}
	d.scopes.revoked[context] = by
	d.scopes.mu.Unlock()
	if s == nil {
		return
	}
	s.revoked.Store(true)
	d.scopes.trouble.Store(true)
	d.news.spread()
	body := binary.LittleEndian.AppendUint32(nil, context)
	for _, r := range s.Ranks() {
		if r != d.Rank && r != first && !d.Failed(r) {
			d.Tell(r, kindRevoked, body)
		}
	}
	s.mu.Lock()
	bound := s.bound
	s.mu.Unlock()
	for _, o := range bound {
		o.Revoke()
	}
}

// revoked tells whether a context is, to somebody who asks.
func (d *Device) revoked(context uint32) bool {
	d.scopes.mu.RLock()
	defer d.scopes.mu.RUnlock()
	by, ok := d.scopes.revoked[context]
	return ok && by == d.Rank
}

func (d *Device) heardRevoked(from int, body []byte) {
	if len(body) == 4 && binary.LittleEndian.Uint32(body) < 1<<ContextBits {
		d.revoke(binary.LittleEndian.Uint32(body), from)
	}
}
