// Package fi is the vocabulary of the fabric: capabilities, flags, attributes, error numbers and the structures that
// describe what is wanted ([Hints]) and what is offered ([Info]).
//
// It holds data only and imports nothing but the standard library, so that it can be used anywhere. The objects that
// move bytes are in package fabric.
//
// Names follow one rule: FI_MSG is CapMsg, FI_EP_RDM is EPRDM, FI_THREAD_SAFE is ThreadSafe. Each class of bits and
// each enumeration has a type and a prefix of its own, because in C their numbers collide. The numbers are those of
// libfabric; String prints the C name, and UnmarshalText accepts it (also in lower case, without its FI_ prefix, and
// several bits joined by "|").
//
// All values are safe to copy and to share between goroutines as long as nobody writes them. The package reads no
// environment variables.
package fi
