package shm

import (
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// announce tells the peer of a message whose data stay here until a receive wants them.
func (p *pair) announce(o *op) outcome {
	if p.outbox.Len() > 0 {
		return full
	}
	o.own()
	var b [announceBytes]byte
	r, addr, block := p.chooseRoad(o)
	le.PutUint32(b[:], o.id)
	b[4] = byte(r)
	if o.comp&fi.CompTagged != 0 {
		b[5] |= eagerTagged
	}
	if o.fl&fi.OpRemoteCQData != 0 {
		b[5] |= eagerData
	}
	le.PutUint64(b[8:], uint64(o.n))
	le.PutUint64(b[16:], addr)
	le.PutUint64(b[24:], block)
	if !p.ring.Tx.Put(opAnnounce, o.group, o.tag, o.data, b[:]) {
		return full
	}
	p.bell()
	p.launched(o, false)
	return issued
}

// chooseRoad decides how the data of an operation will travel: the address and block id are what the receiver needs.
// An operation of several buffers goes by blocks.
func (p *pair) chooseRoad(o *op) (r road, addr, block uint64) {
	if len(o.iov) != 1 || o.n == 0 {
		return roadBulk, 0, 0
	}
	want, choice := p.d.cfg.road, road(0)
	if want == roadAuto {
		choice = roadChoice
	}
	if want == roadMap || want == roadAuto {
		if blk, off := mr.Find(o.iov[0]); blk != nil && p.d.offer(blk) {
			if o.held == nil {
				blk.Retain()
				o.held = blk
			}
			return roadMap | choice, off, blk.ID()
		}
	}
	if (want == roadCMA || want == roadAuto) && p.cmaOut {
		return roadCMA | choice, mr.VirtualAddress(o.iov[0]), 0
	}
	return roadBulk, 0, 0
}

// outward is data that we push through blocks: of an operation of ours, or of our memory that the peer reads.
type outward struct {
	id   uint32
	iov  [][]byte
	off  int
	size int
	o    *op // ours; nil for a read of the peer's

	read   bool // a read of the peer's: of region, the parts
	part   rdm.Part
	region *mr.Region
	parts  [][]byte
	next   *outward
}

func (p *pair) newOutward() *outward {
	w := p.freeOut
	if w == nil {
		return new(outward)
	}
	p.freeOut, w.next = w.next, nil
	return w
}

// sent takes the oldest from the queue: all of it is under way, or will never be.
func (p *pair) sent() {
	w := p.sending.Pop()
	p.d.src.work.stick(-1)
	if w.o != nil {
		w.o.pushing = false
	}
	clear(w.parts)
	*w = outward{parts: w.parts[:0], next: p.freeOut}
	p.freeOut = w
}

// inKey tells the peer's operations from our reads, whose blocks carry our own id.
func inKey(id uint32, aux uint16) uint64 { return uint64(id) | uint64(aux)<<32 }

// blockOfRead marks blocks that answer a read.
const blockOfRead = 1

func (w *outward) aux() uint16 {
	if w.read {
		return blockOfRead
	}
	return 0
}

// pushData queues data for the blocks and starts.
func (p *pair) pushData(w *outward) {
	if w.size == 0 {
		return
	}
	p.sending.Push(w)
	p.d.src.work.stick(1)
	p.pump()
}

// pump fills free blocks with data, the oldest first. It stops when there are no blocks or the ring is full.
func (p *pair) pump() (any bool) {
	pool, err := p.d.blockPool()
	if err != nil {
		p.fail(fi.ErrNoMem, "no memory for the blocks of large messages: "+err.Error())
		return false
	}
	for p.sending.Len() > 0 && p.outbox.Len() == 0 {
		w := *p.sending.First()
		if w.read && w.region.Dead() {
			id := w.id
			p.ranges.Add(&p.ep.Endpoint, w.part, false, nil, 0, fi.ErrKeyRejected)
			p.sent()
			p.put(opFailed, 0, 0, uint64(id), nil)
			continue
		}
		if p.blocksOut > 0 && (p.blocksOut*poolBlock >= maxInFlight || p.blocksOut >= pool.share()) {
			break
		}
		i, ok := pool.take()
		if !ok {
			break
		}
		n := min(poolBlock, w.size-w.off)
		if p.ring.Tx.Reserve(0) == nil {
			pool.give(i)
			break
		}
		gather(pool.block(i)[:n], w.iov, w.off)
		p.ring.Tx.Put(opBlock, w.aux(), uint64(i)|uint64(n)<<32, uint64(w.id), nil)
		p.bell()
		p.owe(i)
		w.off += n
		any = true
		if w.off == w.size {
			if w.read {
				p.ranges.Add(&p.ep.Endpoint, w.part, false, w.region, w.size, 0)
			}
			p.sent()
		}
	}
	return any
}

// maxInFlight is how many bytes of blocks one pair has under way: more falls out of the caches.
const maxInFlight = 256 << 10

// maxEarly is more than the blocks that one pair has under way.
const maxEarly = 64

// owe notes that the peer has a block.
func (p *pair) owe(i int) {
	if p.out == nil {
		p.out = make(map[int]struct{})
	}
	p.out[i] = struct{}{}
	p.blocksOut++
}

// blockFree takes a block back.
func (p *pair) blockFree(i uint64) bool {
	if _, ok := p.out[int(i)]; !ok {
		return false
	}
	delete(p.out, int(i))
	p.blocksOut--
	p.d.bulk.give(int(i))
	if p.sending.Len() > 0 {
		p.pump()
	}
	return true
}
