// Package ubertest is libfabric's fi_ubertest: tests that are the product of all values in a configuration file, run by a
// server and a client which agree on each of them over a TCP connection.
//
// A file is a list of sets; lex.go and config.go read it, product.go makes tests of it, and protocol.go is what the sides
// tell each other, byte for byte what C's program says, so that either side may be that. side.go opens what one test wants,
// post_*.go are its functions, and latency.go, bandwidth.go, unit.go and dgram.go are what is done with them.
//
// What comes from the peer is checked before it is used. Files of our own for the providers here are in configs.
package ubertest
