package tcp

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/internal/inet"
)

// pump is a socket of package net that is used like a raw one: calls never wait, and a set tells when to try again. It has
// goroutines that do the waiting: one reads ahead, one writes what was taken. It serves systems without epoll, and
// connections that are more than a socket. Handles of pumps are negative numbers below noSocket.
type pump struct {
	handle int

	mu      sync.Mutex
	changed sync.Cond // the buffers, or the end
	conn    net.Conn  // nil while it connects, and of a listener
	lis     net.Listener
	how     sharing // how lis has its port
	cfg     *config
	waiting []*pump                // accepted by lis
	coming  int                    // those, and what is not in agreement yet
	shaking map[net.Conn]time.Time // of coming, those with which encryption is being agreed on, and since when
	// onRefused tells of callers with which there is no agreement on encryption.
	onRefused func(from netip.AddrPort, err error)
	in        []byte // read, not taken
	out       []byte // taken, not written
	inErr     error
	outErr    error
	hasWhole  bool // connected, or failed to: dialErr
	dialErr   error
	cancel    func() // ends an attempt to connect
	closed    bool
	writing   bool // the writer has some of what was taken
	lastIn    time.Time
	lastOut   time.Time

	set      *pollSet // tells of it; nil: none
	interest uint32
	token    uint64
	listed   bool // guarded by the set's lock
}

// Sizes of a pump's buffers in bytes, and of a listener's queue.
const (
	pumpIn     = 64 << 10
	pumpOut    = 256 << 10
	pumpQueue  = 64
	pumpLinger = 2 * time.Second // that a closed pump goes on writing what was taken
)

// noSocket is no descriptor and no handle.
const noSocket = -1

// pumps finds pumps by their handles: the table of descriptors of package net's sockets, as the system has one of its own.
var pumps = struct {
	sync.RWMutex
	all  map[int]*pump
	last int
}{all: make(map[int]*pump), last: noSocket}

func newPump() *pump {
	p := &pump{}
	p.changed.L = &p.mu
	pumps.Lock()
	defer pumps.Unlock()
	pumps.last--
	p.handle = pumps.last
	pumps.all[p.handle] = p
	return p
}

func pumpOf(handle int) *pump {
	pumps.RLock()
	defer pumps.RUnlock()
	return pumps.all[handle]
}

// run gives the pump its connection and starts to move bytes. With the lock.
func (p *pump) run(c net.Conn) {
	now := time.Now()
	p.conn, p.lastIn, p.lastOut = c, now, now
	go p.reads(c)
	go p.writes(c)
}

// notify tells the set that something has changed. Without the lock.
func (p *pump) notify() {
	p.mu.Lock()
	set := p.set
	p.mu.Unlock()
	if set != nil {
		set.soft.notify(p)
	}
}

// reads reads ahead, one buffer.
func (p *pump) reads(c net.Conn) {
	buf := make([]byte, pumpIn)
	for {
		n, err := c.Read(buf)
		p.mu.Lock()
		p.in, p.lastIn = buf[:n], time.Now()
		if err != nil {
			p.inErr = err
		}
		p.mu.Unlock()
		p.notify()
		p.mu.Lock()
		for len(p.in) > 0 && !p.closed {
			p.changed.Wait()
		}
		end := p.closed || p.inErr != nil
		p.mu.Unlock()
		if end {
			return
		}
	}
}

// writes writes what was taken, and at the end closes.
func (p *pump) writes(c net.Conn) {
	defer c.Close()
	var spare []byte
	for {
		p.mu.Lock()
		p.writing = false
		for len(p.out) == 0 && !p.closed {
			p.changed.Wait()
		}
		b := p.out
		p.out, p.writing = spare[:0], true
		p.mu.Unlock()
		if len(b) == 0 {
			return
		}
		_, err := c.Write(b)
		spare = b
		p.mu.Lock()
		p.lastOut = time.Now()
		if err != nil && p.outErr == nil {
			p.outErr = err
		}
		p.mu.Unlock()
		p.notify()
		if err != nil {
			p.mu.Lock()
			for !p.closed {
				p.changed.Wait()
			}
			p.mu.Unlock()
			return
		}
	}
}

// read takes what was read ahead.
func (p *pump) read(b []byte) (int, syscall.Errno) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(p.in) > 0:
		n := copy(b, p.in)
		if p.in = p.in[n:]; len(p.in) == 0 {
			p.changed.Broadcast()
		}
		return n, 0
	case p.inErr == nil:
		return 0, errAgain
	case errors.Is(p.inErr, io.EOF):
		return 0, 0
	}
	return 0, errnoOf(p.inErr)
}

// write takes what there is room for.
func (p *pump) write(b []byte) (int, syscall.Errno) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.outErr != nil {
		return 0, errnoOf(p.outErr)
	}
	n := min(len(b), pumpOut-len(p.out))
	if n == 0 && len(b) > 0 {
		return 0, errAgain
	}
	p.out = append(p.out, b[:n]...)
	p.changed.Broadcast()
	return n, 0
}

// unsent tells whether something was taken that is not written.
func (p *pump) unsent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return (len(p.out) > 0 || p.writing) && p.outErr == nil
}

// errnoOf gives the system's number of an error.
func errnoOf(err error) syscall.Errno {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e
	}
	return syscall.ECONNRESET
}

// close gives everything back; what was taken is still written, for a while.
func (p *pump) close() {
	pumps.Lock()
	delete(pumps.all, p.handle)
	pumps.Unlock()
	p.mu.Lock()
	p.closed = true
	c, l, cancel, waiting := p.conn, p.lis, p.cancel, p.waiting
	p.conn, p.waiting = nil, nil
	pending := (len(p.out) > 0 || p.writing) && p.outErr == nil
	p.changed.Broadcast()
	p.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	if l != nil {
		l.Close()
	}
	for _, w := range waiting {
		w.close()
	}
	switch _, secure := c.(*tls.Conn); {
	case c == nil:
	case secure && !pending: // which may have to say so first: the writer does
	case pending:
		_ = c.SetReadDeadline(time.Now())
		_ = c.SetWriteDeadline(time.Now().Add(pumpLinger))
	default:
		c.Close()
	}
}

// events says what of a set's interest holds. With the set's lock.
func (p *pump) events(s *pollSet) uint32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.set != s {
		return 0
	}
	var have uint32
	switch {
	case p.lis != nil:
		if len(p.waiting) > 0 {
			have = pollIn
		}
	case !p.hasWhole:
	default:
		if len(p.in) > 0 || p.inErr != nil {
			have |= pollIn
		}
		if p.inErr != nil {
			have |= pollHup
		}
		if len(p.out) < pumpOut || p.outErr != nil {
			have |= pollOut
		}
	}
	return have & p.interest
}

// local is the address of our end.
func (p *pump) local() netip.AddrPort {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.conn != nil:
		return addrOf(p.conn.LocalAddr())
	case p.lis != nil:
		return addrOf(p.lis.Addr())
	}
	return netip.AddrPort{}
}

// addrOf is an address of package net as ours.
func addrOf(a net.Addr) netip.AddrPort {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := t.AddrPort()
	return netip.AddrPortFrom(inet.NumericZone(ap.Addr().Unmap()), ap.Port())
}
