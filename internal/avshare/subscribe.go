package avshare

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/internal/shmem"
)

// Subscription is the vector of another process.
type Subscription struct {
	conn    *shmem.Conn
	poll    *shmem.Epoll
	stop    *shmem.EventFD
	done    chan struct{}
	mapping *shmem.Mapping
	table   table
	changed func()
}

// Subscribe gets the vector of a name. changed is called on a goroutine of its own after something has changed, perhaps
// once for several changes.
//
// Errors: ECONNREFUSED or ENOENT when nobody publishes that name, ctx.Err(), and what is wrong with what came.
func Subscribe(ctx context.Context, name string, changed func()) (*Subscription, error) {
	s := &Subscription{done: make(chan struct{}), changed: changed}
	if err := s.open(ctx, name); err != nil {
		s.release()
		return nil, err
	}
	go s.watch()
	return s, nil
}

func (s *Subscription) open(ctx context.Context, name string) (err error) {
	for {
		s.conn, err = shmem.Connect(place(name))
		if err != shmem.ErrAgain { //nolint:errorlint // documented: a bare value
			break
		}
		select { // too many have come at once
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	if err != nil {
		return err
	}
	if cred, err := s.conn.Cred(); err != nil || cred.UID != os.Geteuid() {
		return errors.Join(fmt.Errorf("avshare: %q belongs to another user", name), err)
	}
	if s.poll, err = shmem.NewEpoll(); err != nil {
		return err
	}
	if s.stop, err = shmem.NewEventFD(); err != nil {
		return err
	}
	if err = s.poll.Add(s.conn.FD(), shmem.In, 0); err != nil {
		return err
	}
	if err = s.receive(ctx); err != nil {
		return err
	}
	return s.poll.Add(s.stop.FD(), shmem.In, 1)
}

// receive waits for the vector and maps it.
func (s *Subscription) receive(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { s.poll.SetDeadline(time.Unix(1, 0)) })() //nolint:errcheck // it cannot fail here
	var m shmem.Message
	defer m.Close()
	for {
		err := s.conn.Recv(&m)
		if err == nil {
			break
		}
		if err != shmem.ErrAgain { //nolint:errorlint // documented: a bare value
			return fmt.Errorf("avshare: the publisher has ended: %w", err)
		}
		if err := s.poll.Park(); err != nil {
			return errors.Join(ctx.Err(), err)
		}
	}
	hello := m.Bytes()
	if len(hello) != 8 || binary.NativeEndian.Uint32(hello) != magic {
		return errors.New("avshare: what publishes there is no vector of ours")
	}
	slots := int(binary.NativeEndian.Uint32(hello[4:]))
	if slots > MaxSlots {
		return fmt.Errorf("avshare: a vector of %d addresses: at most %d", slots, MaxSlots)
	}
	fds, err := m.Take(1)
	if err != nil {
		return err
	}
	defer shmem.CloseFD(fds[0])
	if s.mapping, err = shmem.MapPeer(fds[0], tableSize(slots), shmem.ReadOnly, 0); err != nil {
		return err
	}
	if s.table = (table{s.mapping.Bytes()}); atomic.LoadUint32(word(s.table.mem, 0)) != magic {
		return errors.New("avshare: what came is no vector of ours")
	}
	return nil
}

// Len is one more than the highest index that was ever in use.
func (s *Subscription) Len() int { return s.table.used() }

// At gives the address at an index; the caller may keep it.
func (s *Subscription) At(i int) (raw []byte, ok bool) { return s.table.at(i) }

// watch calls changed until Close, or until the publisher ends.
func (s *Subscription) watch() {
	defer close(s.done)
	var events [2]shmem.Event
	for s.poll.Park() == nil {
		for _, e := range events[:s.poll.Wait(events[:])] {
			if e.Token() == 1 {
				return
			}
			gone := s.conn.Drain() != nil
			s.changed() // also when it is gone: the last bell may have been lost in that
			if gone {
				s.poll.Del(s.conn.FD()) //nolint:errcheck // nothing comes any more
			}
		}
	}
}

// Close ends the subscription. changed is not called afterwards.
func (s *Subscription) Close() error {
	s.stop.Ring()
	<-s.done
	return s.release()
}

// release gives everything back that was opened.
func (s *Subscription) release() error {
	if s.conn != nil {
		s.conn.Close()
	}
	if s.poll != nil {
		s.poll.Close()
	}
	if s.stop != nil {
		s.stop.Close()
	}
	if s.mapping != nil {
		return s.mapping.Unmap()
	}
	return nil
}
