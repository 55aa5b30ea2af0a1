package shm

import (
	"errors"
	"io"
	"sync"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// link is a descriptor that the source's goroutine watches. mu is held by that goroutine while it serves the link, and
// by whoever closes it; after the domain's lock, before the source's.
type link struct {
	mu    sync.Mutex
	shut  bool
	s     *source
	token uint64
	kind  linkKind
	conn  *shmem.Conn
	lis   *shmem.Listener
	pidfd int
	e     *endpoint // of a listener or a newcomer
	p     *pair     // once it is known
	msg   *shmem.Message
	gone  bool
}

type linkKind uint8

const (
	linkListener linkKind = iota
	linkNewcomer          // accepted, has not said hello
	linkCaller            // ours, waits for the answer to our hello
	linkPair
	linkProcess // pidfd of a peer
)

// add watches a link.
func (s *source) add(l *link) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return io.ErrClosedPipe
	}
	s.tokens++
	l.s, l.token = s, s.tokens
	s.links[l.token] = l
	s.mu.Unlock()
	fd := l.pidfd
	if l.conn != nil {
		fd = l.conn.FD()
	} else if l.lis != nil {
		fd = l.lis.FD()
	}
	if err := s.poll.Add(fd, shmem.In, l.token); err != nil {
		s.mu.Lock()
		delete(s.links, l.token)
		s.mu.Unlock()
		l.shut = true
		return err
	}
	return nil
}

// remove stops watching a link and closes it. It may be called by anybody who is not serving it.
func (s *source) remove(l *link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.close()
}

// close stops watching a link and closes it. With its lock.
func (l *link) close() {
	if l.shut {
		return
	}
	l.shut = true
	l.s.mu.Lock()
	delete(l.s.links, l.token)
	l.s.mu.Unlock()
	switch {
	case l.conn != nil:
		l.s.poll.Del(l.conn.FD())
		l.conn.Close()
	case l.lis != nil:
		l.s.poll.Del(l.lis.FD())
		l.lis.Close()
	default:
		l.s.poll.Del(l.pidfd)
		shmem.CloseFD(l.pidfd)
	}
}

// serve handles what happened; true says that Poll has work.
func (l *link) serve() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut {
		return false
	}
	switch l.kind {
	case linkListener:
		return l.accept()
	case linkProcess:
		l.close()
		l.s.post(event{kind: evHangup, p: l.p})
		return true
	}
	if l.msg == nil {
		l.msg = new(shmem.Message)
	}
	rung := false
	for range 64 { // not for ever: the peer may ring as fast as we read
		err := l.conn.Recv(l.msg)
		switch {
		case err == shmem.ErrAgain: //nolint:errorlint // documented: a bare value
			return rung
		case err != nil:
			l.end(err)
			return true
		case l.msg.IsBell():
			rung = true
		case l.kind == linkNewcomer:
			return l.greet()
		case l.kind == linkCaller:
			l.answer()
			rung = true
		default:
			if !l.control(l.msg.Bytes()) {
				l.end(errors.New("a control message that does not follow the protocol"))
				return true
			}
		}
	}
	return rung
}

// end is the end of the connection.
func (l *link) end(err error) {
	if l.gone {
		return
	}
	l.gone = true
	l.s.poll.Del(l.conn.FD()) // it would be ready for ever
	switch l.kind {
	case linkNewcomer:
		l.close()
	case linkCaller:
		l.s.post(event{kind: evConnected, p: l.p, err: err})
	default:
		l.s.post(event{kind: evHangup, p: l.p})
	}
}

// accept lets in who has come.
func (l *link) accept() bool {
	for range 64 {
		c, err := l.lis.Accept()
		if err != nil {
			return false // nobody, or no descriptors: who waits goes on waiting
		}
		n := &link{kind: linkNewcomer, conn: c, e: l.e}
		cred, err := c.Cred()
		if err == nil {
			if why := stranger(cred); why != "" {
				err = errors.New(why)
			}
		}
		if err != nil {
			l.s.d.logRefused(cred.PID, err.Error())
			c.Close()
			continue
		}
		if l.s.add(n) != nil {
			c.Close()
		}
	}
	return false
}

// greet reads a newcomer's hello and makes the pair, or tells it why not.
func (l *link) greet() bool {
	d := l.s.d
	h, err := parseHello(l.msg.Bytes())
	refuse := func(reason string) bool {
		l.msg.Close()
		cred, _ := l.conn.Cred()
		d.logRefused(cred.PID, reason)
		l.conn.Send((&hello{status: fi.ErrProto, reason: reason}).marshal())
		l.close()
		return false
	}
	if err != nil {
		return refuse(err.Error())
	}
	fds, err := l.msg.Take(2)
	if err != nil {
		return refuse("the hello came without its memory")
	}
	defer shmem.CloseFD(fds[0])
	defer shmem.CloseFD(fds[1])
	rings, err := shmem.MapPeer(fds[0], ring.PairBytes, shmem.ReadWrite, shmem.Populate)
	if err != nil {
		return refuse(err.Error())
	}
	p, err := d.newPair(l.e, h.name, rings, ring.Taker, h.first, h.features)
	if err == nil {
		p.tableAt, err = mapTable(fds[1])
	}
	if err != nil {
		rings.Unmap()
		return refuse(err.Error())
	}
	cred, _ := l.conn.Cred()
	p.conn, p.pid, p.link, l.p = l.conn, cred.PID, l, p
	p.asleep = p.tableAt.asleep
	p.cmaIn = d.probe(cred.PID, h)
	p.inc = h.incarnation
	mine := l.e.hello(d)
	if err := l.conn.Send(mine.marshal(), d.table.file.FD()); err != nil {
		p.tableAt.m.Unmap()
		rings.Unmap()
		l.close()
		return false
	}
	l.kind = linkPair
	l.watchProcess()
	l.s.post(event{kind: evAccepted, p: p, e: l.e})
	return true
}

// answer reads the answer to our hello.
func (l *link) answer() {
	ev := event{kind: evConnected, p: l.p}
	h, err := parseHello(l.msg.Bytes())
	switch {
	case err != nil:
		ev.err = err
	case h.status != 0:
		ev.err = errors.New("the peer refused: " + h.reason)
	default:
		var fds []int
		if fds, ev.err = l.msg.Take(1); ev.err == nil {
			var t *peerTable
			if t, ev.err = mapTable(fds[0]); ev.err == nil {
				ev.h, ev.t = h, t
			}
			shmem.CloseFD(fds[0])
		}
	}
	if ev.err == nil {
		l.kind = linkPair
		l.watchProcess()
	}
	l.msg.Close()
	l.s.post(ev)
}

// watchProcess makes the end of the peer's process known even while a child of it holds the socket open.
func (l *link) watchProcess() {
	fd, err := l.conn.PidFD()
	if err != nil {
		return // the hang-up has to do
	}
	w := &link{kind: linkProcess, pidfd: fd, p: l.p}
	if l.s.add(w) != nil {
		shmem.CloseFD(fd)
		return
	}
	l.p.process.Store(w)
}

// Control messages through the socket: a kind byte, then a block's id. The answer carries a descriptor.
const (
	ctlAsk   = 'M' // map me this block
	ctlBlock = 'F' // here it is: id, size, descriptor
	ctlNone  = 'N' // there is no such block
)

func askFor(block uint64) []byte { return le.AppendUint64([]byte{ctlAsk}, block) }

// control handles a request for one of our blocks, or the answer to one of ours.
func (l *link) control(b []byte) bool {
	if len(b) < 9 {
		return false
	}
	id := le.Uint64(b[1:])
	switch b[0] {
	case ctlAsk:
		l.s.d.serveBlock(l.conn, id)
		return len(b) == 9
	case ctlNone:
		l.s.post(event{kind: evMapped, p: l.p, block: id})
		return len(b) == 9
	case ctlBlock:
		fds, err := l.msg.Take(1)
		if err != nil || len(b) != 17 {
			return false
		}
		defer shmem.CloseFD(fds[0])
		size := le.Uint64(b[9:])
		access, flags := shmem.ReadWrite, shmem.Flags(0)
		if id == bulkID {
			access, flags = shmem.ReadOnly, shmem.Populate
		}
		if size > maxMsgSize {
			return false
		}
		m, err := shmem.MapPeer(fds[0], int(size), access, flags)
		if err != nil {
			return false
		}
		l.s.post(event{kind: evMapped, p: l.p, block: id, m: m})
		return true
	}
	return false
}

// serveBlock sends a block's descriptor to a peer that asks for it.
func (d *domain) serveBlock(c *shmem.Conn, id uint64) {
	d.blocks.Lock()
	defer d.blocks.Unlock()
	fd, size := -1, 0
	if id == bulkID {
		if d.bulk != nil {
			fd, size = d.bulk.file.FD(), poolBlock*poolBlocks
		}
	} else if b := d.known[id]; b != nil {
		fd, size = b.FD(), len(b.Bytes())
	}
	if fd < 0 {
		c.Send(le.AppendUint64([]byte{ctlNone}, id))
		return
	}
	c.Send(le.AppendUint64(le.AppendUint64([]byte{ctlBlock}, id), uint64(size)), fd)
}
