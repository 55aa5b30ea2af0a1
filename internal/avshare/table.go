package avshare

import (
	"encoding/binary"
	"sync/atomic"
)

// The table is a header and slots, all in the order of this machine's bytes:
//
//	 0  magic          4
//	 4  slots in use   4   one more than the highest
//	64  slot 0, slot 1, …  each slotSize bytes:
//	     0  sequence   4   odd while it is being written
//	     4  length     4   of the address; 0: none
//	     8  address
const (
	magic    = 0x76616667 // "gfav"
	atUsed   = 4
	headSize = 64
	slotSize = 128
	atLen    = 4
	atRaw    = 8
	// MaxAddr is the longest address in bytes.
	MaxAddr = slotSize - atRaw
	// MaxSlots is the most addresses of a vector.
	MaxSlots = 1 << 16
)

// table is the memory. What a subscriber reads there is not trusted: lengths are checked, and slots that never come to rest
// count as empty.
type table struct{ mem []byte }

func tableSize(slots int) int { return headSize + slots*slotSize }

func (t table) slots() int { return (len(t.mem) - headSize) / slotSize }

// slot is the memory of slot i, which exists.
func (t table) slot(i int) []byte { return t.mem[headSize+i*slotSize:][:slotSize] }

// used is one more than the highest slot in use.
func (t table) used() int {
	return int(min(atomic.LoadUint32(word(t.mem, atUsed)), uint32(t.slots())))
}

// set writes an address, or nothing, into slot i. One writer at a time.
func (t table) set(i int, raw []byte) {
	s := t.slot(i)
	seq := word(s, 0)
	atomic.AddUint32(seq, 1)
	atomic.StoreUint32(word(s, atLen), uint32(len(raw)))
	var whole [MaxAddr]byte
	copy(whole[:], raw)
	for at := 0; at < MaxAddr; at += 4 {
		atomic.StoreUint32(word(s, atRaw+at), binary.NativeEndian.Uint32(whole[at:]))
	}
	atomic.AddUint32(seq, 1)
	if used := word(t.mem, atUsed); uint32(i) >= atomic.LoadUint32(used) {
		atomic.StoreUint32(used, uint32(i)+1)
	}
}

// patience is how often a slot is looked at that is being written; that takes a fraction of a microsecond, unless the
// writer has lost its processor, and rings when it has it back, or its life.
const patience = 1 << 10

// at gives a copy of the address in slot i.
func (t table) at(i int) (raw []byte, ok bool) {
	if i < 0 || i >= t.used() {
		return nil, false
	}
	s := t.slot(i)
	var whole [MaxAddr]byte
	for range patience {
		seq := atomic.LoadUint32(word(s, 0))
		if seq%2 != 0 {
			continue
		}
		n := atomic.LoadUint32(word(s, atLen))
		for at := 0; at < MaxAddr; at += 4 {
			binary.NativeEndian.PutUint32(whole[at:], atomic.LoadUint32(word(s, atRaw+at)))
		}
		if atomic.LoadUint32(word(s, 0)) == seq {
			if n == 0 || n > MaxAddr {
				return nil, false
			}
			return append([]byte{}, whole[:n]...), true
		}
	}
	return nil, false
}
