package reduce

import (
	"fmt"
	"reflect"

	"github.com/gofabric/gofabric/mpi/internal/element"
)

// function is an operation of the user.
type function struct {
	typ      reflect.Type
	commutes bool
	info     *element.Info
	kernel   Kernel
	err      error // found when it was made, given when it is used
}

// Func makes an operation of a function that takes the elements of in into acc: acc[i] = acc[i] op in[i] (MPI_Op_create,
// MPI 4.1, 6.9.5; there the left operand is the one that is not written). It must be associative. Unless commutes is true,
// acc always has the lower ranks. Both slices have one length, which may be any part of a vector, and belong to the function
// during the call only. It is called on the goroutine that makes progress, and by several at once when several
// reductions run.
//
// Errors: a type with pointers and a fold of nil are refused by [Op.Kernel].
func Func[T any](fold func(acc, in []T), commutes bool) Op {
	f := &function{typ: reflect.TypeFor[T](), commutes: commutes}
	f.info, f.err = element.Of[T]()
	switch {
	case f.err != nil:
	case fold == nil:
		f.err = fmt.Errorf("an operation on %v is made of no function: OpFunc needs one", f.typ)
	default:
		f.kernel = folding(fold)
	}
	return Op{code: opFunc, fn: f}
}

func (f *function) kernelFor(e *element.Info) (Kernel, error) {
	switch {
	case f.err != nil:
		return nil, f.err
	case e.Size != f.info.Size || !e.Like(f.info):
		return nil, fmt.Errorf("the operation is a function on %v and the elements are %v: make one for their type (OpFunc)", f.typ, e)
	}
	return f.kernel, nil
}

// folding makes a kernel of a function that writes its left operand.
func folding[T any](fold func(acc, in []T)) Kernel {
	inPlace := func(dst, a, b []T) {
		if len(dst) == 0 {
			return
		}
		switch &dst[0] {
		case &a[0]:
			fold(dst, b)
		case &b[0]:
			acc := make([]T, len(dst)) // the right operand is what is overwritten
			copy(acc, a)
			fold(acc, b)
			copy(dst, acc)
		default:
			copy(dst, a)
			fold(dst, b)
		}
	}
	return func(dst, a, b []byte) {
		if d, x, y, ok := element.Slices[T](dst, a, b); ok {
			inPlace(d, x, y)
			return
		}
		x, y := aligned[T](a[:len(dst)]), aligned[T](b[:len(dst)])
		fold(x, y)
		copy(dst, element.Bytes(x))
	}
}

// aligned is a copy of memory at any address.
func aligned[T any](raw []byte) []T {
	var z [1]T
	s := make([]T, len(raw)/len(element.Bytes(z[:])))
	copy(element.Bytes(s), raw)
	return s
}
