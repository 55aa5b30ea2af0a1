// Package udp is the provider of plain UDP: datagram endpoints (FI_EP_DGRAM) whose messages are the payloads of UDP
// packets and nothing else, as with C libfabric's udp, and multicast. One imports it for its effect on package fabric:
//
//	import _ "github.com/gofabric/gofabric/providers/udp"
//
// An endpoint is a socket, bound to an address of this host; peers insert what [fabric.Endpoint.Name] gives. Use it where
// a lost message costs less than a late one, towards programs that speak UDP, and for multicast; else take tcp.
//
// # What a datagram is worth
//
// A message may be lost, come twice, or come after a later one, and nobody tells. Its completion says that it has left
// this process. A peer that does not exist, or that answers with ICMP errors, changes nothing. What comes while no
// receive is posted waits in the socket's buffer, as far as the system gives it room (net.core.rmem_default), and is
// dropped beyond that. A send that finds its socket's buffer full returns fi.ErrAgain.
//
// The longest message is what fits into one packet of the interface, at most 1472 bytes, as in C: the same on both sides
// of an Ethernet, and never cut into fragments. FI_UDP_MAX_MSG_SIZE changes that. Longer datagrams of others are received
// all the same, if the buffer holds them.
//
// # Parts
//
//	endpoint.go  the endpoint; dest.go addresses of peers, there and back
//	send.go      our messages; source.go theirs, and what the engine drives
//	sock.go      sockets: raw ones (sys_linux.go), or pumps over package net (pump.go)
//	multicast.go groups
//
// # Concurrency and progress
//
// All threading and progress models of package fabric. Sends are made by the caller, one system call each. Reading a
// queue reads the sockets that have a receive posted, several datagrams by one call. With automatic progress datagrams
// are received while nobody polls.
//
// # Trust
//
// Nothing is encrypted or authenticated, and a sender's address is whatever the packet says. Bytes of peers are copied
// into posted receives and looked at no further: a peer can fill receives with what it likes, and no more than that.
//
// # Environment
//
// FI_UDP_IFACE, FI_UDP_MAX_MSG_SIZE, FI_UDP_PORTABLE: fi_info -e explains each.
package udp
