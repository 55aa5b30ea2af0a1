package ubertest

import (
	"errors"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fi"
)

// run does the test: all sizes, each between two barriers.
func (s *side) run() error {
	var wrong error // what was verified and is not right does not end a test
	err := s.eachSize(func(size int) error {
		s.size = size
		if err := s.begin(); err != nil {
			return err
		}
		n := s.transfers(size)
		stop := s.limit()
		defer stop()
		start := time.Now()
		if s.t.Class&fi.CapAtomic != 0 {
			var err error
			if s.count, err = s.elements(size); err != nil || s.count == 0 {
				if err == nil && s.t.Type != unitTest {
					err = s.barrier()
				}
				return err
			}
		}
		switch s.t.Type {
		case unitTest:
			err := s.unit(n)
			if errors.Is(err, errVerify) && wrong == nil {
				wrong = err
			}
			if errors.Is(err, errVerify) {
				return nil
			}
			return err
		case latencyTest:
			if err := s.latency(n); err != nil {
				return err
			}
			return s.report("lat", size, n, 2, start)
		}
		got, err := s.bandwidth(n)
		if err != nil {
			return err
		}
		return s.report("bw", size, got, 1, start)
	})
	if err != nil {
		return err
	}
	if err := s.begin(); err != nil { // nobody closes anything while the other still works
		return err
	}
	s.settled = true // what is said now is how the test ended
	s.c.Watch(nil)
	return wrong
}

// begin waits until both sides are done with what was before, and makes the buffers ready.
func (s *side) begin() error {
	if err := s.wait(&s.tx, 0); err != nil {
		return err
	}
	if s.dgrams == nil {
		clear(s.mem.rx[:s.size])
	}
	s.dgrams.reset()
	if err := s.barrier(); err != nil {
		return err
	}
	clear(s.mem.tx[:s.size]) // of what has no completion, only the peer knows that it has come
	return s.postReceives()
}

// report shows what was measured, once both sides are done with it.
func (s *side) report(name string, size, n, perIter int, start time.Time) error {
	took := time.Since(start)
	if err := s.drivenBarrier(); err != nil {
		return err
	}
	s.env.Report.Row(perf.Row{Name: name, Size: size, Iterations: n, PerIter: perIter, Elapsed: took})
	return nil
}

// latency sends transfers to and fro, n each way.
func (s *side) latency(n int) error {
	if s.dgrams != nil {
		return s.dgramLatency(n)
	}
	for range n {
		if s.env.Client {
			if err := s.sendWhole(); err != nil {
				return err
			}
		}
		if err := s.receiveOne(); err != nil {
			return err
		}
		if !s.env.Client {
			if err := s.sendWhole(); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendWhole sends a transfer, waits until it is done, and tells the peer where it would not notice.
func (s *side) sendWhole() error {
	if err := s.send(); err != nil {
		return err
	}
	if err := s.wait(&s.tx, 0); err != nil {
		return err
	}
	if !s.t.seesRx() {
		return s.empty()
	}
	return nil
}

// receiveOne waits for what sendWhole sends.
func (s *side) receiveOne() error {
	if !s.t.seesRx() {
		return s.receiveEmpty()
	}
	return s.receive(1)
}

// bandwidth has the client send n transfers, which the server confirms once. It gives how many came.
func (s *side) bandwidth(n int) (int, error) {
	switch {
	case s.dgrams != nil:
		return s.dgramBandwidth(n)
	case s.env.Client:
		for range n {
			if err := s.send(); err != nil {
				return 0, err
			}
		}
		if !s.t.seesRx() {
			if err := s.empty(); err != nil {
				return 0, err
			}
		}
		return n, s.receiveEmpty()
	case s.t.seesRx():
		if err := s.receive(n); err != nil {
			return 0, err
		}
	default:
		if err := s.receiveEmpty(); err != nil {
			return 0, err
		}
	}
	return n, s.empty()
}
