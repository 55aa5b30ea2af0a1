package shm

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// source is what the domain's engine drives: all rings, and by its own goroutine (Wait) the sockets. That goroutine never
// touches what the domain's lock guards; what it learns goes through an inbox to the next Poll.
type source struct {
	d    *domain
	poll *shmem.Epoll
	wake *shmem.EventFD

	mu      sync.Mutex
	links   map[uint64]*link // by token; guarded by mu
	tokens  uint64
	inbox   []event       // guarded by mu
	waiters chan struct{} // closed at the next change; guarded by mu
	closed  bool          // guarded by mu

	watch atomic.Pointer[watched]
	news  atomic.Int32 // length of the inbox
	work  workCount
	rotor uint32

	msg       shmem.Message                 // what comes through sockets; of the goroutine
	newcomers []*link                       // of the goroutine
	late      atomic.Bool                   // some of them have had their time
	eng       atomic.Pointer[driver.Engine] // nil while it is made: its goroutine runs before it is known
	peeked    bool                          // the last Wait did not look at the sockets; of the goroutine

	graves graveyard
}

// hotRings are looked at by every poll; of the others a slice of coldSlice in turn.
const (
	hotRings  = 16
	coldSlice = 32
)

// watched are the pairs that polls look at. It is replaced, never changed: Ready has no lock. The rings stand beside the
// pairs for a short way to the next line; pairs that are paused come last and have none.
type watched struct {
	rings []*ring.Rx
	pairs []*pair
}

// event is news for Poll.
type event struct {
	kind  eventKind
	p     *pair
	e     *endpoint
	h     *hello
	m     *shmem.Mapping
	t     *peerTable
	block uint64
	err   error
}

type eventKind uint8

const (
	evAccepted  eventKind = iota // a peer has connected: p, e
	evConnected                  // our connection was answered: p, h and t, or err
	evHangup                     // the peer is gone: p
	evMapped                     // p's block is mapped: m, or nil
	evRetry                      // connect p again
	evRetire                     // our block is gone
	evTimeout                    // p had its time to connect
	evLate                       // datagrams to p have waited long
	evCrossed                    // the peer calls us at the same time: p
	evSweep                      // a round of the graveyard
	evBroken                     // p's peer does not follow the protocol: err
)

func newSource(d *domain) (*source, error) {
	s := &source{d: d, links: make(map[uint64]*link)}
	var err error
	if s.poll, err = shmem.NewEpoll(); err != nil {
		return nil, err
	}
	if s.wake, err = shmem.NewEventFD(); err != nil {
		s.poll.Close()
		return nil, err
	}
	if err = s.poll.Add(s.wake.FD(), shmem.In, 0); err != nil {
		s.poll.Close()
		s.wake.Close()
		return nil, err
	}
	return s, nil
}

// post hands news to the next Poll and makes sure that there is one.
func (s *source) post(ev event) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		ev.drop()
		return
	}
	s.inbox = append(s.inbox, ev)
	s.news.Store(int32(len(s.inbox)))
	s.wake.Ring()
	s.mu.Unlock()
}

// knock wakes the source's goroutine, from one that may outlive the source.
func (s *source) knock() {
	s.mu.Lock()
	if !s.closed {
		s.wake.Ring()
	}
	s.mu.Unlock()
}

// announce tells those who wait for a change that there is one.
func (s *source) announce() {
	s.mu.Lock()
	if s.waiters != nil {
		close(s.waiters)
		s.waiters = nil
	}
	s.mu.Unlock()
}

// changed gives a channel that is closed at the next change of a connection or a mapping.
func (s *source) changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiters == nil {
		s.waiters = make(chan struct{})
	}
	return s.waiters
}

func (s *source) take() []event {
	s.mu.Lock()
	defer s.mu.Unlock()
	evs := s.inbox
	s.inbox = nil
	s.news.Store(0)
	return evs
}

// Ready looks whether Poll would find work.
//
//fabric:fastpath
func (s *source) Ready() bool {
	if s.news.Load() != 0 || s.work.some() {
		return true
	}
	rings := s.watch.Load().rings
	if len(rings) > hotRings {
		return s.readyMany(rings)
	}
	for _, r := range rings {
		if r.Ready() {
			return true
		}
	}
	return false
}

//go:noinline
func (s *source) readyMany(rings []*ring.Rx) bool {
	for _, r := range rings[:hotRings] {
		if r.Ready() {
			return true
		}
	}
	cold := rings[hotRings:]
	at := int(atomic.AddUint32(&s.rotor, coldSlice)) % len(cold)
	for range min(coldSlice, len(cold)) {
		if cold[at].Ready() {
			return true
		}
		if at++; at == len(cold) {
			at = 0
		}
	}
	return false
}

// Poll takes what has come.
//
//fabric:fastpath
func (s *source) Poll() {
	if s.news.Load() != 0 {
		s.hear()
	}
	w := s.watch.Load()
	if len(w.rings) == 1 { // drain looks itself
		w.pairs[0].drain()
	} else {
		for i, r := range w.rings {
			if r.Ready() && w.pairs[i].drain() && i >= hotRings {
				s.d.heat(w.pairs[i])
			}
		}
	}
	if s.work.some() {
		s.advance(w.pairs)
	}
}

// advance moves on what needs no news: outboxes, copies, blocks.
//
//go:noinline
func (s *source) advance(ps []*pair) {
	for _, p := range ps {
		p.advance()
	}
}

// Pending tells whether a later Poll is needed that no peer will announce.
func (s *source) Pending() bool { return s.work.some() }

// Arm asks peers to ring and looks once more at everything.
func (s *source) Arm() bool {
	t := s.d.table
	t.sleep()
	if s.d.plain && !shmem.GlobalBarrier() {
		t.awake()
		return true // no barrier: no sleep
	}
	if s.news.Load() != 0 || s.work.moving() {
		t.awake()
		return true
	}
	for _, r := range s.watch.Load().rings {
		if r.Ready() {
			t.awake()
			return true
		}
	}
	return false
}

// Disarm ends that.
func (s *source) Disarm() { s.d.table.awake() }

// Wake makes Wait return.
func (s *source) Wake() { s.wake.Ring() }

// Wait serves the sockets until a bell rings; false when the source is closed.
func (s *source) Wait() bool {
	for {
		s.d.notes.Flush()
		if err := s.poll.Park(); err != nil {
			return false
		}
		if eng := s.eng.Load(); !s.peeked && eng != nil && eng.Awaited() && s.Ready() { // a blocked reader first, the sockets afterwards
			s.peeked = true
			return true
		}
		s.peeked = false
		var evs [32]shmem.Event
		rung := false
		n := s.poll.Wait(evs[:])
		for _, ev := range evs[:n] {
			if ev.Token() == 0 {
				s.wake.Drain()
				rung = true
				continue
			}
			s.mu.Lock()
			l := s.links[ev.Token()]
			s.mu.Unlock()
			if l != nil && l.serve() {
				rung = true
			}
		}
		if n < len(evs) && s.late.Load() {
			s.sendAway()
		}
		if rung {
			return true
		}
	}
}

// close ends the sockets; the engine's goroutine has ended.
func (s *source) close() {
	s.mu.Lock()
	s.closed = true
	links, inbox := slices.Collect(maps.Values(s.links)), s.inbox
	s.inbox = nil
	s.mu.Unlock()
	for _, ev := range inbox {
		ev.drop()
	}
	for _, l := range links {
		s.remove(l)
	}
	s.poll.Close()
	s.wake.Close()
	s.graves.empty()
}
