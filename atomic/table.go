package atomic

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
)

// table holds a kernel for every valid combination of class, type and operation.
type table [numKinds][numTypes][numOps]*Kernel

// kernels is the table of everybody, once somebody asked: most programs that link this package never do.
var (
	kernels     atomic.Pointer[table]
	kernelsOnce sync.Once
)

//go:noinline
func firstTable() *table {
	kernelsOnce.Do(func() { kernels.Store(newTable()) })
	return kernels.Load()
}

func newTable() *table {
	tab := new(table)
	add(tab, fi.TypeInt8, integers[int8]())
	add(tab, fi.TypeUint8, integers[uint8]())
	add(tab, fi.TypeInt16, integers[int16]())
	add(tab, fi.TypeUint16, integers[uint16]())
	add(tab, fi.TypeInt32, integers[int32]())
	add(tab, fi.TypeUint32, integers[uint32]())
	add(tab, fi.TypeInt64, integers[int64]())
	add(tab, fi.TypeUint64, integers[uint64]())
	add(tab, fi.TypeInt128, integers128(lessInt128))
	add(tab, fi.TypeUint128, integers128(lessUint128))
	add(tab, fi.TypeFloat, reals[float32]())
	add(tab, fi.TypeDouble, reals[float64]())

	c64 := numbers[complex64]()
	c64.step[fi.AtomicProd] = prodComplex64
	add(tab, fi.TypeFloatComplex, c64)
	c128 := numbers[complex128]()
	c128.step[fi.AtomicProd] = prodComplex128
	add(tab, fi.TypeDoubleComplex, c128)

	f16 := floats(FromFloat16, ToFloat16)
	f16.loop[fi.AtomicSum] = loopSumFloat16
	add(tab, fi.TypeFloat16, f16)
	bf16 := floats(FromBFloat16, ToBFloat16)
	bf16.loop[fi.AtomicSum] = loopSumBFloat16
	add(tab, fi.TypeBFloat16, bf16)
	add(tab, fi.TypeFloat8E4M3, floats(FromFloat8E4M3, ToFloat8E4M3))
	add(tab, fi.TypeFloat8E5M2, floats(FromFloat8E5M2, ToFloat8E5M2))
	return tab
}

// add enters a type's kernels into the classes that their operations belong to.
func add[T any](tab *table, dt fi.Datatype, f *family[T]) {
	for i, s := range f.step {
		op := fi.AtomicOp(i)
		switch {
		case op == fi.AtomicRead:
			k := newKernel(dt, op, loopNone, sharedRead(dt.Size()))
			k.operandMask = 0
			tab.enter(k, fi.AtomicFetch)
		case s == nil:
		case op >= fi.AtomicCSwap && op <= fi.AtomicMSwap:
			k := newKernel(dt, op, loopCompare(s), sharedOf(dt, op, s))
			k.compareMask = ^uint(0)
			tab.enter(k, fi.AtomicCompare)
		default:
			loop := f.loop[op]
			if loop == nil {
				loop = loopStep(s)
			}
			k := newKernel(dt, op, loop, sharedOf(dt, op, s))
			tab.enter(k, fi.AtomicBase)
			tab.enter(k, fi.AtomicFetch)
		}
	}
}

func newKernel(dt fi.Datatype, op fi.AtomicOp, loop loopFunc, shared sharedFunc) Kernel {
	return Kernel{
		dt: dt, op: op,
		loop: loop, shared: shared, word: wordOf(dt, op),
		operandMask: ^uint(0),
		shift:       uint8(bits.Len(uint(dt.Size())) - 1),
	}
}

// enter puts a copy of a kernel into a class.
func (tab *table) enter(k Kernel, kind fi.AtomicKind) {
	k.kind = kind
	if kind != fi.AtomicBase {
		k.resultMask = ^uint(0)
	}
	tab[kind>>kindShift][k.dt][k.op] = &k
}

// sharedOf gives the best that the processor has: an instruction where the bits alone decide, a loop elsewhere.
func sharedOf[T any](dt fi.Datatype, op fi.AtomicOp, s step[T]) sharedFunc {
	if dt <= fi.TypeUint64 || op == fi.AtomicWrite {
		if f := sharedNative(op, dt.Size()); f != nil {
			return f
		}
	}
	return sharedLoop(s)
}

func sharedRead(size int) sharedFunc {
	switch size {
	case 1:
		return sharedRead8
	case 2:
		return sharedRead16
	case 16:
		if !has16 {
			return nil
		}
		return sharedRead128
	}
	return sharedNative(fi.AtomicRead, size)
}
