package stress

import (
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// slotsAt is where a rank's slots begin.
func (p *phase) slotsAt(rank int) int { return readable + p.Written[rank] + guard }

// readKey is that of the bytes of a rank that are there to be read.
func (p *phase) readKey(rank int) uint64 { return p.key(1<<28 + rank) }

// openRegion registers the memory of the phase.
func (n *node) openRegion() error {
	if n.Limits.Caps&(fi.CapRMA|fi.CapAtomic) == 0 {
		return nil
	}
	size := n.h.slotsAt(n.rank) + 8*len(n.h.Slots) + guard
	if n.Alloc {
		m, err := mr.Alloc(size)
		if err != nil {
			return err
		}
		n.alloc, n.mem = m, m.Bytes()
	} else {
		words := make([]uint64, (size+7)/8) // aligned, for atomics
		n.mem = bytesOf(words)[:size]
	}
	soil(n.mem)
	fill(n.mem[:readable], n.h.readKey(n.rank))
	for _, s := range n.h.Slots {
		k := &slotKinds[s.Kind]
		put(n.mem[n.h.slotsAt(n.rank)+s.Off:][:k.size], k.first())
	}
	var err error
	n.region, err = n.dom.RegisterMR(n.mem, fi.AccessRemoteRead|fi.AccessRemoteWrite|fi.AccessRead|fi.AccessWrite, &fi.MRAttr{Key: uint64(n.h.Index)<<8 | uint64(n.rank)})
	return err
}

// closeRegion ends all access to it.
func (n *node) closeRegion() error {
	if n.region == nil {
		return nil
	}
	err := n.region.Close()
	n.region = nil
	if n.alloc != nil {
		if e := n.alloc.Free(); err == nil {
			err = e
		}
		n.alloc = nil
	}
	n.mem = nil
	return err
}

// checkRegion looks at every byte of it.
func (n *node) checkRegion() {
	if n.region == nil {
		return
	}
	if d := differs(n.mem[:readable], n.h.readKey(n.rank)); d != "" {
		n.fail(nil, "", "memory that was only there to be read has changed: %s", d)
		return
	}
	for _, s := range n.h.Steps {
		if s.Kind != write || s.To.Rank != n.rank {
			continue
		}
		b := n.mem[s.Off:]
		if d := differs(b[:s.Size], n.h.key(s.ID)); d != "" {
			n.fail(s, "what it has left here differs", "the memory that it wrote: %s", d)
			return
		}
		if !soiled(b[s.Size : (s.Size+7)&^7+guard]) {
			n.fail(s, "", "bytes behind those that it wrote have changed")
			return
		}
	}
	for i, at := range n.h.Slots {
		if at.Rank != n.rank {
			continue
		}
		k := &slotKinds[at.Kind]
		b := n.mem[n.h.slotsAt(n.rank)+at.Off:]
		if got, want := get(b[:k.size]), n.h.final(i); got != want {
			n.fail(n.h.ofSlot(i), "", "slot %d (%v of %v) holds %#x in the end, %#x is the result of its operations", i, k.op, k.dt, got, want)
			return
		}
		if !soiled(b[k.size:8]) {
			n.fail(n.h.ofSlot(i), "", "bytes behind slot %d have changed", i)
			return
		}
	}
}

// ofSlot gives one step of a slot; nil when it has none.
func (p *phase) ofSlot(index int) *step {
	for _, s := range p.Steps {
		if s.Kind == atomically && s.Slot == index {
			return s
		}
	}
	return nil
}
