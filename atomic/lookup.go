package atomic

import "github.com/gofabric/gofabric/fi"

const (
	numKinds = 3
	numTypes = int(fi.TypeFloat8E5M2) + 1
	numOps   = int(fi.AtomicDiff) + 1
)

// kindShift is the bit of the first class that has one: the kinds are 0, 1<<58 and 2<<58.
const kindShift = 58

// Lookup gives the kernel of an operation on a data type in a class of calls. It costs a few nanoseconds, so that it
// may be called for each operation; the first call of a program builds the table, in a fraction of a millisecond.
//
// Errors: those of [Valid].
//
//fabric:fastpath
func Lookup(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (*Kernel, error) {
	tab := kernels.Load()
	if tab == nil {
		tab = firstTable()
	}
	c := uint64(kind) >> kindShift
	if c < numKinds && uint(dt) < uint(numTypes) && uint(op) < uint(numOps) && kind&(1<<kindShift-1) == 0 {
		if k := tab[c][dt][op]; k != nil {
			return k, nil
		}
	}
	return nil, refuse(kind, dt, op)
}

// Valid says whether an operation on a data type exists in a class of calls (fi_atomicvalid, fi_fetch_atomicvalid,
// fi_compare_atomicvalid).
//
// Errors: [fi.ErrInvalid] for a kind, type or operation that is no libfabric number, or a kind with both classes;
// [fi.ErrOpNotSupp] for a combination that has no meaning (bits of floats, order of complex numbers, an operation of
// another class), for long doubles, and for what only collectives have.
func Valid(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) error {
	_, err := Lookup(kind, dt, op)
	return err
}

//go:noinline
func refuse(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) error {
	switch {
	case kind != fi.AtomicBase && kind != fi.AtomicFetch && kind != fi.AtomicCompare,
		(dt < 0 || int(dt) >= numTypes) && dt != fi.TypeVoid,
		(op < 0 || int(op) >= numOps) && op != fi.AtomicNoop:
		return fi.ErrInvalid
	}
	return fi.ErrOpNotSupp
}
