package shm

import (
	"encoding/binary"
	"errors"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/fifo"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// pair is the connection of one of our endpoints with one endpoint of a peer. The domain's lock guards it.
type pair struct {
	rdm.Peer // the peer as a sender to us
	ring     *ring.Pair
	asleep   *uint32 // the peer's sleep word, in its table
	rung     uint32  // the value for which we rang
	state    pairState
	taken    bool // the peer made the connection

	d    *domain
	ep   *endpoint
	name string // the peer's
	conn *shmem.Conn
	pid  int
	inc  uint64 // the peer's incarnation

	asked atomic.Int32        // blocks that we asked for, not answered yet
	given map[uint64]struct{} // our blocks that the peer asked for; guarded by the domain's blocks

	lanes uint8 // our busy words in use, a bit each

	tellsParts bool       // the peer wants to know which ranges are of one operation
	ranges     rdm.Ranges // of an operation of the peer's

	holding bool          // the peer wants announcements only
	holds   uint32        // how often we said so, or took it back
	paused  bool          // we do not read from the peer
	doomed  bool          // the next poll ends the pair
	cmaOut  bool          // the peer can read our memory
	cmaIn   bool          // we can read the peer's
	voucher shmem.Voucher // that it is still the peer's

	arrival   rdm.Arrival // reused for every message
	outbox    fifo.Queue[outMessage]
	owes      int             // bytes of payload in it
	awaited   int             // bytes that the answers to our operations will bring through the ring
	deferred  fifo.Queue[*op] // operations that wait: for the connection, a fence, a mapping
	inFlight  int             // our operations that wait for an answer of this peer
	blocking  int             // those of them that later ones must not overtake
	waiting   int             // deferred and blocking ones, and one more until the pair is ready: the fast paths are shut
	accesses  int             // those of them that are remote accesses
	stalled   bool            // the first deferred one found the ring full
	resuming  bool
	announced int // the peer's messages that wait at it

	withdrawals fifo.Queue[uint64] // messages that the peer wants back

	id  string  // see endpoint.idOf
	key authKey // that we talk by

	inbound  map[uint64]*inbound  // data that the peer pushes through blocks: see inKey
	fetching fifo.Queue[*inbound] // data that we copy, a piece a poll
	unmapped []*inbound           // data in a block of the peer that is not mapped yet
	sending  fifo.Queue[*outward] // data that we push through blocks
	early    []outMessage         // news of blocks before they are mapped
	freeIn   *inbound
	freeOut  *outward

	out       map[int]struct{} // our blocks that the peer has
	blocksOut int

	rings   *shmem.Mapping
	tableAt *peerTable
	link    *link
	keys    [keyCache]keyEntry
	tried   [sizeClasses]tries
	ends    ends
	blocks  map[uint64]*mapping // the peer's blocks that we have mapped
	bulkIn  *mapping            // the peer's bulk blocks

	// While it connects.
	first           uint32
	dialed          error // of the last attempt to reach it
	patient         bool  // somebody is there: it gets more time to answer
	deadline, retry *time.Timer
	reaching        []func(fi.Errno)     // want to hear what becomes of it
	process         atomic.Pointer[link] // watches the peer's process

	pace pace // of datagrams
}

type pairState uint8

const (
	connecting pairState = iota
	ready
	dying // the peer has hung up; its last messages are being read
	dead
)

// outMessage is a control message or an answer that found the ring full.
type outMessage struct {
	op        uint8
	aux       uint16
	tag, data uint64
	payload   []byte
}

// More than a peer that follows the protocol can make us owe it.
const (
	maxOutbox = 1 << 17        // messages: an answer for each of its operations, and some of our own
	maxOwed   = 2 * maxAwaited // bytes of their payload
)

// put sends a control message now or, when the ring is full, by a later poll. Payload is copied.
func (p *pair) put(op uint8, aux uint16, tag, data uint64, payload []byte) {
	if p.state >= dead {
		return
	}
	if p.outbox.Len() == 0 && p.ring.Tx.Put(op, aux, tag, data, payload) {
		p.bell()
		return
	}
	if p.owes += len(payload); p.outbox.Len() >= maxOutbox || p.owes > maxOwed {
		p.doom("it does not read the answers that it asked for")
		return
	}
	if p.outbox.Len() == 0 {
		p.d.src.work.stick(1)
	}
	p.outbox.Push(outMessage{op, aux, tag, data, append([]byte(nil), payload...)})
}

// flush sends what waits.
func (p *pair) flush() {
	sent := false
	for p.outbox.Len() > 0 {
		m := p.outbox.First()
		if !p.ring.Tx.Put(m.op, m.aux, m.tag, m.data, m.payload) {
			break
		}
		sent = true
		p.owes -= len(m.payload)
		if p.outbox.Pop(); p.outbox.Len() == 0 {
			p.d.src.work.stick(-1)
		}
	}
	if sent {
		p.bell()
	}
}

// Ack, Fetch, Discard and Hold are what rdm asks of the peer.
func (p *pair) Ack(id uint64) { p.put(opAck, 0, 0, id-1, nil) }

func (p *pair) Discard(token [3]uint64) {
	p.announced--
	p.put(opAck, 0, 0, token[0], nil)
}

func (p *pair) Hold(on bool) {
	aux := uint16(0)
	if on {
		aux = 1
	}
	p.holds++
	p.put(opHold, aux, uint64(p.holds), 0, nil)
}

func (p *pair) Tail() int {
	if p.state < dying && atomic.LoadUint32(p.ring.TheirWord) != p.holds {
		return -1
	}
	return ring.Lines // and what was sent before lies in the ring
}

// hold obeys the peer's Hold, and says so in the pair's memory: in the ring it might be stuck behind messages that the
// peer has no place for.
func (p *pair) hold(on bool, n uint64) {
	p.holding = on
	atomic.StoreUint32(p.ring.MyWord, uint32(n))
}

// doom ends a pair with a peer that does not follow the protocol, at the next poll: what is going on is in the middle of
// something.
func (p *pair) doom(why string) {
	if !p.doomed {
		p.doomed = true
		p.d.src.post(event{kind: evBroken, p: p, err: errors.New(why)})
	}
}

// pause stops reading from the peer: its next message has no place.
func (p *pair) pause() {
	if !p.paused {
		p.paused = true
		p.d.src.work.stick(1)
		p.d.publish()
	}
}

// goOn ends that.
func (p *pair) goOn() {
	if p.paused {
		p.paused = false
		p.d.src.work.stick(-1)
		p.d.publish()
	}
}

func (p *pair) Fetch(t *rdm.Transfer) {
	p.announced--
	in := p.newInbound(uint32(t.Token[0]), t.Size)
	in.t = t
	p.begin(in, road(t.Token[2]>>56), t.Token[1], t.Token[2]&(1<<56-1))
}

var le = binary.LittleEndian
