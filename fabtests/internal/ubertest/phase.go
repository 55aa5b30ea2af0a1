package ubertest

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// lost is what went wrong with the control connection: the run cannot go on.
type lost struct{ err error }

// Error gives that of err.
func (l *lost) Error() string { return l.err.Error() }

// Unwrap gives err.
func (l *lost) Unwrap() error { return l.err }

// peerFailed is what the other side says of itself.
type peerFailed struct{ status int }

// Error names its error.
func (p *peerFailed) Error() string {
	return fmt.Sprintf("the other side has failed: %s", fi.Errno(p.status).Strerror())
}

// Unwrap gives the error number.
func (p *peerFailed) Unwrap() error { return fi.Errno(p.status) }

// say sends a message over the control connection.
func (s *side) say(b []byte) error { return asLost(s.c.Send(b)) }

// hear receives one.
func (s *side) hear(n int) ([]byte, error) {
	b, err := s.c.Recv(n, nil)
	return b, asLost(err)
}

func asLost(err error) error {
	if err == nil {
		return nil
	}
	return &lost{err}
}

// swap sends a message and receives one of the same length.
func (s *side) swap(out []byte) (in []byte, err error) { return s.swapWhile(out, nil) }

// swapWhile is swap that calls idle while it waits, unless that is nil.
func (s *side) swapWhile(out []byte, idle func() error) (in []byte, err error) {
	if s.env.Client {
		if err := s.say(out); err != nil {
			return nil, err
		}
	}
	if in, err = s.c.Recv(len(out), idle); err != nil {
		return nil, asLost(err)
	}
	if !s.env.Client {
		err = s.say(out)
	}
	return in, err
}

// barrier waits until the other side is here, too. An error says that one side has failed, and that both know.
func (s *side) barrier() error { return s.barrierWhile(nil) }

// drivenBarrier is barrier after transfers: what the other side still does may need somebody who looks at the queues.
func (s *side) drivenBarrier() error {
	if s.t.Progress != fi.ProgressManual {
		return s.barrier()
	}
	var broken error // of a queue: the barrier comes to its end all the same
	err := s.barrierWhile(func() error {
		if broken == nil {
			if broken = s.rx.look(); broken == nil {
				broken = s.tx.look()
			}
		}
		return nil
	})
	if err == nil {
		err = broken
	}
	return err
}

func (s *side) barrierWhile(idle func() error) error {
	s.c.Watch(nil)
	in, err := s.swapWhile(encodeStatus(0), idle)
	if err != nil {
		return err
	}
	if n := decodeStatus(in); n != 0 {
		s.settled = true
		return &peerFailed{n}
	}
	s.watch()
	return s.ended()
}

// watch ends the test when the other side says, while data is on its way, that it has failed.
func (s *side) watch() {
	s.c.Watch(func(ahead []byte) {
		if len(ahead) >= statusSize && decodeStatus(ahead) != 0 {
			s.end(&peerFailed{decodeStatus(ahead)})
		}
	})
}

// giveUp tells the other side of an error, unless both know, and hears what it has to say. The connection is then where it
// is when a test has gone well.
func (s *side) giveUp(err error) error {
	s.c.Watch(nil)
	if _, gone := errors.AsType[*lost](err); gone || s.settled {
		return err
	}
	if said := s.say(encodeStatus(statusOf(err))); said != nil {
		return said
	}
	if _, heard := s.c.Recv(statusSize, nil); heard != nil {
		return asLost(heard)
	}
	return err
}

// statusOf is the number of an error.
func statusOf(err error) int {
	if err == nil {
		return 0
	}
	if _, skip := errors.AsType[*skipped](err); skip {
		return statusSkip
	}
	return int(fail.Errno(err))
}
