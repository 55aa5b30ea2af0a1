package fabnet

import (
	"net"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// fabricAddr is the address of a connection's end. Dial with its network and its text connects there.
type fabricAddr struct {
	network, text string
}

// Network is the provider's name.
func (a fabricAddr) Network() string { return a.network }

// String is the address: "192.0.2.1:7471", "fi_shm://name".
func (a fabricAddr) String() string { return a.text }

// addrOf gives the address of a raw one. IP addresses have the form of package net.
func addrOf(info *fi.Info, raw []byte) fabricAddr {
	text := fi.FormatAddr(info.AddrFormat, raw)
	for _, p := range []string{"fi_sockaddr_in://", "fi_sockaddr_in6://"} {
		if rest, ok := strings.CutPrefix(text, p); ok {
			text = rest
		}
	}
	return fabricAddr{info.Fabric.ProvName, text}
}

// opError wraps an error as package net does.
func opError(op, network string, from, to net.Addr, err error) error {
	return &net.OpError{Op: op, Net: network, Source: from, Addr: to, Err: err}
}
