// Package tcp is the provider of TCP: reliable-datagram endpoints that speak the protocol of C libfabric's tcp (1.18 and
// later; net of 1.16 and 1.17), and more between two of ours. One imports it for its effect on package fabric:
//
//	import _ "github.com/gofabric/gofabric/providers/tcp"
//
// An endpoint listens at an address, a sockaddr_in or sockaddr_in6; peers insert what [fabric.Endpoint.Name] gives. It
// connects by itself when something is sent, takes connections of peers that it does not know, and connects again when a
// peer has been restarted.
//
// # Parts
//
//	wire/        headers, written and read
//	source.go    what the engine drives: sockets, read one by one or by epoll
//	conn.go      a connection; output.go its writing half, input.go its reading half
//	greet.go     handshakes; peer.go when to connect, and what waits meanwhile
//	arrive.go    messages of peers; remote.go and ext.go everything else that peers send
//	send.go      our messages; access.go our remote accesses and atomics
//	sock.go      sockets: raw ones (sys_linux.go), or pumps over package net (pump.go)
//	pollset.go   which sockets have something; bells.go what goroutines park on
//	alive.go     dead peers; idle.go idle connections, and what happens without descriptors
//
// # Plain and extended
//
// C's protocol has no atomics, no answer to a wrong key but the end of the connection, and no way to tell of a match. Two
// endpoints of ours notice each other in the handshake and speak an extension that has all of that
// (docs/wire/tcp-extension.md). Towards others an operation that needs it completes with fi.ErrOpNotSupp.
//
// # Concurrency and progress
//
// All threading and progress models of package fabric. Calls write to the socket themselves; a second small message
// before the next progress waits for that, so that many leave by one call. Reading a queue reads the sockets. With
// automatic progress a peer that does not poll is served within a millisecond of its last poll, later within some 50 us.
//
// # Trust
//
// Everything from the network is checked before it is used. A peer that breaks the protocol loses its connection. What
// peers send unasked is bounded by FI_TCP_UNEXPECTED. Without fabric.WithTLS there is neither encryption nor authentication:
// whoever reaches the port can send messages, and access regions whose keys it knows.
//
// # Environment
//
// FI_TCP_IFACE, FI_TCP_PORT_LOW_RANGE, FI_TCP_PORT_HIGH_RANGE, FI_TCP_REUSEPORT, FI_TCP_TX_SIZE, FI_TCP_RX_SIZE,
// FI_TCP_MAX_INJECT, FI_TCP_NODELAY, FI_TCP_UNEXPECTED, FI_TCP_CONNECT_TIMEOUT, FI_TCP_USER_TIMEOUT, FI_TCP_KEEPALIVE,
// FI_TCP_MAX_IDLE, FI_TCP_LINGER, FI_TCP_CONGESTION, FI_TCP_EXTENSION, FI_TCP_RENDEZVOUS, FI_TCP_MAX_SAVED_SIZE,
// FI_TCP_FIREWALL_ADDR, FI_TCP_PORTABLE: fi_info -e explains each.
package tcp
