package udp

import (
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/internal/inet"
)

// pump is a socket of package net that is used like a raw one: calls never wait. It has goroutines that do the waiting:
// one reads ahead, one writes what was taken. It serves systems other than Linux.
type pump struct {
	conn *net.UDPConn
	src  *source
	out  chan outgoing
	done sync.WaitGroup

	mu     sync.Mutex
	in     []datagram // oldest first; guarded by mu, as the next
	room   sync.Cond
	closed bool
}

// longAgo ends a read.
var longAgo = time.Unix(1, 0)

// datagram is what has come.
type datagram struct {
	b    []byte // not nil
	from key
}

type outgoing struct {
	b  []byte
	to netip.AddrPort
}

// pumpMost is how many datagrams a pump keeps in either direction; more wait in the system's buffer.
const pumpMost = 64

func newPump(at netip.AddrPort, s *source) (*pump, netip.AddrPort, error) {
	network := "udp6"
	switch {
	case at.Addr().Is4():
		network = "udp4"
	case at.Addr().IsUnspecified():
		network = "udp"
	}
	conn, err := net.ListenUDP(network, net.UDPAddrFromAddrPort(inet.WithZoneName(at)))
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	p := &pump{conn: conn, src: s, out: make(chan outgoing, pumpMost)}
	p.room.L = &p.mu
	p.done.Go(p.reads)
	p.done.Go(p.writes)
	name := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	return p, netip.AddrPortFrom(inet.NumericZone(name.Addr()), name.Port()), nil
}

// reads takes datagrams as long as there is room for them.
func (p *pump) reads() {
	buf := make([]byte, slotSize)
	for {
		n, from, err := p.conn.ReadFromUDPAddrPort(buf)
		p.mu.Lock()
		for len(p.in) >= pumpMost && !p.closed {
			p.room.Wait()
		}
		if p.closed {
			p.mu.Unlock()
			return
		}
		if err == nil { // else a peer was not there, which some systems tell here
			p.in = append(p.in, datagram{append(make([]byte, 0, n+1), buf[:n]...), keyOf(inet.Canonical(from))})
		}
		p.mu.Unlock()
		if err == nil && p.src.armed.Load() {
			p.src.bells.ring()
		}
	}
}

// writes sends what was taken; what cannot be sent is lost.
func (p *pump) writes() {
	for d := range p.out {
		_, _ = p.conn.WriteToUDPAddrPort(d.b, d.to)
	}
}

func (p *pump) send(b []byte, to netip.AddrPort) syscall.Errno {
	if len(p.out) == cap(p.out) { // we alone fill it, under the domain's lock
		return syscall.EAGAIN
	}
	p.out <- outgoing{append([]byte(nil), b...), inet.WithZoneName(to)}
	return 0
}

func (p *pump) recv(b *batch, n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = copy(b.soft[:n], p.in)
	kept := copy(p.in, p.in[n:])
	clear(p.in[kept:])
	p.in = p.in[:kept]
	p.room.Signal()
	return n
}

// has tells whether something has come.
func (p *pump) has() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.in) > 0
}

// close sends what was taken and ends the goroutines.
func (p *pump) close() {
	close(p.out)
	p.mu.Lock()
	p.closed = true
	p.room.Signal()
	p.mu.Unlock()
	_ = p.conn.SetReadDeadline(longAgo)
	p.done.Wait()
	p.conn.Close()
}
