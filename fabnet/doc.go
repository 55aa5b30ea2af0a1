// Package fabnet is [net.Conn] and [net.Listener] over connected endpoints (FI_EP_MSG) of any provider: the bridge between
// fabrics and every program that was written for sockets. A program that imports it as net,
//
//	import net "github.com/gofabric/gofabric/fabnet"
//
// runs over a fabric: Dial, DialTimeout, DialContext, Listen and the types of connections have the names and the meaning
// that they have there. What package net calls a network is the name of a provider here: "tcp" (which also is the same as
// in package net), "shm", "verbs", or "" for whichever of them reaches the address: FI_PROVIDER then chooses, as for
// every libfabric program. Addresses are "host:service", or in the provider's own form, such as "fi_shm://name".
//
// TLS runs over it as over sockets, on every provider: tls.NewListener around a Listener, tls.Client around a Conn.
//
// Both sides have to use fabnet: bytes travel as messages with a small header, and are sent when the peer has memory for
// them (docs/design/0017). A connection keeps at most 512 KiB for what its application has not read; then the peer's
// Write waits.
package fabnet
