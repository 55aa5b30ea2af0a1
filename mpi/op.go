package mpi

import (
	"github.com/gofabric/gofabric/mpi/internal/element"
	"github.com/gofabric/gofabric/mpi/internal/reduce"
)

// Op is the operation of a reduction (MPI_Op; MPI 4.1, 6.9). The zero value is none. Which types an operation is for shows
// when it is used: ErrOp says what is possible.
type Op struct {
	op  reduce.Op
	num uint8 // the same at all members
}

// The predefined operations (MPI 4.1, 6.9.2 and 12.3.4). Integers wrap around; a NaN on the side of the higher rank is
// ignored by Min and Max. Arrays of numbers are reduced number by number.
var (
	Sum     = Op{reduce.Sum, 1}      // MPI_SUM: numbers
	Prod    = Op{reduce.Prod, 2}     // MPI_PROD: numbers
	Min     = Op{reduce.Min, 3}      // MPI_MIN: integers and floats
	Max     = Op{reduce.Max, 4}      // MPI_MAX: integers and floats
	Band    = Op{reduce.Band, 5}     // MPI_BAND: integers
	Bor     = Op{reduce.Bor, 6}      // MPI_BOR: integers
	Bxor    = Op{reduce.Bxor, 7}     // MPI_BXOR: integers
	Land    = Op{reduce.Land, 8}     // MPI_LAND: bools and integers
	Lor     = Op{reduce.Lor, 9}      // MPI_LOR: bools and integers
	Lxor    = Op{reduce.Lxor, 10}    // MPI_LXOR: bools and integers
	MinLoc  = Op{reduce.MinLoc, 11}  // MPI_MINLOC: structs of a value and its location, as Loc
	MaxLoc  = Op{reduce.MaxLoc, 12}  // MPI_MAXLOC: structs of a value and its location, as Loc
	Replace = Op{reduce.Replace, 13} // MPI_REPLACE: everything, on windows only
	NoOp    = Op{reduce.NoOp, 14}    // MPI_NO_OP: everything, on windows only
)

// Loc is a value with its location, usually a rank, for MinLoc and MaxLoc (MPI_DOUBLE_INT and its kin): of equal values the
// smaller index wins.
type Loc[T any] = reduce.Loc[T]

// OpFunc makes an operation of a function that takes the elements of in into acc: acc[i] = acc[i] op in[i] (MPI_Op_create;
// MPI 4.1, 6.9.5). It must be associative; unless commutes is true acc always comes from lower ranks than in.
//
// The slices have the same length, which may be any part of the vectors, and belong to fold during the call only. It may be
// called by several goroutines at the same time, and must not call functions of this package.
//
// Errors: a type with pointers, or a nil fold, shows as ErrOp of the calls that use it.
func OpFunc[T any](fold func(acc, in []T), commutes bool) Op {
	if commutes {
		return Op{reduce.Func(fold, true), 32}
	}
	return Op{reduce.Func(fold, false), 33}
}

// Commutes tells whether a op b is b op a (MPI_Op_commutative).
func (o Op) Commutes() bool { return o.op.Commutes() }

// String gives the name: "Sum".
func (o Op) String() string { return o.op.String() }

// kernel gives the code for a type, for a collective operation.
func (o Op) kernel(call string, e *element.Info) (reduce.Kernel, *Error) {
	if o.op.Valid() && !o.op.Collective() {
		return nil, bad(call, ErrOp, NoRank, o.String()+" is for windows only")
	}
	k, err := o.op.Kernel(e)
	if err != nil {
		return nil, &Error{Op: call, Class: ErrOp, Rank: NoRank, Err: err}
	}
	return k, nil
}
