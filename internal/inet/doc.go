// Package inet is what providers over IP share: which addresses this host has and in which order they are offered, how
// the addresses of peers look, and how nodes and services become such.
//
// It opens nothing but, for a moment, the socket by which the system tells its route to a peer. All functions may be
// called by any goroutine.
package inet
