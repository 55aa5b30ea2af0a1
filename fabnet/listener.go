package fabnet

import (
	"errors"
	"net"
	"sync"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// backlog is how many connections wait for Accept; more are refused.
const backlog = 128

// listener is a [net.Listener]. Requests are accepted as they come, so that a peer's Dial does not wait for Accept.
type listener struct {
	st   *station
	pep  *fabric.PassiveEndpoint
	addr fabricAddr

	mu      sync.Mutex
	more    sync.Cond
	pending int       // accepted, not connected yet; guarded by mu
	ready   []*Stream // guarded by mu
	closed  bool      // guarded by mu
}

func (d *Dialer) listen(info *fi.Info) (net.Listener, error) {
	st, err := stationFor(info, d)
	if err != nil {
		return nil, err
	}
	l := &listener{st: st}
	l.more.L = &l.mu
	if l.pep, err = st.fab.OpenPassive(info); err != nil {
		st.release()
		return nil, err
	}
	st.mu.Lock()
	st.listeners[l.pep] = l
	st.mu.Unlock()
	err = errors.Join(l.pep.BindEQ(st.eq), l.pep.SetBacklog(backlog), l.pep.Listen())
	var name []byte
	if err == nil {
		name, err = l.pep.Name()
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	l.addr = addrOf(info, name)
	return l, nil
}

// requested answers a request.
func (l *listener) requested(e *fi.EQEntry) {
	h, err := parseHello(e.CMData)
	if err == nil && !l.reserve() {
		err = errors.New("too many connections wait to be accepted")
	}
	if err != nil {
		l.pep.Reject(e.Info.Handle, []byte(err.Error()))
		return
	}
	s, err := l.st.open(e.Info)
	if err != nil {
		l.unreserve()
		l.pep.Reject(e.Info.Handle, []byte("no endpoint"))
		return
	}
	l.st.hold()
	s.listener = l
	s.agree(h)
	if err := s.ep.Accept(ours.marshal()); err != nil {
		s.fail(err)
	}
}

func (l *listener) reserve() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.pending+len(l.ready) >= backlog {
		return false
	}
	l.pending++
	return true
}

func (l *listener) unreserve() {
	l.mu.Lock()
	l.pending--
	l.mu.Unlock()
}

// connected takes a connection that is there, or is not to be.
func (l *listener) connected(s *Stream, ok bool) {
	l.mu.Lock()
	l.pending--
	keep := ok && !l.closed
	if keep {
		l.ready = append(l.ready, s)
		l.more.Signal()
	}
	l.mu.Unlock()
	if !keep {
		go s.Close() // it may wait for the goroutine that we are on
	}
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.ready) == 0 && !l.closed {
		l.more.Wait()
	}
	if l.closed {
		return nil, opError("accept", l.addr.network, nil, l.addr, net.ErrClosed)
	}
	s := l.ready[0]
	l.ready = l.ready[1:]
	return s, nil
}

// Close stops listening and ends the connections that nobody has accepted.
func (l *listener) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return opError("close", l.addr.network, nil, l.addr, net.ErrClosed)
	}
	l.closed = true
	ready := l.ready
	l.ready = nil
	l.more.Broadcast()
	l.mu.Unlock()
	for _, s := range ready {
		s.Close()
	}
	err := l.pep.Close()
	l.st.mu.Lock()
	delete(l.st.listeners, l.pep)
	l.st.mu.Unlock()
	l.st.release()
	return err
}

// Addr is where it listens.
func (l *listener) Addr() net.Addr { return l.addr }
