package udp

import (
	"net/netip"
	"syscall"

	"github.com/gofabric/gofabric/fi"
)

// sock is a socket of an endpoint: its own, or that of a group. It is a descriptor of the system or a pump.
type sock struct {
	e       *endpoint
	fd      int
	pump    *pump        // instead of fd
	kind    fi.CompFlags // what its receives have beside the usual: CompMulticast of a group's
	watched uint32       // source.heard when it was last watched; guarded by the domain's lock
}

// open binds a socket and gives its address.
func (k *sock) open(at netip.AddrPort, soft bool, s *source) (name netip.AddrPort, err error) {
	if soft {
		k.pump, name, err = newPump(at, s)
		return name, err
	}
	k.fd, name, err = rawBind(at)
	return name, err
}

// send sends a datagram; EAGAIN when the buffer is full.
//
//fabric:fastpath
func (k *sock) send(b []byte, to *dest) syscall.Errno {
	if k.pump != nil {
		return k.pump.send(b, to.addr)
	}
	return rawSend(k.fd, b, &to.name)
}

// recv takes up to n datagrams and tells how many came.
//
//fabric:fastpath
func (k *sock) recv(b *batch, n int) int {
	if k.pump != nil {
		return k.pump.recv(b, n)
	}
	return b.rawRecv(k.fd, n)
}

func (k *sock) close() {
	if k.pump != nil {
		k.pump.close()
		return
	}
	rawClose(k.fd)
}
