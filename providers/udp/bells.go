package udp

import (
	"github.com/gofabric/gofabric/internal/shmem"
)

// bells are what the engine's goroutine parks on: an epoll descriptor with the sockets and a bell of our own, or, on the
// portable path, a channel.
type bells struct {
	epoll *shmem.Epoll // nil: the portable path
	wake  *shmem.EventFD

	ringing chan struct{} // the portable path's
	closed  chan struct{}
}

// oneShot has a descriptor ring once: Linux's EPOLLONESHOT.
const oneShot shmem.Events = 1 << 30

func newBells(soft bool) (*bells, error) {
	b := &bells{}
	if soft {
		b.ringing, b.closed = make(chan struct{}, 1), make(chan struct{})
		return b, nil
	}
	var err error
	if b.epoll, err = shmem.NewEpoll(); err != nil {
		return nil, err
	}
	if b.wake, err = shmem.NewEventFD(); err == nil {
		err = b.epoll.Add(b.wake.FD(), shmem.In, 0)
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// add takes a socket, which does not ring yet.
func (b *bells) add(k *sock) error {
	if b.epoll == nil {
		return nil
	}
	return b.epoll.Add(k.fd, 0, 0)
}

func (b *bells) remove(k *sock) {
	if b.epoll != nil {
		_ = b.epoll.Del(k.fd)
	}
}

// watch has a socket ring once when it has something, at once if it has.
func (b *bells) watch(k *sock) {
	if b.epoll != nil {
		_ = b.epoll.Modify(k.fd, shmem.In|oneShot, 0)
		return
	}
	if k.pump.has() {
		b.ring()
	}
}

// look tells whether something rings; it may take that.
func (b *bells) look() bool {
	var one [1]shmem.Event
	return b.epoll.Wait(one[:]) > 0
}

// ring makes park return.
func (b *bells) ring() {
	if b.epoll != nil {
		b.wake.Ring()
		return
	}
	select {
	case b.ringing <- struct{}{}:
	default:
	}
}

// park blocks until something rings; false when the bells are closed.
func (b *bells) park() bool {
	if b.epoll == nil {
		select {
		case <-b.ringing:
			return true
		case <-b.closed:
			return false
		}
	}
	if b.epoll.Park() != nil {
		return false
	}
	b.wake.Drain()
	return true
}

func (b *bells) close() {
	if b.epoll == nil {
		close(b.closed)
		return
	}
	b.epoll.Close()
	if b.wake != nil {
		b.wake.Close()
	}
}
