package ubertest

import (
	"fmt"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// Datagrams may be lost: the first byte of each is its number, and one whose answer does not come is sent again. Of a stream
// all have number 0 but the last, which is sent until it is confirmed. Only who receives a stream knows how many came.
const (
	lastNumber  = 0xFF
	answerAfter = time.Millisecond // that an answer does not come within makes us send again
	mostTries   = 1000
)

// datagrams are the receive buffers: one for each, so that what a completion says is what its buffer holds.
type datagrams struct {
	slots  []byte
	size   int
	out    byte // the number of the next that is sent
	in     byte // of the next that is received
	arrive int  // completions since the beginning of the phase
	seen   bool // the one with the number in question
}

func newDatagrams(m *memory, size int) *datagrams {
	return &datagrams{slots: grow(&m.slots, size*credits), size: size}
}

// buffer is that of a context.
func (d *datagrams) buffer(ctx any) []byte { return d.slots[ctx.(*slot).n*d.size:][:d.size] }

// reset begins a phase.
func (d *datagrams) reset() {
	if d != nil {
		d.out, d.in, d.arrive, d.seen = 0, 0, 0, false
	}
}

// sendDatagram sends the next one.
func (s *side) sendDatagram() error {
	s.mem.tx[0] = s.dgrams.out
	s.dgrams.out++
	if err := s.send(); err != nil {
		return err
	}
	return s.wait(&s.tx, 0)
}

// notice looks at what has arrived, and posts receives in its place. The number is that of the one which is waited for.
func (s *side) notice(number byte) error {
	s.rx.each = func(e *cq.Entry) error {
		s.dgrams.arrive++
		s.posted--
		if s.dgrams.buffer(e.Context)[0] == number {
			s.dgrams.seen = true
		}
		return nil
	}
	defer func() { s.rx.each = nil }()
	before := s.dgrams.arrive
	if err := s.rx.look(); err != nil {
		return err
	}
	s.rx.entries, s.rx.events = s.rx.taken, s.rx.counted
	if s.dgrams.arrive > before {
		return s.postReceives()
	}
	return nil
}

// await waits for the datagram with a number, for a while; false when it did not come.
func (s *side) await(number byte, while time.Duration) (bool, error) {
	var late time.Time
	for n := 1; ; n++ {
		if err := s.notice(number); err != nil {
			return false, err
		}
		if s.dgrams.seen {
			s.dgrams.seen = false
			return true, nil
		}
		if n%64 != 0 {
			continue
		}
		if err := s.ended(); err != nil {
			return false, err
		}
		switch now := time.Now(); {
		case late.IsZero():
			late = now.Add(while)
		case now.After(late):
			return false, nil
		}
	}
}

// exchange sends the next datagram, again and again, until the answer with the next number comes.
func (s *side) exchange() error {
	for range mostTries {
		if err := s.sendDatagram(); err != nil {
			return err
		}
		if ok, err := s.await(s.dgrams.in, answerAfter); ok || err != nil {
			s.dgrams.in++
			return err
		}
		s.dgrams.out--
		if s.t.Class&fi.CapTagged != 0 {
			s.tx.tag--
		}
	}
	return fail.Call("ft_sendrecv_dgram", fmt.Errorf("%d datagrams without an answer: %w", mostTries, fi.ErrTimedOut))
}

// dgramLatency is the ping-pong.
func (s *side) dgramLatency(n int) error {
	if s.env.Client {
		for range n {
			if err := s.exchange(); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.first(s.dgrams.in); err != nil {
		return err
	}
	s.dgrams.in++
	for range n - 1 {
		if err := s.exchange(); err != nil {
			return err
		}
	}
	return s.sendDatagram()
}

// first waits for a datagram as long as the phase lasts.
func (s *side) first(number byte) error {
	for {
		if ok, err := s.await(number, time.Second); ok || err != nil {
			return err
		}
	}
}

// dgramBandwidth is the stream. The client does not know how many came: it reports those that it sent.
func (s *side) dgramBandwidth(n int) (int, error) {
	if s.env.Client {
		s.mem.tx[0] = 0
		for range n - 1 {
			if err := s.send(); err != nil {
				return 0, err
			}
		}
		s.dgrams.out = lastNumber
		return n, s.exchange()
	}
	if err := s.first(lastNumber); err != nil {
		return 0, err
	}
	return s.dgrams.arrive, s.sendDatagram()
}
