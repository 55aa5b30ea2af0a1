package shm

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
)

// keyEntry is what we know of a region of the peer that lies in mapped memory. It is right as long as the slot's word is
// what it was.
type keyEntry struct {
	key    uint64
	word   uint64
	at     *uint64 // the slot's word in the peer's table; nil: empty
	mem    []byte  // the region
	base   uint64
	access fi.Access
	slot   uint32
	block  uint64
}

// keyCache is how many regions of a peer are found without a search.
const keyCache = 64

type keyState uint8

const (
	keyUnknown keyState = iota // not in mapped memory, or a wrong key: the target decides
	keyWaits                   // its block is being mapped
	keyFound
)

// cached finds a region that was used before and still lives.
//
//fabric:fastpath
func (p *pair) cached(key uint64) *keyEntry {
	k := &p.keys[(key^key>>32)%keyCache]
	if k.key != key || k.at == nil || atomic.LoadUint64(k.at) != k.word {
		return nil
	}
	return k
}

// lookup finds a region by its key.
func (p *pair) lookup(key uint64) (*keyEntry, keyState) {
	if k := p.cached(key); k != nil {
		return k, keyFound
	}
	s, n, ok := p.tableAt.find(key)
	if !ok || s.block == bulkID { // the peer's blocks are mapped for reading only
		return nil, keyUnknown
	}
	m := p.mapping(s.block)
	if m == nil {
		return nil, keyWaits
	}
	if size := uint64(len(m.mem)); s.off > size || s.size > size-s.off {
		return nil, keyUnknown
	}
	k := &p.keys[(key^key>>32)%keyCache]
	*k = keyEntry{key: key, word: s.word, at: &p.tableAt.slots[n].word, mem: m.mem[s.off : s.off+s.size : s.off+s.size],
		base: s.base, access: fi.Access(s.access), slot: n, block: s.block}
	return k, keyFound
}

// enter begins an access of n bytes at addr: the owner waits for us when it closes the key. Nil says that the target must
// decide, whose answer names the fault.
//
//fabric:fastpath
func (p *pair) enter(lane int, k *keyEntry, addr uint64, n int, need fi.Access) []byte {
	p.ring.Mine.Enter(lane, k.slot, uint32(k.word>>1))
	off := addr - k.base
	if atomic.LoadUint64(k.at) != k.word || k.access&need != need || off > uint64(len(k.mem)) || uint64(n) > uint64(len(k.mem))-off {
		p.ring.Mine.Leave(lane)
		return nil
	}
	return k.mem[off : off+uint64(n) : off+uint64(n)]
}
