// Package element says what the elements of a message are: which Go types can travel as plain memory, how large they are,
// and whether two of them are laid out alike.
//
//	e, err := element.Of[T]() // cached: a few nanoseconds
//	if err != nil {
//		return err // names the field that holds a pointer
//	}
//	raw := element.Bytes(buf) // the memory of buf, len(buf)*e.Size bytes
//
// You need it in every generic call of package mpi that takes a slice.
//
// An element type is free of pointers: a number, a bool, an array or a struct of such. Infos are never changed and are
// shared by all goroutines; there is one for each type that was ever asked for. The package reads no environment variables.
package element
