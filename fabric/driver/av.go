package driver

import (
	"container/heap"
	"sync"

	"github.com/gofabric/gofabric/fi"
)

// AVWatcher is told of changes of an address vector: an endpoint that is bound to it. Called with the domain's lock.
type AVWatcher interface {
	AVInserted(a fi.Addr, raw []byte)
	AVRemoved(a fi.Addr)
}

// AV is an address vector (fi_av(3)): a table from fi.Addr to a provider's address. It is safe for concurrent use; data
// paths keep what they look up and learn of changes as an [AVWatcher].
type AV struct {
	eng      *Engine // of the domain
	mu       sync.RWMutex
	slots    []avSlot
	free     addrHeap
	first    map[string][]fi.Addr // by address, ascending
	stats    fi.AVStats
	watchers []AVWatcher
	keys     []avKey // of a domain with FI_AV_AUTH_KEY, whose addresses end in the digest of one

	source  AVSource  // of a mirror until it is detached, else nil
	adopted []fi.Addr // of a mirror: found by Lookup and Reverse, and not told of
	seen    int       // of a mirror: indices of the source that were looked at
}

type avSlot struct {
	raw  []byte // nil: free
	user fi.Addr
	name string // in the peer's certificate; see SetPeerName
}

// NewAV makes an empty vector of a domain; count is how many addresses are expected.
func NewAV(eng *Engine, count int) *AV {
	return &AV{eng: eng, slots: make([]avSlot, 0, count), first: make(map[string][]fi.Addr, count)}
}

// Insert adds an address at the lowest free index. An address that is there already gets a second index; senders are
// reported with the lowest.
func (v *AV) Insert(raw []byte) fi.Addr {
	raw = append([]byte{}, raw...)
	v.mu.Lock()
	var a fi.Addr
	if len(v.free) > 0 {
		a = heap.Pop(&v.free).(fi.Addr)
	} else {
		a = fi.Addr(len(v.slots))
		v.slots = append(v.slots, avSlot{})
	}
	v.put(a, raw)
	ws := v.watchers
	v.mu.Unlock()
	v.tell(ws, func(w AVWatcher) { w.AVInserted(a, raw) })
	return a
}

// tell tells the watchers of a change, on behalf of the application. Without any lock.
func (v *AV) tell(ws []AVWatcher, of func(AVWatcher)) {
	if len(ws) == 0 {
		return
	}
	v.eng.Lock()
	defer v.eng.Unlock()
	for _, w := range ws {
		of(w)
	}
}

// put has raw at an index, which is free. With the mutex.
func (v *AV) put(a fi.Addr, raw []byte) {
	v.slots[a] = avSlot{raw: raw, user: a}
	v.stats.Inserted++
	v.stats.Addresses++
	l := append(v.first[string(raw)], a)
	for i := len(l) - 1; i > 0 && l[i] < l[i-1]; i-- {
		l[i], l[i-1] = l[i-1], l[i]
	}
	v.first[string(raw)] = l
}

// Remove frees an index; fi.ErrInvalid when it is not in use. The index is not given to another address until all watchers
// know: what they keep would send that one's messages to this.
func (v *AV) Remove(a fi.Addr) error {
	v.mu.Lock()
	if a >= fi.Addr(len(v.slots)) || v.slots[a].raw == nil {
		v.mu.Unlock()
		return fi.ErrInvalid
	}
	v.take(a)
	ws := v.watchers
	v.mu.Unlock()
	v.tell(ws, func(w AVWatcher) { w.AVRemoved(a) })
	v.mu.Lock()
	heap.Push(&v.free, a)
	v.mu.Unlock()
	return nil
}

// take has nothing at an index, which is in use. With the mutex.
func (v *AV) take(a fi.Addr) {
	key := string(v.slots[a].raw)
	v.slots[a] = avSlot{}
	v.stats.Removed++
	v.stats.Addresses--
	l := v.first[key]
	for i, x := range l {
		if x == a {
			l = append(l[:i:i], l[i+1:]...)
			break
		}
	}
	if len(l) == 0 {
		delete(v.first, key)
	} else {
		v.first[key] = l
	}
}

// Lookup gives the address at an index; it must not be changed.
func (v *AV) Lookup(a fi.Addr) (raw []byte, ok bool) {
	v.mu.RLock()
	if a < fi.Addr(len(v.slots)) {
		raw = v.slots[a].raw
	}
	mirrors := v.source != nil
	v.mu.RUnlock()
	if raw == nil && mirrors {
		return v.adopt(a)
	}
	return raw, raw != nil
}

// Reverse gives the index of an address, or AddrNotAvail.
func (v *AV) Reverse(raw []byte) fi.Addr {
	v.mu.RLock()
	a := v.reverse(raw)
	mirrors := v.source != nil
	v.mu.RUnlock()
	if a == fi.AddrNotAvail && mirrors {
		return v.adoptSender(raw)
	}
	return a
}

// reverse is that without a source. With the mutex.
func (v *AV) reverse(raw []byte) fi.Addr {
	if l := v.first[string(raw)]; len(l) > 0 {
		return l[0]
	}
	return fi.AddrNotAvail
}

// SetUserID sets what completions report as the sender instead of the index.
func (v *AV) SetUserID(a, user fi.Addr) error {
	v.mu.Lock()
	if a >= fi.Addr(len(v.slots)) || v.slots[a].raw == nil {
		v.mu.Unlock()
		return fi.ErrInvalid
	}
	v.slots[a].user = user
	raw, ws := v.slots[a].raw, v.watchers
	v.mu.Unlock()
	v.tell(ws, func(w AVWatcher) { w.AVInserted(a, raw) })
	return nil
}

// UserID is what completions report for the sender with index a.
func (v *AV) UserID(a fi.Addr) fi.Addr {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if a >= fi.Addr(len(v.slots)) {
		return fi.AddrNotAvail
	}
	return v.slots[a].user
}

// Len is one more than the highest index ever in use.
func (v *AV) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.slots)
}

// Stats gives the vector's numbers. It may be called beside anything.
func (v *AV) Stats() fi.AVStats {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.stats
}

// Watch makes w hear of later changes.
func (v *AV) Watch(w AVWatcher) {
	v.mu.Lock()
	v.watchers = append(v.watchers[:len(v.watchers):len(v.watchers)], w)
	v.mu.Unlock()
}

// Unwatch ends that.
func (v *AV) Unwatch(w AVWatcher) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, x := range v.watchers {
		if x == w {
			v.watchers = append(v.watchers[:i:i], v.watchers[i+1:]...)
			return
		}
	}
}

// addrHeap keeps free indices, lowest first.
type addrHeap []fi.Addr

func (h addrHeap) Len() int           { return len(h) }
func (h addrHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h addrHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *addrHeap) Push(x any)        { *h = append(*h, x.(fi.Addr)) }
func (h *addrHeap) Pop() any {
	o := *h
	x := o[len(o)-1]
	*h = o[:len(o)-1]
	return x
}
