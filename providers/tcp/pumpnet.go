package tcp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/libp2p/go-reuseport"
)

// Listening and connecting by package net.

func networkOf(a netip.Addr) string {
	if a.Is4() {
		return "tcp4"
	}
	return "tcp6"
}

// pumpBind makes a socket that may listen. Package net listens at once: who connects before pumpListen waits.
func (c *config) pumpBind(at netip.AddrPort, how sharing) (int, netip.AddrPort, error) {
	cfg := net.ListenConfig{KeepAlive: -1}
	if how == shared {
		cfg.Control = reuseport.Control
	}
	network := networkOf(at.Addr())
	if at.Addr() == netip.IPv6Unspecified() { // all addresses of the host: IPv4 ones, too, where there are any
		network = "tcp"
	}
	l, err := cfg.Listen(context.Background(), network, withZoneName(at).String())
	if err != nil {
		return noSocket, netip.AddrPort{}, err
	}
	p := newPump()
	p.lis, p.how, p.cfg = l, how, c
	return p.handle, addrOf(l.Addr()), nil
}

// listen starts to accept.
func (p *pump) listen() {
	ctx, cancel := context.WithCancel(context.Background())
	p.mu.Lock()
	p.cancel = cancel
	p.mu.Unlock()
	go p.accepts(ctx)
}

func (p *pump) accepts(ctx context.Context) {
	for {
		c, err := p.lis.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		p.mu.Lock()
		if err != nil { // for want of descriptors
			p.mu.Unlock()
			<-time.After(crowdedPause)
			continue
		}
		for p.coming >= pumpQueue && !p.closed {
			p.dropSilent(time.Now())
			again := time.AfterFunc(silentMost, p.changed.Broadcast)
			p.changed.Wait()
			again.Stop()
		}
		if p.closed {
			p.mu.Unlock()
			c.Close()
			return
		}
		p.coming++
		if p.cfg.tls == nil {
			p.mu.Unlock()
			p.came(c)
			continue
		}
		if p.shaking == nil {
			p.shaking = make(map[net.Conn]time.Time)
		}
		p.shaking[c] = time.Now()
		p.mu.Unlock()
		go func() {
			t, err := secureAccept(ctx, c, p.cfg.tls, p.cfg.callerTime())
			p.mu.Lock()
			if _, waited := p.shaking[c]; !waited && err != nil {
				err = errSilent
			}
			delete(p.shaking, c)
			p.mu.Unlock()
			if err != nil {
				p.refused(addrOf(c.RemoteAddr()), err)
				return
			}
			p.came(t)
		}()
	}
}

var errSilent = errors.New("the peer connected and then said nothing, and others waited for its place")

// dropSilent hangs up on callers that take long to agree, for others want their places. With the lock.
func (p *pump) dropSilent(now time.Time) {
	for c, since := range p.shaking {
		if now.Sub(since) > silentMost {
			delete(p.shaking, c)
			c.Close()
		}
	}
}

// came queues a connection that was accepted.
func (p *pump) came(c net.Conn) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		c.Close()
		return
	}
	n := newPump()
	n.hasWhole = true
	n.run(c)
	p.waiting = append(p.waiting, n)
	p.mu.Unlock()
	p.notify()
}

// refused tells of a caller with which there is no agreement on encryption.
func (p *pump) refused(from netip.AddrPort, err error) {
	p.mu.Lock()
	p.coming--
	p.changed.Broadcast()
	log := p.onRefused
	p.mu.Unlock()
	if log != nil {
		log(from, err)
	}
}

// accept takes a connection.
func (p *pump) accept() (int, netip.AddrPort, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		return noSocket, netip.AddrPort{}, errAgain
	}
	n := p.waiting[0]
	p.waiting = p.waiting[1:]
	p.coming--
	p.changed.Broadcast()
	return n.handle, addrOf(n.conn.RemoteAddr()), nil
}

// pumpConnect begins to connect.
func (c *config) pumpConnect(from netip.Addr, to netip.AddrPort, entry string) (int, error) {
	p := newPump()
	p.cfg = c
	var at netip.AddrPort
	if from.IsValid() && !from.IsUnspecified() && from.Is4() == to.Addr().Is4() {
		at = netip.AddrPortFrom(from, 0)
	}
	p.dial(at, to, nil, entry)
	return p.handle, nil
}

// dial begins to connect, from an address if that is valid. What has held its port up to now holds it until the new socket has
// it, where they may share it, or somebody who asks for any port, another endpoint of ours, would be given it.
func (p *pump) dial(from, to netip.AddrPort, held net.Listener, entry string) {
	d := net.Dialer{KeepAlive: -1}
	if from.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(withZoneName(from))
	}
	if held != nil {
		d.Control = func(network, address string, c syscall.RawConn) error {
			if p.how == alone { // the address of a passive endpoint
				held.Close()
			}
			return reuseport.Control(network, address, c)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.mu.Lock()
	p.cancel = cancel
	p.mu.Unlock()
	go func() {
		defer cancel()
		c, err := d.DialContext(ctx, networkOf(to.Addr()), withZoneName(to).String())
		if held != nil {
			held.Close()
		}
		if err == nil && p.cfg.tls != nil {
			limited, cancel := context.WithTimeout(ctx, p.cfg.connectTimeout)
			defer cancel()
			c, err = secureDial(limited, c, p.cfg.tls, p.cfg.peerNames(to, entry))
		}
		p.mu.Lock()
		p.hasWhole, p.dialErr = true, err
		switch {
		case err != nil:
			p.inErr, p.outErr = err, err
		case p.closed:
			c.Close()
		default:
			p.run(c)
		}
		p.mu.Unlock()
		p.notify()
	}()
}

// dialBound begins to connect from the address to which a socket is bound: it listens there no longer.
func (p *pump) dialBound(to netip.AddrPort) {
	from := p.local()
	p.mu.Lock()
	l := p.lis
	p.lis = nil
	p.mu.Unlock()
	p.dial(from, to, l, "")
}

// setOptions sets what package net can.
func (p *pump) setOptions(o socketOptions) {
	if t, ok := p.tcp(); ok && !o.noDelay {
		_ = t.SetNoDelay(false)
	}
}

// keepAlive has the system ask after so many seconds of silence.
func (p *pump) keepAlive(seconds int) {
	if t, ok := p.tcp(); ok {
		idle := time.Duration(seconds) * time.Second
		_ = t.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: idle, Interval: max(time.Second, idle/3), Count: 3})
	}
}

func (p *pump) tcp() (*net.TCPConn, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.conn
	if s, ok := c.(*tls.Conn); ok {
		c = s.NetConn()
	}
	t, ok := c.(*net.TCPConn)
	return t, ok
}

// lifeSigns is what we know ourselves; whether a peer is dead, the system decides.
func (p *pump) lifeSigns() lifeSigns {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	since := min(now.Sub(p.lastIn), now.Sub(p.lastOut))
	return lifeSigns{sinceAck: since, sinceData: since}
}
