package atomic

import (
	"sync/atomic"
	"unsafe"
)

// sharedLoop128 always ends with a compare-and-swap, also when the step stores nothing: the two halves are loaded one
// by one, and only it tells that they belonged together.
func sharedLoop128[T any](f step[T]) sharedFunc {
	return func(t, o, c, r unsafe.Pointer, n int) {
		for i := range n {
			p, v, cmp := unsafe.Add(t, i*16), load128(unsafe.Add(o, i*16)), u128{}
			if c != nil {
				cmp = load128(unsafe.Add(c, i*16))
			}
			old := guess128(p)
			for {
				neu, store := f(as[T](&old), as[T](&v), as[T](&cmp))
				if !store {
					neu = as[T](&old)
				}
				seen, ok := swap128(p, old, as[u128](&neu))
				if ok {
					give128(r, i, old)
					break
				}
				old = seen
			}
		}
	}
}

func sharedRead128(t, _, _, r unsafe.Pointer, n int) {
	for i := range n {
		p := unsafe.Add(t, i*16)
		old := guess128(p)
		for {
			seen, ok := swap128(p, old, old)
			if ok {
				give128(r, i, old)
				break
			}
			old = seen
		}
	}
}

// guess128 loads what is there in two halves.
func guess128(p unsafe.Pointer) (v u128) {
	h := (*u128)(p)
	v.lo, v.hi = atomic.LoadUint64(&h.lo), atomic.LoadUint64(&h.hi)
	return v
}

// swap128 stores neu if old is there, and gives what was.
func swap128(p unsafe.Pointer, old, neu u128) (seen u128, ok bool) {
	if raceEnabled {
		raceOrder(p)
	}
	seen.lo, seen.hi, ok = cas16(p, old.lo, old.hi, neu.lo, neu.hi)
	if raceEnabled {
		raceOrder(p)
	}
	return seen, ok
}

// raceOrder tells the race detector, which does not see into assembly, that an atomic of these 16 bytes orders what is
// before and after it as all others do. Adding nothing is harmless to everybody.
func raceOrder(p unsafe.Pointer) {
	h := (*u128)(p)
	atomic.AddUint64(&h.lo, 0)
	atomic.AddUint64(&h.hi, 0)
}

func load128(p unsafe.Pointer) (v u128) {
	*(*[16]byte)(unsafe.Pointer(&v)) = *(*[16]byte)(p)
	return v
}

func give128(r unsafe.Pointer, i int, v u128) {
	if r != nil {
		*(*[16]byte)(unsafe.Add(r, i*16)) = *(*[16]byte)(unsafe.Pointer(&v))
	}
}
