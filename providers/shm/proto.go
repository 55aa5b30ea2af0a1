package shm

// What travels through a ring. A message's op has 6 bits; aux, tag and data are fields of its line. docs/wire/shm.md
// describes each.
const (
	// opEager carries a whole message. Its low bits say more; aux is the peer group.
	opEager     = 0x20
	eagerTagged = 0x01 // the tag is valid
	eagerData   = 0x02 // remote CQ data is valid
	eagerAck    = 0x04 // the payload begins with 8 bytes: the id to acknowledge when a receive has matched

	opAnnounce     = 1  // a message whose data stay at the sender: announcement; aux is the group
	opAck          = 2  // data: id. The message is matched (and fetched, or dropped)
	opStart        = 3  // data: id. The receiver is ready for blocks
	opBlock        = 4  // data: id; tag: block | bytes<<32. A block is full
	opBlockFree    = 5  // data: block
	opWrite        = 6  // accessHeader, bytes. Tag: address; data: remote CQ data
	opWriteLarge   = 7  // accessHeader, road. The target fetches
	opRead         = 8  // accessHeader. The target answers with opReadBytes, or with blocks
	opReadBytes    = 9  // data: id; tag: error. The bytes read
	opAtomic       = 10 // accessHeader, atomicHeader, operands
	opAtomicResult = 11 // data: id; tag: error. The old values
	opDone         = 12 // data: id; tag: error. A write has ended
	opNotify       = 13 // a write in mapped memory: tag: bytes; data: remote CQ data; aux: 1 when data is valid
	opHold         = 14 // aux: 1 announce from now on, 0 no longer
	opProbed       = 15 // aux: 1 when the sender of this can read our memory by process_vm_readv
	opCancelMsg    = 16 // data: id. An announced message is taken back; answered by opCanceled unless it is under way
	opCanceled     = 17 // data: id; aux: 1 when it was taken back
	opRetire       = 18 // data: block id. A shared memory block is gone: unmap it
	opFailed       = 19 // data: id. The sender of announced data cannot deliver it
)

// Roads of large messages.
type road uint8

const (
	roadAuto road = iota
	roadMap
	roadCMA
	roadBulk
)

var roadNames = [...]string{"auto", "map", "cma", "bulk"}

// roadChoice beside a road says that the receiver may take blocks instead.
const roadChoice road = 0x80

// known tells whether a road that a peer announced exists.
func (r road) known() bool { r &^= roadChoice; return r >= roadMap && r <= roadBulk }

func (r road) String() string { return roadNames[r&3] }

// An announcement is the payload of opAnnounce, after which nothing follows:
//
//	0  id u32 | road u8 | flags u8 (eager bits) | 0 u16
//	8  bytes of the message u64
//	16 address in the sender (cma), or offset in the block (map) u64
//	24 block id (map) u64
const announceBytes = 32

// An accessHeader begins remote accesses:
//
//	0  id u32 | flags u8 (accessData, accessMore, accessRest) | road u8 | 0 u16
//	8  key u64
//	16 bytes u64
//	24 address in the initiator, or offset in the block (opWriteLarge) u64
//	32 block id u64
//	40 bytes of the whole write, of which this may be a part; with remote CQ data u64
const accessBytes = 48

const (
	accessData = 1 // remote CQ data is valid
	accessMore = 2 // other ranges of the same operation follow: to peers with featureRanges
	accessRest = 4 // others came before

	accessPart = 1 // where accessMore and accessRest begin: an rdm.Part
)

// An atomicHeader follows: kind u8 (0 base, 1 fetch, 2 compare) | type u8 | op u8 | 0 u8 | 0 u32, then the operand and
// the compare values.
const atomicBytes = 8
