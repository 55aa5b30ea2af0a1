package reduce

import (
	"fmt"
	"reflect"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/element"
)

// Op is an operation (MPI_Op, MPI 4.1, 6.9). The zero value is none. It is a value to be compared and copied.
type Op struct {
	code code
	fn   *function // of opFunc
}

type code uint8

const (
	opNone code = iota
	opSum
	opProd
	opMin
	opMax
	opBand
	opBor
	opBxor
	opLand
	opLor
	opLxor
	opMinLoc
	opMaxLoc
	opReplace
	opNoOp
	opFunc
	numOps
)

// The predefined operations (MPI 4.1, 6.9.2 and 12.3.4).
var (
	Sum     = Op{code: opSum}     // MPI_SUM: numbers
	Prod    = Op{code: opProd}    // MPI_PROD: numbers
	Min     = Op{code: opMin}     // MPI_MIN: integers and floats
	Max     = Op{code: opMax}     // MPI_MAX: integers and floats
	Band    = Op{code: opBand}    // MPI_BAND: integers
	Bor     = Op{code: opBor}     // MPI_BOR: integers
	Bxor    = Op{code: opBxor}    // MPI_BXOR: integers
	Land    = Op{code: opLand}    // MPI_LAND: bools and integers
	Lor     = Op{code: opLor}     // MPI_LOR: bools and integers
	Lxor    = Op{code: opLxor}    // MPI_LXOR: bools and integers
	MinLoc  = Op{code: opMinLoc}  // MPI_MINLOC: structs of a value and its location
	MaxLoc  = Op{code: opMaxLoc}  // MPI_MAXLOC: structs of a value and its location
	Replace = Op{code: opReplace} // MPI_REPLACE: everything, on windows
	NoOp    = Op{code: opNoOp}    // MPI_NO_OP: everything, on windows
)

var opNames = [numOps]string{"no operation", "Sum", "Prod", "Min", "Max", "Band", "Bor", "Bxor", "Land", "Lor", "Lxor",
	"MinLoc", "MaxLoc", "Replace", "NoOp", "Func"}

// needs says for each operation which types it is for.
var needs = [numOps]string{
	opSum: "integers, floats and complex numbers, and arrays of them", opProd: "integers, floats and complex numbers, and arrays of them",
	opMin: "integers and floats, and arrays of them", opMax: "integers and floats, and arrays of them",
	opBand: "integers, and arrays of them", opBor: "integers, and arrays of them", opBxor: "integers, and arrays of them",
	opLand: "bools and integers, and arrays of them", opLor: "bools and integers, and arrays of them",
	opLxor:   "bools and integers, and arrays of them",
	opMinLoc: "structs of a number and a location of int, int32 or int64", opMaxLoc: "structs of a number and a location of int, int32 or int64",
}

// String gives the name, and of a user's operation the type.
func (o Op) String() string {
	if o.fn != nil {
		return "Func[" + o.fn.typ.String() + "]"
	}
	return opNames[o.code]
}

// Commutes tells whether a op b is b op a (MPI_Op_commutative, MPI 4.1, 6.9.7). Sums and products of floats do, though
// they are not associative: another order of the ranks gives other last bits.
func (o Op) Commutes() bool {
	if o.fn != nil {
		return o.fn.commutes
	}
	return o.code != opReplace && o.code != opNoOp
}

// Valid tells whether it is an operation at all: the zero value is not.
func (o Op) Valid() bool { return o.code != opNone }

// Collective tells whether collectives may use it: all but Replace and NoOp.
func (o Op) Collective() bool { return o.Valid() && o.code != opReplace && o.code != opNoOp }

// Predefined tells whether it is one of MPI's own, which is what windows accept (MPI 4.1, 12.3.4).
func (o Op) Predefined() bool { return o.Valid() && o.code != opFunc }

// Atomic gives the fabric's atomic operation that does the same on numbers, if there is one.
func (o Op) Atomic() (fi.AtomicOp, bool) {
	a, ok := atomics[o.code]
	return a, ok
}

var atomics = map[code]fi.AtomicOp{
	opSum: fi.AtomicSum, opProd: fi.AtomicProd, opMin: fi.AtomicMin, opMax: fi.AtomicMax,
	opBand: fi.AtomicBAnd, opBor: fi.AtomicBOr, opBxor: fi.AtomicBXor,
	opLand: fi.AtomicLAnd, opLor: fi.AtomicLOr, opLxor: fi.AtomicLXor,
	opReplace: fi.AtomicWrite, opNoOp: fi.AtomicRead,
}

// Kernel gives dst = a op b for whole elements of one type. All three have len(dst) bytes, a and b may have more. dst may be
// the same memory as a or as b; nothing overlaps otherwise. No address needs to be aligned. The buffers are used during
// the call only.
type Kernel func(dst, a, b []byte)

// Kernel gives the code of the operation for a type.
//
// Errors: the operation is none, or is not for that type: the text names both and the types that it is for.
//
//fabric:fastpath
func (o Op) Kernel(e *element.Info) (Kernel, error) {
	if o.code < opMinLoc {
		if k := table[o.code][e.Base]; k != nil {
			return k, nil
		}
	}
	return o.special(e)
}

//go:noinline
func (o Op) special(e *element.Info) (Kernel, error) {
	switch o.code {
	case opFunc:
		return o.fn.kernelFor(e)
	case opReplace:
		return right, nil
	case opNoOp:
		return left, nil
	case opMinLoc, opMaxLoc:
		if v, i := locKinds(e.Type); v != reflect.Invalid {
			return locs[locKey{o.code, v, i}], nil
		}
	case opNone:
		return nil, fmt.Errorf("no operation is given: use Sum, Max ... or a function (OpFunc)")
	}
	return nil, fmt.Errorf("%v of %v: it is for %s; for other types make one of a function (OpFunc)", o, e, needs[o.code])
}

func left(dst, a, _ []byte)  { copy(dst, a[:len(dst)]) }
func right(dst, _, b []byte) { copy(dst, b[:len(dst)]) }
