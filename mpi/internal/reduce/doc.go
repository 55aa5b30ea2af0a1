// Package reduce holds the operations of reductions: MPI's predefined ones, and those made from functions of the user.
//
//	k, err := reduce.Sum.Kernel(e) // e: what element.Of says of the type
//	if err != nil {
//		return err // "Sum of bool: ..."
//	}
//	k(out, mine, theirs) // out = mine + theirs, element by element
//
// You need it to execute the local steps of a reduction, and to accumulate into a window.
//
// # Order
//
// A kernel is dst = a op b with a on the left. What has the lower ranks goes to the left: k(acc, acc, in) takes in after
// acc, k(acc, in, acc) before it. It matters for operations that do not commute ([Op.Commutes]).
//
// # Semantics
//
//   - Integers wrap around.
//   - Floats compare as in Go. Min is b when b < a, else a, and Max is b when b > a, else a: a NaN on the right is ignored, one
//     on the left stays, and of zeros the left one. Sign and payload of a NaN that Sum and Prod make are the processor's.
//   - MinLoc and MaxLoc take a struct of a number and of an integer, the location: the smaller location of equal values.
//   - Logical operations work on bools and integers; anything but zero is true, the result is 1 or 0.
//   - Replace is b, NoOp is a. They are for windows alone, as in MPI (MPI 4.1, 12.3.4).
//   - Arrays of numbers are reduced number by number. Other structs, and what is not listed, need a function ([Func]).
//
// Long vectors of the usual types are done with AVX2 where the processor has it; the results are those of the plain loops.
//
// All functions may be called by several goroutines. A kernel keeps nothing and allocates nothing, but for one of a user's
// function that has to be kept from writing its right operand. The package reads no environment variables.
package reduce
