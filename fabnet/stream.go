package fabnet

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// Stream is a connection, a [net.Conn] with CloseWrite and CloseRead. It is safe for concurrent use: Reads and Writes of
// several goroutines are served one after the other.
type Stream struct {
	st            *station
	ep            *fabric.Endpoint
	info          *fi.Info
	listener      *listener     // that it waits at to be accepted; nil for one that was dialed
	settled       chan struct{} // closed when it is there, or not to be
	inject        int           // bytes that may be sent without a copy of ours
	local, remote fabricAddr    // set before settled

	mu          sync.Mutex // guards all below; before the domain's lock
	read, write sync.Cond  // for those that are not first
	reader      waiter     // of the first Read
	writer      waiter     // of the first Write
	reading     bool       // there is a first Read, which waits
	readBy      deadline
	writeBy     deadline
	state       state
	err         error // why there is no connection, or it has ended; nil: it was ended in order
	readClosed  bool
	writeClosed bool
	gone        bool // the peer has ended the connection
	fin         bool // the peer has said that nothing follows
	retry       *time.Timer
	inflow      // what comes
	outflow     // what goes
}

type state uint8

const (
	asking state = iota
	up
	closed
)

func newStream(st *station, ep *fabric.Endpoint, info *fi.Info) *Stream {
	s := &Stream{st: st, ep: ep, info: info, settled: make(chan struct{}), inject: int(min(ep.InjectSizes().Msg, frameBytes))}
	s.read.L, s.write.L = &s.mu, &s.mu
	s.reader, s.writer = newWaiter(), newWaiter()
	name, _ := ep.Name()
	s.local, s.remote = addrOf(info, name), addrOf(info, info.DestAddr)
	s.mu.Lock()
	defer s.mu.Unlock()
	memory := make([]byte, slots*frameBytes)
	s.slots = make([]slot, slots)
	for i := range s.slots {
		s.slots[i] = slot{s: s, buf: memory[i*frameBytes : (i+1)*frameBytes : (i+1)*frameBytes]}
		s.post(&s.slots[i])
	}
	return s
}

// agree takes what the peer has said of itself.
func (s *Stream) agree(h hello) {
	s.mu.Lock()
	s.most = min(h.window, mostCredits)
	s.credits, s.frame = s.most, min(h.frame, frameBytes)
	s.mu.Unlock()
}

// connected says that the connection is there.
func (s *Stream) connected(data []byte) {
	if s.listener == nil {
		h, err := parseHello(data)
		if err != nil {
			s.fail(err)
			return
		}
		s.agree(h)
	}
	s.mu.Lock()
	first := s.state == asking
	if first {
		s.state = up
		if name, err := s.ep.Name(); err == nil {
			s.local = addrOf(s.info, name)
		}
		close(s.settled)
	}
	s.mu.Unlock()
	if first && s.listener != nil {
		s.listener.connected(s, true)
	}
}

// fail says that there will be no connection.
func (s *Stream) fail(err error) {
	s.mu.Lock()
	first := s.state == asking && s.err == nil
	if first {
		s.err = err
		close(s.settled)
	}
	s.mu.Unlock()
	if first && s.listener != nil {
		s.listener.connected(s, false)
	}
}

// failure is why there is no connection.
func (s *Stream) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == up {
		return nil
	}
	return s.err
}

// hungUp says that the connection has ended. What has come can be read.
func (s *Stream) hungUp() {
	s.mu.Lock()
	s.gone = true
	s.wakeWrites()
	s.mu.Unlock()
}

// Read reads what has come, and waits while there is nothing. io.EOF when the peer has closed its side.
//
// Errors: *net.OpError around net.ErrClosed, os.ErrDeadlineExceeded, or fi.ErrConnReset when the peer has gone without a
// word.
func (s *Stream) Read(b []byte) (int, error) {
	s.mu.Lock()
	n, err := s.readLocked(b)
	s.mu.Unlock()
	if err != nil && err != io.EOF { //nolint:errorlint // our own
		err = opError("read", s.local.network, s.local, s.remote, err)
	}
	return n, err
}

func (s *Stream) readLocked(b []byte) (int, error) {
	for {
		switch {
		case s.state == closed:
			return 0, net.ErrClosed
		case s.readBy.passed:
			return 0, os.ErrDeadlineExceeded
		case len(b) == 0:
			return 0, nil
		case s.readClosed:
			return 0, io.EOF
		case s.unread.Len() > 0:
			return s.take(b), nil
		case s.fin:
			return 0, io.EOF
		case s.ended():
			return 0, s.why(fi.ErrConnReset)
		}
		if s.reading {
			s.read.Wait()
			continue
		}
		s.reading = true
		s.wait(&s.reader)
		s.reading = false
		s.read.Broadcast() // another one may be first now
	}
}

// wait waits for something to happen. With the lock, which it gives back meanwhile.
func (s *Stream) wait(w *waiter) {
	w.reset()
	s.mu.Unlock()
	s.st.wait(w)
	s.mu.Lock()
}

// wakeReads and wakeWrites have those who wait look again. With the lock.
func (s *Stream) wakeReads() {
	s.reader.wake()
	s.read.Broadcast()
}

func (s *Stream) wakeWrites() {
	s.writer.wake()
	s.write.Broadcast()
}

// Write sends b. It returns when all of it is on its way: it waits while the peer has no memory for more.
//
// Errors: *net.OpError around net.ErrClosed, os.ErrDeadlineExceeded, or EPIPE when the peer has gone, or CloseWrite was
// called.
func (s *Stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	n, err := s.writeLocked(b)
	s.mu.Unlock()
	if err != nil {
		err = opError("write", s.local.network, s.local, s.remote, err)
	}
	return n, err
}

// unwritable is why nothing can be written; nil when it can.
func (s *Stream) unwritable() error {
	switch {
	case s.state == closed:
		return net.ErrClosed
	case s.writeBy.passed:
		return os.ErrDeadlineExceeded
	case s.writeClosed:
		return epipe
	case s.gone || s.ended():
		return s.why(epipe)
	}
	return nil
}

// epipe is EPIPE on every system.
const epipe fi.Errno = 32

// why is the reason of an end that was not in order, or another.
func (s *Stream) why(other error) error {
	if s.err != nil {
		return s.err
	}
	return other
}

func (s *Stream) writeLocked(b []byte) (n int, err error) {
	for s.writing { // Writes do not mix
		if err := s.unwritable(); err != nil {
			return 0, err
		}
		s.write.Wait()
	}
	s.writing = true
	defer func() {
		s.writing = false
		s.write.Broadcast()
	}()
	for {
		if err := s.unwritable(); err != nil || n == len(b) {
			return n, err
		}
		if s.credits == 0 {
			s.wait(&s.writer)
			continue
		}
		k := min(len(b)-n, s.frame)
		switch err := s.send(b[n : n+k]); {
		case err == nil:
			if n += k; n == len(b) {
				return n, nil
			}
		case errors.Is(err, fi.ErrAgain):
			s.breathe()
		case errors.Is(err, fi.ErrShutdown):
			s.gone = true
		default:
			return n, err
		}
	}
}

// CloseWrite says that nothing follows; the peer's Read returns io.EOF when it has read what was sent.
func (s *Stream) CloseWrite() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == closed {
		return opError("close", s.local.network, s.local, s.remote, net.ErrClosed)
	}
	if s.writeClosed {
		return nil
	}
	s.writeClosed = true
	s.wakeWrites()
	if err := s.sendFin(); err != nil {
		return opError("close", s.local.network, s.local, s.remote, err)
	}
	return nil
}

// CloseRead throws away what comes from now on; Read returns io.EOF.
func (s *Stream) CloseRead() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == closed {
		return opError("close", s.local.network, s.local, s.remote, net.ErrClosed)
	}
	s.readClosed = true
	s.drop()
	s.wakeReads()
	return nil
}

// linger is how long Close waits for what was written to leave, which only a peer that is stopped can delay.
const linger = 2 * time.Second

// Close ends the connection when what was written has left. Calls that wait return net.ErrClosed.
func (s *Stream) Close() error {
	s.mu.Lock()
	if s.state == closed {
		s.mu.Unlock()
		return opError("close", s.local.network, s.local, s.remote, net.ErrClosed)
	}
	was := s.state
	s.state = closed
	s.wakeReads()
	s.wakeWrites()
	if was == up {
		late := false
		timer := time.AfterFunc(linger, func() {
			s.mu.Lock()
			late = true
			s.wakeWrites()
			s.mu.Unlock()
		})
		if !s.writeClosed && !s.gone {
			_ = s.sendFin()
		}
		for s.writing && !late {
			s.write.Wait()
		}
		for s.sending > 0 && !s.ended() && !late {
			s.wait(&s.writer)
		}
		timer.Stop()
	}
	s.readBy.stop()
	s.writeBy.stop()
	if s.retry != nil {
		s.retry.Stop()
	}
	s.drop()
	s.mu.Unlock()
	if was == up {
		_ = s.ep.Shutdown()
	}
	if err := s.st.forget(s); err != nil {
		return opError("close", s.local.network, s.local, s.remote, err)
	}
	return nil
}

// LocalAddr is our end's address.
func (s *Stream) LocalAddr() net.Addr { return s.local }

// RemoteAddr is the peer's.
func (s *Stream) RemoteAddr() net.Addr { return s.remote }
