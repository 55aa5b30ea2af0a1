package main

import (
	"io"
	"sync"
)

// sender writes frames in a goroutine of its own, so that a slow reader holds up nobody who has something to say. What
// must not grow without bound waits for room.
type sender struct {
	w    io.Writer
	done chan struct{} // closed when the writing has ended

	mu     sync.Mutex
	more   sync.Cond
	queue  []byte
	closed bool
	err    error
}

// maxQueue is how much may wait before output does.
const maxQueue = 1 << 20

func newSender(w io.Writer) *sender {
	s := &sender{w: w, done: make(chan struct{})}
	s.more.L = &s.mu
	go s.run()
	return s
}

func (s *sender) run() {
	defer close(s.done)
	var out []byte
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && !s.closed {
			s.more.Wait()
		}
		if len(s.queue) == 0 || s.err != nil {
			s.mu.Unlock()
			return
		}
		out, s.queue = s.queue, out[:0]
		s.more.Broadcast()
		s.mu.Unlock()
		if _, err := s.w.Write(out); err != nil {
			s.mu.Lock()
			s.err, s.queue = err, nil
			s.closed = true
			s.more.Broadcast()
			s.mu.Unlock()
			return
		}
	}
}

// send queues a frame.
func (s *sender) send(frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.queue = append(s.queue, frame...)
		s.more.Broadcast()
	}
}

// sendSlow queues a frame when there is room.
func (s *sender) sendSlow(frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > maxQueue && !s.closed {
		s.more.Wait()
	}
	if s.closed {
		return io.ErrClosedPipe
	}
	s.queue = append(s.queue, frame...)
	s.more.Broadcast()
	return nil
}

// close ends the writing, after what is queued. It does not wait.
func (s *sender) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.more.Broadcast()
}
