package shm

import (
	"context"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/mr"
)

// mapping is a block of the peer that we have mapped. It is unmapped when it is retired (or the pair has ended) and
// nobody is inside.
type mapping struct {
	m       *shmem.Mapping
	mem     []byte
	users   int
	retired bool
}

func (m *mapping) release() {
	m.users--
	m.retire(m.retired)
}

func (m *mapping) retire(now bool) {
	if m.retired = now; now && m.users == 0 && m.m != nil {
		m.m.Unmap()
		m.m, m.mem = nil, nil
	}
}

// mapping gives the peer's block if it is mapped; if not, it asks for it, and nil comes back.
func (p *pair) mapping(block uint64) *mapping {
	if m, ok := p.blocks[block]; ok {
		return m // nil while we wait
	}
	if p.blocks == nil {
		p.blocks = make(map[uint64]*mapping)
	}
	p.blocks[block] = nil
	p.asked.Add(1)
	if p.conn.Send(askFor(block)) == shmem.ErrAgain { //nolint:errorlint // documented: a bare value
		p.doom("it does not read its socket")
	}
	return nil // any other failure shows as the peer's hang-up
}

// mapped is the answer: a nil Mapping says that there is no such block any more, or that it cannot be mapped.
func (p *pair) mapped(block uint64, sm *shmem.Mapping) {
	if old, asked := p.blocks[block]; !asked || old != nil || p.state >= dead {
		if sm != nil {
			sm.Unmap()
		}
		return
	}
	m := &mapping{m: sm}
	if sm != nil {
		m.mem = sm.Bytes()
	} else if block == bulkID {
		p.broken("its blocks cannot be mapped")
		return
	}
	p.blocks[block] = m // also one without memory: who needs it takes another way, and nobody asks again
	if block == bulkID {
		p.bulkIn = m
		p.takeEarly()
	} else {
		p.evict(block)
	}
	p.wake(block, m)
	p.resume()
}

// wake goes on with the transfers that waited for a block: from it, or by blocks of the bulk road when it is not there.
func (p *pair) wake(block uint64, m *mapping) {
	waiting := p.unmapped
	p.unmapped = nil
	for _, in := range waiting {
		switch {
		case in.block != block:
			p.unmapped = append(p.unmapped, in)
		case m.mem == nil:
			p.byBlocks(in)
		default:
			p.fetchMapped(in, m)
		}
	}
}

// maxBlocks is how many of a peer's blocks stay mapped: the system allows a process some 65,000 mappings in all.
const maxBlocks = 512

// evict unmaps blocks that nobody is inside when there are many, but for one.
func (p *pair) evict(keep uint64) {
	if len(p.blocks) <= maxBlocks {
		return
	}
	for id, m := range p.blocks { // in no order
		if m != nil && m.users == 0 && id != keep && id != bulkID {
			p.forgetBlock(id)
			if len(p.blocks) <= maxBlocks/2 {
				return
			}
		}
	}
}

// retired says that the peer has freed a block.
func (p *pair) retired(block uint64) {
	if block == bulkID {
		return // never freed before the pair ends
	}
	_, there := p.blocks[block]
	p.forgetBlock(block)
	if there {
		p.wake(block, &mapping{})
		p.resume()
	}
}

// forgetBlock unmaps a block, at the latest when the last one who is inside leaves.
func (p *pair) forgetBlock(block uint64) {
	m := p.blocks[block]
	delete(p.blocks, block)
	for i := range p.keys {
		if p.keys[i].block == block {
			p.keys[i] = keyEntry{}
		}
	}
	if m != nil {
		m.retire(true)
	}
}

// waitForBulk keeps news of a filled block until the peer's blocks are mapped.
func (p *pair) waitForBulk(m outMessage) {
	p.early = append(p.early, m)
	p.mapping(bulkID)
}

func (p *pair) takeEarly() {
	early := p.early
	p.early = nil
	for _, m := range early {
		in := p.inbound[inKey(uint32(m.data), m.aux)]
		if in == nil || !p.takeBlock(in, uint32(m.tag), int(m.tag>>32)) {
			p.broken("a block that nobody asked for")
			return
		}
	}
}

// offer lets peers map a block; false when it is not ours to give any more.
func (d *domain) offer(b *mr.Block) bool {
	d.blocks.Lock()
	defer d.blocks.Unlock()
	if d.known[b.ID()] == b {
		return true
	}
	if !b.OnFree(d, func() { d.forget(b.ID()) }) {
		return false
	}
	d.known[b.ID()] = b
	return true
}

// forget says that a block is being freed: nobody gets it any more, and peers unmap it.
func (d *domain) forget(id uint64) {
	d.blocks.Lock()
	_, ok := d.known[id]
	delete(d.known, id)
	d.blocks.Unlock()
	if ok {
		d.src.post(event{kind: evRetire, block: id})
	}
}

// retire tells the peers that have asked for the block.
func (d *domain) retire(id uint64) {
	var tell []*pair
	d.blocks.Lock()
	for _, p := range d.pairs {
		if _, ok := p.given[id]; ok {
			delete(p.given, id)
			tell = append(tell, p)
		}
	}
	d.blocks.Unlock()
	for _, p := range tell {
		p.put(opRetire, 0, 0, id, nil)
	}
}

// Map gives load and store access to a peer's region.
func (e *endpoint) Map(ctx context.Context, to fi.Addr, at mr.Remote, n int) ([]byte, func() error, error) {
	if e.lossy {
		return nil, nil, fi.ErrOpNotSupp
	}
	for a := new(approach); ; {
		mem, unmap, wait, err := e.tryMap(a, to, at, n)
		if wait == nil {
			return mem, unmap, err
		}
		look := time.NewTimer(mapLooks) // with manual progress nobody else drives the domain while we are here
		select {
		case <-wait:
		case <-look.C:
		case <-ctx.Done():
			look.Stop()
			return nil, nil, ctx.Err()
		}
		look.Stop()
	}
}

// mapLooks is the time between two looks of a Map that waits for the peer.
const mapLooks = 100 * time.Microsecond

// approach is what a Map that waits for a connection has heard of it. An attempt that fails is the last one: the peer is not
// there, and another one would be made in vain, for ever.
type approach struct {
	waits  bool // to hear
	failed fi.Errno
}

func (a *approach) heard(err fi.Errno) { a.waits, a.failed = false, err }

// tryMap is one step of Map; wait says when to try again.
func (e *endpoint) tryMap(a *approach, to fi.Addr, at mr.Remote, n int) (mem []byte, unmap func() error, wait <-chan struct{}, err error) {
	e.Eng.Lock()
	defer e.Eng.Unlock()
	e.Eng.Poll()
	if a.failed != 0 {
		return nil, nil, nil, a.failed
	}
	p, errno := e.pairFor(to)
	if errno != 0 {
		return nil, nil, nil, errno
	}
	switch p.state {
	case connecting:
		if !a.waits {
			a.waits = true
			p.reaching = append(p.reaching, a.heard)
		}
		return nil, nil, e.d.src.changed(), nil
	case ready:
	default:
		return nil, nil, nil, fi.ErrConnReset
	}
	k, st := p.lookup(at.Key)
	switch st {
	case keyWaits:
		return nil, nil, e.d.src.changed(), nil
	case keyUnknown:
		return nil, nil, nil, &fi.Error{Op: "map", Provider: Name, Err: fi.ErrOpNotSupp,
			Hint: "no region with this key in memory of mr.Alloc: the peer registers such memory, without events and authorization keys"}
	}
	const need = fi.AccessRemoteRead | fi.AccessRemoteWrite
	off := at.Addr - k.base
	switch {
	case k.access&need != need:
		return nil, nil, nil, fi.ErrAccess
	case off > uint64(len(k.mem)) || uint64(n) > uint64(len(k.mem))-off:
		return nil, nil, nil, fi.ErrInvalid
	}
	m := p.blocks[k.block]
	m.users++
	done := false
	return k.mem[off : off+uint64(n) : off+uint64(n)], func() error {
		e.Eng.Lock()
		defer e.Eng.Unlock()
		if !done {
			done = true
			m.release()
		}
		return nil
	}, nil, nil
}
