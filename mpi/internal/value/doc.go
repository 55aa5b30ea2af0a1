// Package value turns Go values of any type into messages and back.
//
//	raw, err := value.Append(nil, v)
//	v, err := value.Decode[T](raw)
//
// You need it for the Value forms of package mpi (SendValue, BcastValue ...).
//
// # What travels how
//
//   - Types with the methods of [encoding.BinaryAppender] or [encoding.BinaryMarshaler], and of [encoding.BinaryUnmarshaler],
//     as these say.
//   - Strings, types without pointers, and slices of such as plain memory, unexported fields too. Both sides must lay them out
//     alike; their names do not matter.
//   - Everything else by encoding/gob, each message by itself: exported fields only, types that are held by an interface must be
//     registered with [gob.Register]. Within structs gob makes no difference between nil and empty. A type that implements [gob.GobEncoder]
//     always goes this way.
//
// A message carries what it was made of: a receiver that expects something else gets a [*MismatchError] with both names.
//
// # Trust
//
// Messages are taken for foreign. Decode gives an error for whatever cannot be, allocates in proportion to the message
// (times the size of the elements that the receiver's own type has; gob up to 10 MiB more before it finds out that a slice is
// shorter than it says), and nothing that it returns shares memory with the message.
// Values of types that hold themselves, and interfaces, are limited to [MaxNested] bytes by gob, whose recursion would
// exhaust the stack of the program otherwise. What UnmarshalBinary and GobDecode methods do is their own.
//
// All functions may be called by several goroutines. The package reads no environment variables.
package value
