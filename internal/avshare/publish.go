package avshare

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/internal/shmem"
)

// Publisher is the process that inserts.
type Publisher struct {
	file *shmem.File
	lis  *shmem.Listener
	poll *shmem.Epoll
	stop *shmem.EventFD
	done chan struct{}

	mu    sync.Mutex
	table table                  // guarded by mu
	subs  map[uint64]*shmem.Conn // by token; guarded by mu
	next  uint64
}

// Tokens of what the goroutine watches; subscribers have the ones behind.
const (
	tokenListener = iota
	tokenStop
	tokenFirst
)

// place is where the vector of a name is to be had.
func place(name string) shmem.Addr {
	return shmem.Abstract(fmt.Sprintf("gofabric/av/%d/%s", os.Geteuid(), name))
}

// Publish makes a vector with room for a number of addresses, at most [MaxSlots].
//
// Errors: EADDRINUSE when a process publishes that name, and the system's.
func Publish(name string, slots int) (*Publisher, error) {
	p := &Publisher{done: make(chan struct{}), subs: map[uint64]*shmem.Conn{}, next: tokenFirst}
	if err := p.open(name, slots); err != nil {
		p.release()
		return nil, err
	}
	go p.serve()
	return p, nil
}

func (p *Publisher) open(name string, slots int) (err error) {
	if p.lis, err = shmem.Listen(place(name)); err != nil {
		return err
	}
	if p.file, err = shmem.Create("address vector", tableSize(slots), shmem.OwnerWrites); err != nil {
		return err
	}
	p.table = table{p.file.Bytes()}
	atomic.StoreUint32(word(p.table.mem, 0), magic)
	if p.poll, err = shmem.NewEpoll(); err != nil {
		return err
	}
	if p.stop, err = shmem.NewEventFD(); err != nil {
		return err
	}
	if err = p.poll.Add(p.stop.FD(), shmem.In, tokenStop); err != nil {
		return err
	}
	return p.poll.Add(p.lis.FD(), shmem.In, tokenListener)
}

// Set publishes an address at an index, or with nil that there is none. It panics for an index outside the vector and for
// an address of more than [MaxAddr] bytes.
func (p *Publisher) Set(i int, raw []byte) {
	if len(raw) > MaxAddr {
		panic("avshare: address too long")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.table.set(i, raw)
	for _, c := range p.subs {
		c.Ring() //nolint:errcheck // who is gone needs no bell, and who has not heard the last one hears of this by it
	}
}

// Close ends the vector for those who come now. Subscribers keep what they have.
func (p *Publisher) Close() error {
	p.stop.Ring()
	<-p.done
	return p.release()
}

// release gives everything back that was opened.
func (p *Publisher) release() error {
	if p.lis != nil {
		p.lis.Close()
	}
	for _, c := range p.subs {
		c.Close()
	}
	if p.poll != nil {
		p.poll.Close()
	}
	if p.stop != nil {
		p.stop.Close()
	}
	if p.file != nil {
		return p.file.Close()
	}
	return nil
}

// serve gives the vector to those who come, until Close.
func (p *Publisher) serve() {
	defer close(p.done)
	var events [16]shmem.Event
	for p.poll.Park() == nil {
		for _, e := range events[:p.poll.Wait(events[:])] {
			switch token := e.Token(); token {
			case tokenStop:
				return
			case tokenListener:
				p.accept()
			default: // a subscriber has nothing to say: it has gone
				p.drop(token)
			}
		}
	}
}

func (p *Publisher) accept() {
	c, err := p.lis.Accept()
	switch {
	case err == shmem.ErrAgain: //nolint:errorlint // documented: a bare value
		return
	case err != nil: // no descriptors: the listener is ready for ever
		time.Sleep(50 * time.Millisecond)
		return
	}
	if cred, err := c.Cred(); err != nil || cred.UID != os.Geteuid() {
		c.Close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	token := p.next
	p.next++
	if p.poll.Add(c.FD(), shmem.In, token) != nil {
		c.Close()
		return
	}
	p.subs[token] = c // before it can read the table: later changes ring
	hello := binary.NativeEndian.AppendUint32(nil, magic)
	hello = binary.NativeEndian.AppendUint32(hello, uint32(p.table.slots()))
	if c.Send(hello, p.file.FD()) != nil {
		p.forget(token)
	}
}

func (p *Publisher) drop(token uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(token)
}

// forget ends a subscription. With the mutex.
func (p *Publisher) forget(token uint64) {
	if c := p.subs[token]; c != nil {
		p.poll.Del(c.FD()) //nolint:errcheck // it is closed next
		c.Close()
		delete(p.subs, token)
	}
}
