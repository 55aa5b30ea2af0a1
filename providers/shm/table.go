package shm

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/mr"
)

// A domain's table is memory that it writes and its peers read: one line to sleep by, and a slot for each region in
// memory of mr.Alloc, found by its key.
//
//	0     asleep u32: odd while the domain wants to be rung; each sleep has a value of its own
//	64    events u32: not 0 when remote accesses must be executed by the target, which counts them
//	4096  slots of 64 bytes
const (
	tableSlots = 1 << 16
	slotsAt    = 4096
	slotBytes  = 64
	tableBytes = slotsAt + tableSlots*slotBytes
	maxProbes  = 32
)

// slot is one region. A word whose lowest bit is set says that it lives; every change of a slot has a word of its own.
type slot struct {
	word   uint64 // generation<<1 | live; 0: never used
	key    uint64
	block  uint64
	off    uint64 // of the region in the block
	size   uint64
	base   uint64 // what peers call the first byte
	access uint64 // fi.Access
	_      uint64
}

type table struct {
	file   *shmem.File
	asleep *uint32
	events *uint32
	slots  *[tableSlots]slot
	mine   map[*mr.Region]uint32
}

func newTable() (*table, error) {
	f, err := shmem.Create("gofabric-table", tableBytes, shmem.OwnerWrites)
	if err != nil {
		return nil, &fi.Error{Op: "domain", Provider: Name, Err: fi.ErrNoMem, Hint: err.Error() + "; fi_info --doctor shows the limits of this machine"}
	}
	t := &table{file: f, mine: make(map[*mr.Region]uint32)}
	t.asleep, t.events, t.slots = tableOf(f.Bytes())
	return t, nil
}

func (t *table) close() { t.file.Close() }

// sleep says that we want to be rung. Each call has a value of its own: who rang for the last one rings again.
func (t *table) sleep() {
	for {
		v := atomic.LoadUint32(t.asleep)
		if atomic.CompareAndSwapUint32(t.asleep, v, v+1+v&1) {
			return
		}
	}
}

// sleeps counts how often we went to sleep.
func (t *table) sleeps() uint32 { return (atomic.LoadUint32(t.asleep) + 1) / 2 }

// awake ends that.
func (t *table) awake() {
	for {
		v := atomic.LoadUint32(t.asleep)
		if v&1 == 0 || atomic.CompareAndSwapUint32(t.asleep, v, v+1) {
			return
		}
	}
}

func slotOf(key uint64, i int) uint32 {
	h := key * 0x9E3779B97F4A7C15
	return uint32(h>>32+uint64(i)) % tableSlots
}

// export makes a region reachable for peers that map its block. Without a free slot near its place it stays with the
// target's progress.
func (t *table) export(r *mr.Region, block, off uint64) bool {
	for i := range maxProbes {
		n := slotOf(r.Key, i)
		s := &t.slots[n]
		w := atomic.LoadUint64(&s.word)
		if w&1 != 0 {
			continue
		}
		atomic.StoreUint64(&s.key, r.Key)
		atomic.StoreUint64(&s.block, block)
		atomic.StoreUint64(&s.off, off)
		atomic.StoreUint64(&s.size, r.Len)
		atomic.StoreUint64(&s.base, r.Base)
		atomic.StoreUint64(&s.access, uint64(r.Access))
		atomic.StoreUint64(&s.word, w+3) // the next generation, live
		t.mine[r] = n
		return true
	}
	return false
}

// withdraw ends that and gives slot and generation, by which peers say that they are inside.
func (t *table) withdraw(r *mr.Region) (n, gen uint32, ok bool) {
	n, ok = t.mine[r]
	if !ok {
		return 0, 0, false
	}
	delete(t.mine, r)
	w := atomic.LoadUint64(&t.slots[n].word)
	atomic.StoreUint64(&t.slots[n].word, w&^1)
	return n, uint32(w >> 1), true
}

// peerTable is a peer's table, mapped for reading.
type peerTable struct {
	m      *shmem.Mapping
	asleep *uint32
	events *uint32
	slots  *[tableSlots]slot
}

func mapTable(fd int) (*peerTable, error) {
	m, err := shmem.MapPeer(fd, tableBytes, shmem.ReadOnly, 0)
	if err != nil {
		return nil, err
	}
	t := &peerTable{m: m}
	t.asleep, t.events, t.slots = tableOf(m.Bytes())
	return t, nil
}

// find gives a copy of the live slot of a key; its word must be looked at again after the copy is used.
func (t *peerTable) find(key uint64) (s slot, n uint32, ok bool) {
	for i := range maxProbes {
		n = slotOf(key, i)
		p := &t.slots[n]
		s.word = atomic.LoadUint64(&p.word)
		if s.word == 0 {
			return s, 0, false
		}
		if s.word&1 == 0 || atomic.LoadUint64(&p.key) != key {
			continue
		}
		s.key, s.block, s.off = key, atomic.LoadUint64(&p.block), atomic.LoadUint64(&p.off)
		s.size, s.base, s.access = atomic.LoadUint64(&p.size), atomic.LoadUint64(&p.base), atomic.LoadUint64(&p.access)
		if atomic.LoadUint64(&p.word) == s.word {
			return s, n, true
		}
	}
	return s, 0, false
}
