package window

import (
	"sync/atomic"
	"unsafe"

	"github.com/gofabric/gofabric/internal/osx"
)

// word is the 8 bytes at an offset of a mapped block, which is a multiple of 8 there.
//
//fabric:fastpath
func word(b []byte, off int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&b[off : off+8][0]))
}

// bits64 is the first element of mapped memory.
//
//fabric:fastpath
func bits64(b []byte) *uint64 { return (*uint64)(unsafe.Pointer(&b[:8][0])) }

// synchronized stand for the locks of all windows of this process: the race detector does not see the atomics on mapped
// memory that order what members of one process do. Several locks may share one: it then sees more order than there is.
var synchronized [64]uint64

// acquired says to the race detector that what was done before released has happened.
//
//fabric:fastpath
func (t *target) acquired() {
	if osx.RaceEnabled {
		osx.RaceAcquire(unsafe.Pointer(&synchronized[t.mark]))
	}
}

// released is the other side of acquired.
//
//fabric:fastpath
func (t *target) released() {
	if osx.RaceEnabled {
		osx.RaceReleaseMerge(unsafe.Pointer(&synchronized[t.mark]))
	}
}
