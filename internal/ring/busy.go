package ring

import (
	"sync/atomic"
	"unsafe"

	"github.com/gofabric/gofabric/internal/relstore"
)

// Busy is the four words of one direction that say "I am inside key slot K, generation G": an initiator sets one before
// it looks at a key of the peer's and clears it when its copy is done. The owner of a key marks it dead, makes sure that
// the marks of running initiators have become visible (membarrier, or [Fenced] publishing on the peer's side), and gives
// the memory back when no word of any peer names it. A word per pair survives kill -9: whose it is, is known.
//
// There are four so that several goroutines of one process can be inside at once; each uses a lane of its own, 0 to 3
// (taken modulo 4). One lane has one user at a time.
type Busy struct {
	words   *[BusyWords]busyWord
	publish Publish
}

type busyWord struct {
	word uint64 // generation<<32 | slot+1; 0: outside
	_    [120]byte
}

// Enter says that lane is inside a key. The caller then looks at the key's state, which must come after.
//
//fabric:fastpath
func (b *Busy) Enter(lane int, slot, gen uint32) {
	w := &b.words[uint(lane)%BusyWords].word
	v := uint64(gen)<<32 | uint64(slot+1)
	if b.publish == Fenced {
		atomic.SwapUint64(w, v)
		return
	}
	relstore.Uint64(w, v)
}

// Leave says that lane has done with its key; all its accesses come before.
//
//fabric:fastpath
func (b *Busy) Leave(lane int) { relstore.Uint64(&b.words[uint(lane)%BusyWords].word, 0) }

// Inside tells what lane says now; ok is false when it is outside. The peer may have written anything.
func (b *Busy) Inside(lane int) (slot, gen uint32, ok bool) {
	v := atomic.LoadUint64(&b.words[uint(lane)%BusyWords].word)
	return uint32(v) - 1, uint32(v >> 32), v != 0
}

// In tells whether any lane is inside this key.
func (b *Busy) In(slot, gen uint32) bool {
	v := uint64(gen)<<32 | uint64(slot+1)
	for i := range b.words {
		if atomic.LoadUint64(&b.words[i].word) == v {
			return true
		}
	}
	return false
}

func busyOf(mem []byte, i int) *[BusyWords]busyWord {
	return (*[BusyWords]busyWord)(unsafe.Pointer(&mem[busyOffset+i*busyStride]))
}
