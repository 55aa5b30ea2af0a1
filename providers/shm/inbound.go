package shm

import (
	"github.com/gofabric/gofabric/internal/memcopy"
	"time"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/mr"
)

// inbound is large data on its way in: of a message that a receive has matched, of a peer's write to our memory, or of a
// read of ours.
type inbound struct {
	p         *pair
	id        uint32 // the peer's operation
	size, got int
	road      road
	addr      uint64 // where it lies: in the peer's memory or in a block
	block     uint64
	m         *mapping

	t *rdm.Transfer // a message
	w *written      // a write to our memory: at
	r *op           // a read of ours

	way    int           // what is being measured, plus one; 0: nothing
	since  time.Duration // when it began
	ended  uint32        // transfers of the peer that had ended then
	beside bool          // others were under way

	at   written
	next *inbound
}

// written is a peer's large write to our memory.
type written struct {
	part    rdm.Part
	region  *mr.Region
	parts   [][]byte
	whole   int // bytes of the call
	data    uint64
	hasData bool
}

func (p *pair) newInbound(id uint32, size int) *inbound {
	in := p.freeIn
	if in == nil {
		in = new(inbound)
	} else {
		p.freeIn, in.next = in.next, nil
	}
	in.p, in.id, in.size = p, id, size
	return in
}

func (p *pair) recycleInbound(in *inbound) {
	clear(in.at.parts)
	*in = inbound{next: p.freeIn, at: written{parts: in.at.parts[:0]}}
	p.freeIn = in
}

// begin starts to move the data.
func (p *pair) begin(in *inbound, r road, addr, block uint64) {
	if in.size == 0 {
		in.finish(0, "")
		return
	}
	if r&roadChoice != 0 {
		if r = p.choose(in, r&^roadChoice); in.way > 0 {
			in.since = clock()
		}
	}
	in.road, in.addr, in.block = r, addr, block
	switch {
	case r == roadMap:
		switch m := p.mapping(block); {
		case m == nil:
			p.unmapped = append(p.unmapped, in)
		case m.mem == nil:
			p.byBlocks(in)
		default:
			p.fetchMapped(in, m)
		}
	case r == roadCMA && p.cmaIn:
		p.fetch(in)
	default:
		p.byBlocks(in)
	}
}

// byBlocks asks the peer to push the data.
func (p *pair) byBlocks(in *inbound) {
	if p.inbound == nil {
		p.inbound = make(map[uint64]*inbound)
	}
	if _, twice := p.inbound[inKey(in.id, 0)]; twice {
		in.finish(fi.ErrProto, "the peer announced two messages as one")
		return
	}
	in.road = roadBulk
	p.inbound[inKey(in.id, 0)] = in
	p.put(opStart, 0, uint64(in.size), uint64(in.id), nil)
}

func (p *pair) fetchMapped(in *inbound, m *mapping) {
	if n := uint64(len(m.mem)); in.addr > n || uint64(in.size) > n-in.addr {
		in.finish(fi.ErrProto, "the peer announced memory that it does not have")
		p.doom("it announced memory that it does not have")
		return
	}
	in.m = m
	m.users++
	p.fetch(in)
}

// fetch copies the first piece at once and leaves the rest to later polls.
func (p *pair) fetch(in *inbound) {
	if in.step() {
		return
	}
	p.fetching.Push(in)
	p.d.src.work.copy(1)
}

// stepBytes bounds one copy: a longer one would hold up a stop of the world.
const stepBytes = 256 << 10

// step copies up to stepBytes; true when the transfer has ended.
func (in *inbound) step() bool {
	if in.w != nil && in.w.region.Dead() {
		in.finish(fi.ErrKeyRejected, "")
		return true
	}
	for left := stepBytes; left > 0 && in.got < in.size; {
		dst := in.piece(min(left, in.size-in.got))
		n := 0
		if in.m != nil {
			n = memcopy.In(dst, in.m.mem[in.addr+uint64(in.got):])
		} else {
			var err error
			if n, err = in.readProcess(dst); n == 0 || err != nil {
				return in.unreadable(err)
			}
		}
		in.got += n
		left -= n
	}
	if in.got < in.size {
		return false
	}
	in.came()
	return true
}

// readProcess copies a piece out of the peer's memory. With the last one the peer vouches for all of it: its process may
// have ended, or have become another program, and its number and its addresses may be somebody else's.
func (in *inbound) readProcess(dst []byte) (int, error) {
	from := uintptr(in.addr) + uintptr(in.got)
	if in.got+len(dst) < in.size {
		return shmem.ReadProcess(in.p.pid, dst, from)
	}
	return shmem.ReadVouched(in.p.pid, dst, from, &in.p.voucher)
}

// unreadable goes on by blocks: when the system does not let us read the peer, for good; when the peer's memory is not
// there, because the peer is either dying, which its hang-up will tell, or has it all the same.
func (in *inbound) unreadable(err error) bool {
	if shmem.NotAllowed(err) {
		in.p.cmaIn = false
	}
	in.got, in.way = 0, 0 // blocks bring everything
	in.p.byBlocks(in)
	return true
}

// piece is the next place for up to n bytes.
func (in *inbound) piece(n int) []byte {
	switch {
	case in.t != nil:
		return in.t.Piece(in.got, n)
	case in.w != nil:
		return piece(in.w.parts, in.got, n)
	}
	return piece(in.r.iov, in.got, n)
}

// block takes a block that the peer has filled.
func (p *pair) block(aux uint16, id, i uint32, n int) bool {
	in := p.inbound[inKey(id, aux)]
	if in == nil {
		return false
	}
	if p.bulkIn == nil || len(p.early) > 0 { // not mapped yet; later ones keep the order
		if len(p.early) >= maxEarly {
			return false
		}
		p.waitForBulk(outMessage{op: opBlock, aux: aux, tag: uint64(i) | uint64(n)<<32, data: uint64(id)})
		return true
	}
	return p.takeBlock(in, i, n)
}

func (p *pair) takeBlock(in *inbound, i uint32, n int) bool {
	off := uint64(i) * poolBlock
	if n <= 0 || n > poolBlock || off+poolBlock > uint64(len(p.bulkIn.mem)) || n > in.size-in.got {
		return false
	}
	src := p.bulkIn.mem[off : off+uint64(n)]
	switch {
	case in.t != nil:
		in.t.Place(in.got, src)
	case in.w != nil:
		if !in.w.region.Dead() {
			scatter(in.w.parts, in.got, src)
		}
	default:
		scatter(in.r.iov, in.got, src)
	}
	in.got += n
	p.put(opBlockFree, 0, 0, uint64(i), nil)
	if in.got == in.size {
		delete(p.inbound, in.key())
		if in.w != nil && in.w.region.Dead() {
			in.finish(fi.ErrKeyRejected, "")
		} else {
			in.came()
		}
	}
	return true
}

// finish ends the transfer: it completes what it was for and answers the peer.
func (in *inbound) finish(err fi.Errno, text string) {
	p := in.p
	if in.way > 0 {
		in.learn(clock())
	} else {
		p.ends.skip()
	}
	if in.m != nil {
		in.m.release()
	}
	switch {
	case in.t != nil:
		in.t.Got = in.got
		p.EP.Finish(in.t, err, text)
		p.put(opAck, 0, 0, uint64(in.id), nil)
	case in.w != nil:
		if p.ranges.Add(&p.ep.Endpoint, in.w.part, true, in.w.region, in.size, err) && in.w.hasData {
			p.ep.WrittenData(in.w.whole, in.w.data, p.Addr)
		}
		p.put(opDone, 0, uint64(err), uint64(in.id), nil)
	default:
		p.end(in.r, err, text)
	}
	p.recycleInbound(in)
}

func (in *inbound) key() uint64 {
	if in.r != nil {
		return inKey(in.id, blockOfRead)
	}
	return inKey(in.id, 0)
}

// dropInbound gives back what was prepared for data that will not come.
func (p *pair) dropInbound(in *inbound) {
	p.recycleInbound(in)
}

// abort ends a transfer of a peer that is gone.
func (in *inbound) abort(err fi.Errno, text string) {
	p := in.p
	if in.m != nil {
		in.m.release()
	}
	if in.t != nil {
		in.t.Got = in.got
		p.EP.Finish(in.t, err, text)
	}
	p.recycleInbound(in)
}

// sourceFailed says that the peer cannot deliver what it announced.
func (p *pair) sourceFailed(id uint32) bool {
	in := p.inbound[inKey(id, blockOfRead)]
	if in == nil {
		return false
	}
	delete(p.inbound, in.key())
	in.finish(fi.ErrKeyRejected, "the region was closed during the read")
	return true
}
