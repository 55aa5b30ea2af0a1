package udp

import (
	"syscall"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// ops are the endpoint's operations.
type ops struct {
	e   *endpoint
	rx  *rdm.Rx
	src *source
}

// unserved are what a datagram cannot be asked for: no data travels beside it, and no peer tells that it has come.
const unserved = fi.OpRemoteCQData | fi.OpDeliveryComplete | fi.OpMatchComplete

// Send sends a datagram; it has left when the call returns.
//
//fabric:fastpath
func (o *ops) Send(buf []byte, to fi.Addr, _ uint64, ctx any, fl fi.OpFlags) error {
	e := o.e
	if len(buf) > e.maxMsg || fl&(unserved|fi.OpInject|fi.OpMulticast) != 0 {
		if err := e.refuse(len(buf), to, fl); err != 0 {
			return err
		}
	}
	if !e.mu.TryLock() {
		e.mu.Wait()
	}
	d := e.dest(to)
	if d == nil || e.closed || !e.Reserve(fl) {
		return e.cannot(d)
	}
	if errno := e.sock.send(buf, d); errno != 0 {
		return e.failed(errno, fl)
	}
	e.TxDone(ctx, fl, rdm.KindSend, len(buf), 0)
	e.mu.Unlock()
	return nil
}

// SendMsg sends a datagram of the general form.
func (o *ops) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	if len(m.Iov) > iovLimit {
		return fi.ErrInvalid
	}
	if len(m.Iov) == 1 {
		return o.Send(m.Iov[0], m.Addr, 0, m.Context, fl)
	}
	e := o.e
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	return e.sendLocked(m.Iov, m.Addr, m.Context, fl)
}

// sendLocked is SendMsg with the lock.
func (e *endpoint) sendLocked(iov [][]byte, to fi.Addr, ctx any, fl fi.OpFlags) error {
	n := 0
	for _, b := range iov {
		n += len(b)
	}
	d := e.dest(to)
	switch err := e.unfit(n, to, fl); {
	case e.closed:
		return fi.ErrBadFD
	case len(iov) > iovLimit:
		return fi.ErrInvalid
	case err != 0:
		return err
	case d == nil:
		return fi.ErrInvalid
	case fl&unserved != 0:
		return fi.ErrOpNotSupp
	case !e.Reserve(fl):
		return e.NoRoom()
	}
	if errno := e.sock.send(e.d.src.whole(iov), d); errno != 0 {
		e.Unreserve(fl)
		return e.refusal(errno)
	}
	e.TxEnd(ctx, fl, rdm.KindSend, n, 0, 0, "")
	return nil
}

// whole gives the bytes of several buffers as one piece, which the next call overwrites.
func (s *source) whole(iov [][]byte) []byte {
	if len(iov) == 1 {
		return iov[0]
	}
	s.gather = s.gather[:0]
	for _, b := range iov {
		s.gather = append(s.gather, b...)
	}
	return s.gather
}

// unfit tells what a send cannot have: a length, or an address that is no group's.
func (e *endpoint) unfit(n int, to fi.Addr, fl fi.OpFlags) fi.Errno {
	switch {
	case n > e.maxMsg, fl&fi.OpInject != 0 && n > e.inject:
		return fi.ErrMsgSize
	case fl&fi.OpMulticast != 0 && to < groupBase:
		return fi.ErrInvalid
	}
	return 0
}

// refuse tells what a send cannot have.
//
//go:noinline
func (e *endpoint) refuse(n int, to fi.Addr, fl fi.OpFlags) fi.Errno {
	if err := e.unfit(n, to, fl); err != 0 || fl&unserved == 0 {
		return err
	}
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	if e.dest(to) == nil {
		return fi.ErrInvalid
	}
	return fi.ErrOpNotSupp
}

// cannot tells why nothing was sent. With the lock, which it gives back.
//
//go:noinline
func (e *endpoint) cannot(d *dest) error {
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return fi.ErrBadFD
	case d == nil:
		return fi.ErrInvalid
	}
	return e.NoRoom()
}

// failed tells why the system has not taken a datagram. With the lock, which it gives back.
//
//go:noinline
func (e *endpoint) failed(errno syscall.Errno, fl fi.OpFlags) error {
	e.Unreserve(fl)
	err := e.refusal(errno)
	e.mu.Unlock()
	return err
}

// refusal is what the system's word means to who sends. With the lock.
func (e *endpoint) refusal(errno syscall.Errno) error {
	switch errno {
	case syscall.EAGAIN, syscall.ENOBUFS:
		return e.NoRoom()
	}
	return fi.FromSyscall(errno)
}

// Recv posts a receive.
//
//fabric:fastpath
func (o *ops) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	err := o.rx.Recv(buf, from, ctx, fl)
	if o.src.armed.Load() {
		o.e.wake()
	}
	return err
}

// RecvMsg posts a receive of the general form. Datagrams that wait do so in the socket, where nobody can peek.
func (o *ops) RecvMsg(m *fi.Msg, fl fi.OpFlags) error {
	if fl&(fi.OpPeek|fi.OpClaim|fi.OpDiscard) != 0 {
		return fi.ErrOpNotSupp
	}
	err := o.rx.RecvMsg(m, fl)
	if o.src.armed.Load() {
		o.e.wake()
	}
	return err
}

// wake has the endpoint's sockets ring: they are not watched without a receive.
//
//go:noinline
func (e *endpoint) wake() {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.wakeLocked()
}

func (e *endpoint) wakeLocked() {
	if e.closed || !e.d.src.armed.Load() {
		return
	}
	e.d.src.watch(e.sock)
	for _, g := range e.groups {
		if g != nil && g.sock != nil {
			e.d.src.watch(g.sock)
		}
	}
}
