package atomic

import (
	"sync/atomic"
	"unsafe"
)

// sharedLoop gives the compare-and-swap loop of a step, by the width of its type; nil where the processor has none.
// A step that does not store leaves the target alone: the load was atomic.
func sharedLoop[T any](f step[T]) sharedFunc {
	var v T
	switch unsafe.Sizeof(v) {
	case 1:
		return sharedLoop8(f)
	case 2:
		return sharedLoop16(f)
	case 4:
		return sharedLoop32(f)
	case 8:
		return sharedLoop64(f)
	case 16:
		if has16 {
			return sharedLoop128(f)
		}
	}
	return nil
}

func sharedLoop32[T any](f step[T]) sharedFunc {
	return func(t, o, c, r unsafe.Pointer, n int) {
		for i := range n {
			p, v, cmp := (*uint32)(unsafe.Add(t, i*4)), load32(unsafe.Add(o, i*4)), uint32(0)
			if c != nil {
				cmp = load32(unsafe.Add(c, i*4))
			}
			for {
				old := atomic.LoadUint32(p)
				neu, store := f(as[T](&old), as[T](&v), as[T](&cmp))
				if !store || atomic.CompareAndSwapUint32(p, old, as[uint32](&neu)) {
					give32(r, i, old)
					break
				}
			}
		}
	}
}

func sharedLoop64[T any](f step[T]) sharedFunc {
	return func(t, o, c, r unsafe.Pointer, n int) {
		for i := range n {
			p, v, cmp := (*uint64)(unsafe.Add(t, i*8)), load64(unsafe.Add(o, i*8)), uint64(0)
			if c != nil {
				cmp = load64(unsafe.Add(c, i*8))
			}
			for {
				old := atomic.LoadUint64(p)
				neu, store := f(as[T](&old), as[T](&v), as[T](&cmp))
				if !store || atomic.CompareAndSwapUint64(p, old, as[uint64](&neu)) {
					give64(r, i, old)
					break
				}
			}
		}
	}
}

// as reads the bytes of one type as another of the same size (or of less than the first).
func as[T, S any](p *S) T { return *(*T)(unsafe.Pointer(p)) }
