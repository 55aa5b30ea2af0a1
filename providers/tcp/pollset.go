package tcp

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/internal/relstore"
)

// pollSet holds sockets, and is asked without waiting which of them have something: the inner of two epoll descriptors,
// and pumps.
type pollSet struct {
	epoll epollSet
	soft  softSet
	hard  int // events of epoll, at the last call of ask
}

// softSet is the part of a set that holds pumps.
type softSet struct {
	members atomic.Int32
	mu      sync.Mutex
	maybe   []*pump // may have something; guarded by mu
	found   []softEvent
	ring    func()      // wakes who waits for the set; nil before it is watched
	always  bool        // ring for every news, not only when armed
	armed   atomic.Bool // ring once
}

type softEvent struct {
	token  uint64
	events uint32
}

// newPollSet makes a set; kind says whether it also holds raw sockets.
func newPollSet(kind socketKind) (*pollSet, error) {
	s := new(pollSet)
	s.epoll.fd = noSocket
	if kind == rawSockets {
		if err := s.epoll.open(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *pollSet) add(fd int, interest uint32, token uint64) {
	if fd < noSocket {
		s.soft.change(s, fd, interest, token, 1)
		return
	}
	s.epoll.add(fd, interest, token)
}

func (s *pollSet) modify(fd int, interest uint32, token uint64) {
	if fd < noSocket {
		s.soft.change(s, fd, interest, token, 0)
		return
	}
	s.epoll.modify(fd, interest, token)
}

func (s *pollSet) remove(fd int) {
	if fd < noSocket {
		s.soft.change(nil, fd, 0, 0, -1)
		return
	}
	s.epoll.remove(fd)
}

// ask gives the number of sockets that have something; get tells what.
//
//fabric:fastpath
func (s *pollSet) ask() int {
	s.hard = s.epoll.ask()
	if s.soft.members.Load() == 0 {
		return s.hard
	}
	return s.hard + s.soft.ask(s)
}

func (s *pollSet) get(i int) (token uint64, events uint32) {
	if i < s.hard {
		return s.epoll.get(i)
	}
	e := s.soft.found[i-s.hard]
	return e.token, e.events
}

// peek tells whether a socket has something. It may be called without a lock.
//
//fabric:fastpath
func (s *pollSet) peek() bool {
	return s.epoll.peek() || s.soft.members.Load() != 0 && s.soft.peek(s)
}

func (s *pollSet) close() { s.epoll.close() }

// change puts a pump into a set, or takes it out: delta says how many more there are.
func (f *softSet) change(in *pollSet, fd int, interest uint32, token uint64, delta int32) {
	p := pumpOf(fd)
	if p == nil {
		return
	}
	f.members.Add(delta)
	p.mu.Lock()
	p.set, p.interest, p.token = in, interest, token
	p.mu.Unlock()
	if in != nil {
		f.notify(p)
		return
	}
	f.mu.Lock()
	if p.listed {
		p.listed = false
		f.maybe = without(f.maybe, p)
	}
	f.mu.Unlock()
}

// notify takes note that a pump may have something.
func (f *softSet) notify(p *pump) {
	f.mu.Lock()
	p.mu.Lock()
	here := p.set != nil && &p.set.soft == f
	p.mu.Unlock()
	if here && !p.listed {
		p.listed = true
		f.maybe = append(f.maybe, p)
	}
	ring := f.ring
	f.mu.Unlock()
	if ring != nil && (f.always || f.armed.Swap(false)) {
		ring()
	}
}

// ask finds the pumps that have something; they stay listed as long as they have.
func (f *softSet) ask(s *pollSet) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found = f.found[:0]
	keep := f.maybe[:0]
	for _, p := range f.maybe {
		ev := p.events(s)
		if ev == 0 {
			p.listed = false
			continue
		}
		keep = append(keep, p)
		f.found = append(f.found, softEvent{p.token, ev})
	}
	clear(f.maybe[len(keep):])
	f.maybe = keep
	return len(f.found)
}

func (f *softSet) peek(s *pollSet) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.maybe {
		if p.events(s) != 0 {
			return true
		}
	}
	return false
}

// count counts sockets.
func (s *source) count(more uint32) {
	if s.soft {
		s.pumps.Add(more)
		return
	}
	relstore.Uint32(&s.sockets, s.sockets+more)
}

// readySoft is Ready where all sockets are pumps: their goroutines need a processor, which who polls would keep.
//
//go:noinline
func (s *source) readySoft() bool {
	runtime.Gosched()
	return s.pumps.Load() != 0
}
