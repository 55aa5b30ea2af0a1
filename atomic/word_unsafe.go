package atomic

import (
	"sync/atomic"
	"unsafe"

	"github.com/gofabric/gofabric/fi"
)

// word names an operation that [Kernel.Shared64] or [Kernel.Shared32] executes in place.
type word uint8

const (
	wordOther word = iota
	wordSum64
	wordRead64
	wordWrite64
	wordCSwap64
	wordSum32
	wordRead32
	wordWrite32
	wordCSwap32
)

// wordOf gives the word of an operation whose result depends on the bits alone.
func wordOf(dt fi.Datatype, op fi.AtomicOp) word {
	w := wordOther
	switch {
	case op == fi.AtomicRead:
		w = wordRead64
	case op == fi.AtomicWrite:
		w = wordWrite64
	case op == fi.AtomicSum && dt <= fi.TypeUint64:
		w = wordSum64
	case op == fi.AtomicCSwap && dt <= fi.TypeUint64:
		w = wordCSwap64
	}
	switch size := dt.Size(); {
	case w == wordOther || size < 4 || size > 8:
		return wordOther
	case size == 4:
		w += wordSum32 - wordSum64
	}
	return w
}

// Shared64 is [Kernel.ApplyShared] for one element of 8 bytes, given as its bits: the shortest way to an atomic whose
// operand is at hand. Old is the previous value in the fetch and the compare class.
//
// Errors: [fi.ErrInvalid] when the kernel's elements have another size or p is not aligned; nothing is done then.
//
//fabric:fastpath
func (k *Kernel) Shared64(p *uint64, operand, compare uint64) (old uint64, err error) {
	if uintptr(unsafe.Pointer(p))&7 == 0 {
		switch k.word {
		case wordSum64:
			return atomic.AddUint64(p, operand) - operand, nil
		case wordRead64:
			return atomic.LoadUint64(p), nil
		case wordWrite64:
			return atomic.SwapUint64(p, operand), nil
		case wordCSwap64:
			for !atomic.CompareAndSwapUint64(p, compare, operand) {
				if old = atomic.LoadUint64(p); old != compare {
					return old, nil
				}
			}
			return compare, nil
		}
	}
	return k.other64(p, operand, compare)
}

//go:noinline
func (k *Kernel) other64(p *uint64, operand, compare uint64) (old uint64, err error) {
	if k.shift != 3 || uintptr(unsafe.Pointer(p))&7 != 0 {
		return 0, fi.ErrInvalid
	}
	var c, r unsafe.Pointer
	if k.compareMask != 0 {
		c = hidden(unsafe.Pointer(&compare))
	}
	if k.resultMask != 0 {
		r = hidden(unsafe.Pointer(&old))
	}
	k.shared(hidden(unsafe.Pointer(p)), hidden(unsafe.Pointer(&operand)), c, r, 1)
	return old, nil
}

// Shared32 is [Kernel.Shared64] for one element of 4 bytes.
//
//fabric:fastpath
func (k *Kernel) Shared32(p *uint32, operand, compare uint32) (old uint32, err error) {
	if uintptr(unsafe.Pointer(p))&3 == 0 {
		switch k.word {
		case wordSum32:
			return atomic.AddUint32(p, operand) - operand, nil
		case wordRead32:
			return atomic.LoadUint32(p), nil
		case wordWrite32:
			return atomic.SwapUint32(p, operand), nil
		case wordCSwap32:
			for !atomic.CompareAndSwapUint32(p, compare, operand) {
				if old = atomic.LoadUint32(p); old != compare {
					return old, nil
				}
			}
			return compare, nil
		}
	}
	return k.other32(p, operand, compare)
}

//go:noinline
func (k *Kernel) other32(p *uint32, operand, compare uint32) (old uint32, err error) {
	if k.shift != 2 || uintptr(unsafe.Pointer(p))&3 != 0 {
		return 0, fi.ErrInvalid
	}
	var c, r unsafe.Pointer
	if k.compareMask != 0 {
		c = hidden(unsafe.Pointer(&compare))
	}
	if k.resultMask != 0 {
		r = hidden(unsafe.Pointer(&old))
	}
	k.shared(hidden(unsafe.Pointer(p)), hidden(unsafe.Pointer(&operand)), c, r, 1)
	return old, nil
}
