package rdm

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Target finds the region of a remote access and checks key, range and right. Errors are what the initiator's completion
// shows: ErrKeyRejected, ErrInvalid, ErrAccess.
//
//fabric:fastpath
func (e *Endpoint) Target(key, addr uint64, n int, need fi.Access) (*mr.Region, uint64, fi.Errno) {
	r := e.Regions.Find(key)
	if r == nil {
		return nil, 0, fi.ErrKeyRejected
	}
	off, err := r.Check(addr, n, need)
	if err != 0 {
		r.CountRefused(need)
	}
	return r, off, err
}

// Target is Endpoint.Target for this peer, which is not among those that a region is for perhaps (fi.ErrAccess).
func (p *Peer) Target(key, addr uint64, n int, need fi.Access) (*mr.Region, uint64, fi.Errno) {
	r, off, err := p.EP.Target(key, addr, n, need)
	if err == 0 && r.Admits != nil && !r.Admits(p.Raw, p.key()) {
		r.CountRefused(need)
		err = fi.ErrAccess
	}
	return r, off, err
}

// Written counts a remote write of n bytes that is in memory: RMA events and the end of single-use keys.
func (e *Endpoint) Written(r *mr.Region, n int) {
	e.counts.Done(fi.OpKindRemoteWrite, n)
	if c := e.CntRemoteWrite; c != nil {
		c.Done(n)
	}
	if r != nil {
		r.CountWrite(n)
		if r.OnWrite != nil {
			r.OnWrite.Done(n)
		}
		e.used(r)
	}
}

// WrittenData reports the data that came with a remote write.
func (e *Endpoint) WrittenData(n int, data uint64, src fi.Addr) {
	if e.RxCQ == nil {
		return
	}
	d := e.RxCQ.Add()
	*d = cq.Entry{Flags: kindWritten, Len: n, Data: data, Src: src}
	e.RxCQ.Publish()
}

// ReadBy counts a remote read of n bytes.
func (e *Endpoint) ReadBy(r *mr.Region, n int) {
	e.counts.Done(fi.OpKindRemoteRead, n)
	if c := e.CntRemoteRead; c != nil {
		c.Done(n)
	}
	if r != nil {
		r.CountRead(n)
		if r.OnRead != nil {
			r.OnRead.Done(n)
		}
		e.used(r)
	}
}

func (e *Endpoint) used(r *mr.Region) {
	if r.Flags&fi.MRSingleUse != 0 {
		e.Regions.Kill(r)
	}
}

// AtomicNeeds says which rights an atomic needs of its target region.
func AtomicNeeds(k *fiatomic.Kernel) fi.Access {
	switch {
	case k.Op() == fi.AtomicRead:
		return fi.AccessRemoteRead
	case k.Kind() == fi.AtomicBase:
		return fi.AccessRemoteWrite
	}
	return fi.AccessRemoteRead | fi.AccessRemoteWrite
}

// Atomic executes an atomic of the peer's on our memory: count elements at addr of the region key. Aligned elements are
// updated by processor atomics, so that whoever has mapped the region, or updates its own memory, is in order with us; a
// region that peers can map takes no others (fi.ErrInvalid).
func (p *Peer) Atomic(k *fiatomic.Kernel, key, addr uint64, operand, compare, result []byte, count int) fi.Errno {
	r, err := p.AtomicRange(k, key, addr, operand, compare, result, count)
	switch {
	case err != 0:
	case AtomicWrites(k):
		p.EP.Written(r, count*k.Size())
	default:
		p.EP.ReadBy(r, count*k.Size())
	}
	return err
}

// AtomicWrites tells as what an atomic counts at its target: base ones as writes, what brings something back as reads, as
// fi_endpoint(3) says.
func AtomicWrites(k *fiatomic.Kernel) bool { return k.Kind() == fi.AtomicBase }

// AtomicRange is Atomic for one of several ranges: it counts nothing, and gives the region.
func (p *Peer) AtomicRange(k *fiatomic.Kernel, key, addr uint64, operand, compare, result []byte, count int) (*mr.Region, fi.Errno) {
	size := k.Size()
	r, off, err := p.Target(key, addr, count*size, AtomicNeeds(k))
	if err != 0 {
		return nil, err
	}
	if mem := r.Slice(off, count*size); mem != nil {
		if !k.Aligned(mem) && r.Export != nil {
			return nil, fi.ErrInvalid
		}
		apply(k, mem, operand, compare, result, count)
	} else { // several parts: element by element
		for i := range count {
			o, c, s := part(operand, i, size), part(compare, i, size), part(result, i, size)
			at := off + uint64(i*size)
			if mem := r.Slice(at, size); mem != nil {
				apply(k, mem, o, c, s, 1)
				continue
			}
			var tmp [32]byte // an element across two parts
			r.CopyOut(tmp[:size], at)
			k.Apply(tmp[:size], o, c, s, 1)
			r.CopyIn(at, tmp[:size])
		}
	}
	return r, 0
}

func apply(k *fiatomic.Kernel, mem, operand, compare, result []byte, count int) {
	if k.Shared() && k.Aligned(mem) {
		k.ApplyShared(mem, operand, compare, result, count)
	} else {
		k.Apply(mem, operand, compare, result, count)
	}
}

func part(b []byte, i, size int) []byte {
	if len(b) == 0 {
		return nil
	}
	return b[i*size : (i+1)*size]
}

// SameLength tells whether the remote ranges have n bytes in all.
func SameLength(n int, rma []fi.RMAIov) bool {
	left := uint64(n)
	for _, v := range rma {
		if v.Len > left {
			return false
		}
		left -= v.Len
	}
	return left == 0
}
