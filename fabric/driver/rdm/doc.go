// Package rdm is the half of a reliable-datagram endpoint that does not depend on how bytes travel. A provider's
// endpoint embeds [Endpoint] and hands it what arrives; rdm matches it with receives, copies, executes remote accesses
// and atomics on registered memory, and writes completions and counters.
//
//	   application                         provider
//	Recv, TRecv, peek ──► Rx (match) ◄── Peer.Arrive(message or announcement)
//	                       │  matched announcement ──► Wire.Fetch(Transfer) ... Endpoint.Finish(Transfer)
//	     CQ, counters ◄────┤                                      Target: WriteIn, ReadOut, Atomic
//	                       └─ matched, wanted by the sender ──► Wire.Ack
//
// Everything here runs under the domain's lock, but for the receive calls, which take it.
package rdm
