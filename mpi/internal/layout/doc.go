// Package layout describes which elements of a slice a message carries when they do not lie side by side: a column of a
// matrix, the border of a grid, a list of pieces.
//
//	l, err := layout.Vector(rows, 1, columns) // a column
//	if err := l.Check(len(matrix)); err != nil {
//		return err
//	}
//	layout.Pack(l, column, matrix)
//	for at, n := range l.Runs() { ... } // or piece by piece, for a vector of buffers
//
// You need it for the views of package mpi, MPI's derived datatypes on a slice (MPI 4.1, 5.1).
//
// All numbers count elements of the slice, whose first one is 0. The order of a layout is the order in which its elements
// travel. Layouts are never changed, may be shared by goroutines, and keep nothing that
// they were made of. The package has no state and reads no environment variables.
package layout
