package atomic

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/gofabric/gofabric/fi"
)

// sharedNative gives the operations that are one instruction on integers of 4 and 8 bytes, nil for others.
func sharedNative(op fi.AtomicOp, size int) sharedFunc {
	switch {
	case size == 8:
		return native64[op]
	case size == 4:
		return native32[op]
	}
	return nil
}

var native64 = [numOps]sharedFunc{
	fi.AtomicSum:   sharedSum64,
	fi.AtomicDiff:  sharedDiff64,
	fi.AtomicBOr:   sharedBOr64,
	fi.AtomicBAnd:  sharedBAnd64,
	fi.AtomicRead:  sharedRead64,
	fi.AtomicWrite: sharedWrite64,
	fi.AtomicCSwap: sharedCSwap64,
}

var native32 = [numOps]sharedFunc{
	fi.AtomicSum:   sharedSum32,
	fi.AtomicDiff:  sharedDiff32,
	fi.AtomicBOr:   sharedBOr32,
	fi.AtomicBAnd:  sharedBAnd32,
	fi.AtomicRead:  sharedRead32,
	fi.AtomicWrite: sharedWrite32,
	fi.AtomicCSwap: sharedCSwap32,
}

// load64 reads at any address.
func load64(p unsafe.Pointer) uint64 { return binary.NativeEndian.Uint64((*[8]byte)(p)[:]) }

// give64 writes element i of a result at any address, when it is wanted.
func give64(r unsafe.Pointer, i int, v uint64) {
	if r != nil {
		binary.NativeEndian.PutUint64((*[8]byte)(unsafe.Add(r, i*8))[:], v)
	}
}

// load32 reads at any address.
func load32(p unsafe.Pointer) uint32 { return binary.NativeEndian.Uint32((*[4]byte)(p)[:]) }

// give32 writes element i of a result at any address, when it is wanted.
func give32(r unsafe.Pointer, i int, v uint32) {
	if r != nil {
		binary.NativeEndian.PutUint32((*[4]byte)(unsafe.Add(r, i*4))[:], v)
	}
}

func sharedSum64(t, o, _, r unsafe.Pointer, n int) {
	for i := range n {
		v := load64(unsafe.Add(o, i*8))
		give64(r, i, atomic.AddUint64((*uint64)(unsafe.Add(t, i*8)), v)-v)
	}
}

func sharedDiff64(t, o, _, r unsafe.Pointer, n int) {
	for i := range n {
		v := load64(unsafe.Add(o, i*8))
		give64(r, i, atomic.AddUint64((*uint64)(unsafe.Add(t, i*8)), -v)+v)
	}
}

// The forms without a result are one instruction on amd64, those with one a loop.

func sharedBOr64(t, o, _, r unsafe.Pointer, n int) {
	for i := range n {
		p, v := (*uint64)(unsafe.Add(t, i*8)), load64(unsafe.Add(o, i*8))
		if r == nil {
			atomic.OrUint64(p, v)
		} else {
			give64(r, i, atomic.OrUint64(p, v))
		}
	}
}

func sharedBAnd64(t, o, _, r unsafe.Pointer, n int) {
	for i := range n {
		p, v := (*uint64)(unsafe.Add(t, i*8)), load64(unsafe.Add(o, i*8))
		if r == nil {
			atomic.AndUint64(p, v)
		} else {
			give64(r, i, atomic.AndUint64(p, v))
		}
	}
}

func sharedRead64(t, _, _, r unsafe.Pointer, n int) {
	for i := range n {
		give64(r, i, atomic.LoadUint64((*uint64)(unsafe.Add(t, i*8))))
	}
}

func sharedWrite64(t, o, _, r unsafe.Pointer, n int) {
	for i := range n {
		give64(r, i, atomic.SwapUint64((*uint64)(unsafe.Add(t, i*8)), load64(unsafe.Add(o, i*8))))
	}
}

// sharedCSwap64 tries before it looks: a success is one transfer of the cache line.
func sharedCSwap64(t, o, c, r unsafe.Pointer, n int) {
	for i := range n {
		p := (*uint64)(unsafe.Add(t, i*8))
		v, want := load64(unsafe.Add(o, i*8)), load64(unsafe.Add(c, i*8))
		old := want
		for !atomic.CompareAndSwapUint64(p, want, v) {
			if old = atomic.LoadUint64(p); old != want {
				break
			}
		}
		give64(r, i, old)
	}
}

func sharedSum32(t, o, _, r unsafe.Pointer, n int) {
	for i := range n {
		v := load32(unsafe.Add(o, i*4))
		give32(r, i, atomic.AddUint32((*uint32)(unsafe.Add(t, i*4)), v)-v)
	}
}

func sharedDiff32(t, o, _, r unsafe.Pointer, n int) {
	for i := range n {
		v := load32(unsafe.Add(o, i*4))
		give32(r, i, atomic.AddUint32((*uint32)(unsafe.Add(t, i*4)), -v)+v)
	}
}

func sharedBOr32(t, o, _, r unsafe.Pointer, n int) {
	for i := range n {
		p, v := (*uint32)(unsafe.Add(t, i*4)), load32(unsafe.Add(o, i*4))
		if r == nil {
			atomic.OrUint32(p, v)
		} else {
			give32(r, i, atomic.OrUint32(p, v))
		}
	}
}

func sharedBAnd32(t, o, _, r unsafe.Pointer, n int) {
	for i := range n {
		p, v := (*uint32)(unsafe.Add(t, i*4)), load32(unsafe.Add(o, i*4))
		if r == nil {
			atomic.AndUint32(p, v)
		} else {
			give32(r, i, atomic.AndUint32(p, v))
		}
	}
}

func sharedRead32(t, _, _, r unsafe.Pointer, n int) {
	for i := range n {
		give32(r, i, atomic.LoadUint32((*uint32)(unsafe.Add(t, i*4))))
	}
}

func sharedWrite32(t, o, _, r unsafe.Pointer, n int) {
	for i := range n {
		give32(r, i, atomic.SwapUint32((*uint32)(unsafe.Add(t, i*4)), load32(unsafe.Add(o, i*4))))
	}
}

func sharedCSwap32(t, o, c, r unsafe.Pointer, n int) {
	for i := range n {
		p := (*uint32)(unsafe.Add(t, i*4))
		v, want := load32(unsafe.Add(o, i*4)), load32(unsafe.Add(c, i*4))
		old := want
		for !atomic.CompareAndSwapUint32(p, want, v) {
			if old = atomic.LoadUint32(p); old != want {
				break
			}
		}
		give32(r, i, old)
	}
}
