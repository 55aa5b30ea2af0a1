package udp

import (
	"runtime"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/relstore"
)

// source is what the domain's engine drives: all sockets. A poll reads those that have a receive posted; the others keep
// what comes in the system's buffer, which bounds it.
//
// The engine's goroutine parks on the bells. A socket rings once after each time that it was watched, which it is only
// while the source is armed and a receive is posted: otherwise one with datagrams that nobody wants would ring for ever.
type source struct {
	bells *bells
	soft  bool // all sockets are pumps
	count uint32

	armed atomic.Bool
	heard atomic.Uint32 // counts what has rung: sockets that were watched before may not be any more

	// The rest is guarded by the domain's lock.
	socks  []*sock
	batch  batch
	gather []byte // a message of several pieces
}

// Limits of a poll.
const (
	batchMost = 8          // datagrams that one call takes
	readMost  = 4          // calls for a socket
	slotSize  = 64 << 10   // bytes that hold any datagram
	watchNew  = ^uint32(0) // sock.watched of one that was never
)

func newSource(soft bool) (*source, error) {
	s := &source{soft: soft}
	var err error
	s.bells, err = newBells(soft)
	return s, err
}

// add takes a socket.
func (s *source) add(k *sock) error {
	if err := s.bells.add(k); err != nil {
		return err
	}
	k.watched = watchNew
	s.socks = append(s.socks, k)
	relstore.Uint32(&s.count, uint32(len(s.socks)))
	return nil
}

// remove forgets it.
func (s *source) remove(k *sock) {
	for i, x := range s.socks {
		if x == k {
			last := len(s.socks) - 1
			s.socks[i], s.socks[last] = s.socks[last], nil
			s.socks = s.socks[:last]
			relstore.Uint32(&s.count, uint32(last))
			s.bells.remove(k)
			return
		}
	}
}

// Ready looks whether there are sockets: only a system call could tell more.
//
//fabric:fastpath
func (s *source) Ready() bool {
	if s.soft {
		runtime.Gosched() // the pumps' goroutines need a processor, which who polls would keep
	}
	return atomic.LoadUint32(&s.count) != 0
}

// Poll reads what has come.
//
//fabric:fastpath
func (s *source) Poll() {
	for _, k := range s.socks {
		k.receive(&s.batch)
	}
}

// receive takes as many datagrams as there are receives, in a bounded number of calls.
//
//fabric:fastpath
func (k *sock) receive(b *batch) {
	for range readMost {
		n := min(k.e.Rx.Msg.Posted(), batchMost)
		if n == 0 {
			return
		}
		got := k.recv(b, n)
		for i := range got {
			k.deliver(b.data(i), b.from(i))
		}
		if got < n {
			return
		}
	}
}

// deliver gives a datagram to the oldest receive. There is one: each takes any sender, and no more were read than are
// posted.
//
//fabric:fastpath
func (k *sock) deliver(data []byte, from key) {
	e := k.e
	p := &e.from
	p.Addr = e.sender(from)
	if p.Addr == fi.AddrNotAvail && e.Info.Caps&fi.CapSourceErr != 0 {
		p.Raw = from.raw()
	}
	p.Eager(&e.Rx.Msg, rdm.KindRecv|k.kind, 0, data)
}

// Pending is false: sends have ended when they return.
func (s *source) Pending() bool { return false }

// Arm has sockets ring that have a receive posted, and looks once more.
func (s *source) Arm() bool {
	s.armed.Store(true)
	if s.soft {
		return s.softBusy()
	}
	for _, k := range s.socks {
		if k.e.Rx.Msg.Posted() > 0 {
			s.watch(k)
		}
	}
	if !s.bells.look() {
		return false
	}
	s.heard.Add(1) // the look may have taken what rang
	return true
}

// watch has a socket ring once.
func (s *source) watch(k *sock) {
	if now := s.heard.Load() &^ (1 << 31); k.watched != now {
		k.watched = now
		s.bells.watch(k)
	}
}

func (s *source) softBusy() bool {
	for _, k := range s.socks {
		if k.e.Rx.Msg.Posted() > 0 && k.pump.has() {
			return true
		}
	}
	return false
}

// Disarm ends that; a socket may ring once more.
func (s *source) Disarm() { s.armed.Store(false) }

// Wake makes Wait return.
func (s *source) Wake() { s.bells.ring() }

// Wait blocks until a socket or Wake rings.
func (s *source) Wait() bool {
	ok := s.bells.park()
	s.heard.Add(1)
	return ok
}
