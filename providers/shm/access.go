package shm

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/memcopy"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/mr"
)

// accessed executes what a peer asks of our memory. Everything that it says is checked; a wrong key, range or right is
// an answer, a malformed request ends the connection.
func (p *pair) accessed(op uint8, addr, data uint64, payload []byte) bool {
	if len(payload) < accessBytes {
		return false
	}
	var h [accessBytes]byte
	copy(h[:], payload) // the peer may change it
	rest := payload[accessBytes:]
	id, flags, r := le.Uint32(h[:]), h[4], road(h[5])
	key, size, whole := le.Uint64(h[8:]), le.Uint64(h[16:]), le.Uint64(h[40:])
	if size > maxMsgSize || whole > maxMsgSize || flags&^(accessData|accessMore|accessRest) != 0 {
		return false
	}
	part := rdm.Part(flags >> accessPart)
	if !p.ranges.Takes(part) {
		return false
	}
	if flags&accessData != 0 && p.Unread() {
		return p.Wait()
	}
	n := int(size)
	switch op {
	case opWrite:
		if len(rest) != n {
			return false
		}
		p.writeHere(id, key, addr, data, flags, rest, int(whole))
	case opWriteLarge:
		if len(p.inbound)+len(p.unmapped)+p.fetching.Len() >= maxTransfers {
			return false
		}
		if !r.known() {
			return false
		}
		p.writeLarge(id, key, addr, data, flags, n, int(whole), r, le.Uint64(h[24:]), le.Uint64(h[32:])&(1<<56-1))
	case opRead:
		if p.sending.Len() >= maxTransfers {
			return false
		}
		p.readHere(id, key, addr, n, part)
	default:
		return p.atomicHere(id, key, addr, n, part, rest)
	}
	return true
}

// maxTransfers is more than the operations that a peer can have in flight, and the messages of ours that it can want.
const maxTransfers = 2 * idIndex

func (p *pair) writeHere(id uint32, key, addr, data uint64, flags byte, src []byte, whole int) {
	e := p.ep
	r, off, err := p.Target(key, addr, len(src), fi.AccessRemoteWrite)
	if err == 0 {
		if dst := r.Slice(off, len(src)); dst != nil {
			memcopy.In(dst, src)
		} else {
			r.CopyIn(off, src)
		}
	}
	if p.ranges.Add(&e.Endpoint, rdm.Part(flags>>accessPart), true, r, len(src), err) && flags&accessData != 0 {
		e.WrittenData(whole, data, p.Addr)
	}
	p.put(opDone, 0, uint64(err), uint64(id), nil)
}

func (p *pair) writeLarge(id uint32, key, addr, data uint64, flags byte, n, whole int, r road, from, block uint64) {
	region, off, err := p.Target(key, addr, n, fi.AccessRemoteWrite)
	part := rdm.Part(flags >> accessPart)
	if err != 0 {
		p.ranges.Add(&p.ep.Endpoint, part, true, nil, 0, err)
		p.put(opDone, 0, uint64(err), uint64(id), nil)
		return
	}
	in := p.newInbound(id, n)
	in.at = written{part: part, region: region, parts: region.Pieces(in.at.parts, off, n), whole: whole, data: data, hasData: flags&accessData != 0}
	in.w = &in.at
	p.begin(in, r, from, block)
}

func (p *pair) readHere(id uint32, key, addr uint64, n int, part rdm.Part) {
	e := p.ep
	r, off, err := p.Target(key, addr, n, fi.AccessRemoteRead)
	if err != 0 {
		p.ranges.Add(&e.Endpoint, part, false, nil, 0, err)
		p.put(opReadBytes, 0, uint64(err), uint64(id), nil)
		return
	}
	if n <= eagerMax {
		src := r.Slice(off, n)
		if src == nil {
			src = p.d.scratch[:n]
			r.CopyOut(src, off)
		}
		p.put(opReadBytes, 0, 0, uint64(id), src)
		p.ranges.Add(&e.Endpoint, part, false, r, n, 0)
		return
	}
	w := p.newOutward()
	w.id, w.size, w.read, w.region, w.part = id, n, true, r, part
	w.parts = r.Pieces(w.parts, off, n)
	w.iov = w.parts
	p.pushData(w)
}

// atomicHere executes an atomic.
func (p *pair) atomicHere(id uint32, key, addr uint64, n int, part rdm.Part, rest []byte) bool {
	if len(rest) < atomicBytes {
		return false
	}
	var h [atomicBytes]byte
	copy(h[:], rest)
	rest = rest[atomicBytes:]
	var kind fi.AtomicKind
	switch h[0] {
	case 0:
	case 1:
		kind = fi.AtomicFetch
	case 2:
		kind = fi.AtomicCompare
	default:
		return false
	}
	k, err := fiatomic.Lookup(kind, fi.Datatype(h[1]), fi.AtomicOp(h[2]))
	if err != nil || n <= 0 || n > driver.MaxAtomicSize || n%k.Size() != 0 {
		return false
	}
	want := 0
	if k.NeedsOperand() {
		want += n
	}
	if k.NeedsCompare() {
		want += n
	}
	if len(rest) != want {
		return false
	}
	var operand, compare, result []byte
	in := p.d.scratch2[:len(rest)]
	copy(in, rest) // the peer may change it
	if k.NeedsOperand() {
		operand, in = in[:n], in[n:]
	}
	if k.NeedsCompare() {
		compare = in[:n]
	}
	if k.GivesResult() {
		result = p.d.scratch[:n]
	}
	r, errno := p.AtomicRange(k, key, addr, operand, compare, result, n/k.Size())
	p.ranges.Add(&p.ep.Endpoint, part, rdm.AtomicWrites(k), r, n, errno)
	if errno != 0 {
		result = nil
	}
	p.put(opAtomicResult, 0, uint64(errno), uint64(id), result)
	return true
}

// RegisterMR makes a region reachable: by its key for the target's progress, and, when it lies in memory of mr.Alloc and
// nobody counts accesses to it, in our table for peers to use by themselves.
func (d *domain) RegisterMR(r *mr.Region) error {
	d.eng.Lock()
	defer d.eng.Unlock()
	if !d.part {
		if d.info.Domain.MRMode&fi.MRModeProvKey != 0 {
			r.Key = d.regions.RandomKey()
		}
		if err := d.regions.Add(r); err != nil {
			return err
		}
	}
	if len(r.Parts) != 1 || r.Access&(fi.AccessRemoteRead|fi.AccessRemoteWrite) == 0 {
		return nil
	}
	b, off := mr.Find(r.Parts[0])
	if b == nil {
		return nil
	}
	r.Export = b
	if r.Admits != nil { // the table is for everybody
		return nil
	}
	if r.Flags&(fi.MRRMAEvent|fi.MRSingleUse) == 0 && r.Enabled && d.offer(b) {
		d.table.export(r, b.ID(), off)
	}
	return nil
}

// CloseMR ends access to a region. Peers that are inside at this moment are waited for, a short while: one that is
// stopped, or was killed in the middle, keeps only its own mapping of the memory.
func (d *domain) CloseMR(r *mr.Region) error {
	d.eng.Lock()
	d.regions.Kill(r)
	slot, gen, exported := d.table.withdraw(r)
	d.eng.Unlock()
	if exported {
		d.expel(slot, gen)
	}
	return nil
}

var _ [ring.MaxPayload - accessBytes - atomicBytes - 2*driver.MaxAtomicSize]struct{} // the longest atomic fits
