package rdm

import (
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/match"
	"github.com/gofabric/gofabric/internal/memcopy"
)

// Transfer is a message on its way into a receive that has matched it. Providers move the first Size bytes of the
// message (the rest does not fit) by Place or into Piece, and then call Endpoint.Finish.
type Transfer struct {
	EP    *Endpoint
	Peer  *Peer
	Ctx   any
	Tag   uint64
	Data  uint64
	Len   int       // bytes of the message
	Size  int       // bytes that fit
	Ack   uint64    // the sender wants to hear; 0: no
	Token [3]uint64 // as announced
	Got   int       // for the provider: bytes that have come

	kind fi.CompFlags
	fl   fi.OpFlags
	buf  []byte
	iov  [][]byte     // instead of buf when there are several
	q    *match.Queue // of recv
	recv *match.Recv  // answered by Done at the end; nil for a receive that was not stored
	next *Transfer
}

// transfer gives a transfer for a message of p.
func (p *Peer) transfer(tagged bool, flags fi.CompFlags, tag, data uint64, n int) *Transfer {
	e := p.EP
	t := e.free
	if t != nil {
		e.free, t.next = t.next, nil
	} else {
		t = new(Transfer)
	}
	t.EP, t.Peer, t.Tag, t.Data, t.Len = e, p, tag, data, n
	t.kind = flags | KindRecv
	if tagged {
		t.kind = flags | KindTRecv
	}
	return t
}

// receive makes a receive that the queue handed out the destination.
func (t *Transfer) receive(q *match.Queue, r *match.Recv) {
	t.q, t.recv, t.Ctx, t.fl = q, r, r.Ctx, r.Flags
	if len(r.Iov()) != 0 {
		t.iov = append(t.iov, r.Iov()...)
	} else if r.Multi() {
		t.buf = q.Consume(r, t.Len, t.EP.Rx.minMulti)
	} else {
		t.buf = r.Buf
	}
	t.Size = min(t.Len, t.room())
}

// into makes buffers the destination.
func (t *Transfer) into(buf []byte, iov [][]byte, ctx any, fl fi.OpFlags) {
	t.Ctx, t.fl = ctx, fl
	t.buf, t.iov = buf, append(t.iov, iov...)
	t.Size = min(t.Len, t.room())
}

func (t *Transfer) room() int {
	if len(t.iov) == 0 {
		return len(t.buf)
	}
	n := 0
	for _, b := range t.iov {
		n += len(b)
	}
	return n
}

// Place copies src to offset off of the receive's buffers; what does not fit is dropped.
func (t *Transfer) Place(off int, src []byte) {
	if len(t.iov) == 0 {
		if off < len(t.buf) {
			copyEager(t.buf[off:], src[:min(len(src), len(t.buf)-off)])
		}
		return
	}
	for _, b := range t.iov {
		if off >= len(b) {
			off -= len(b)
			continue
		}
		n := memcopy.In(b[off:], src)
		if src = src[n:]; len(src) == 0 {
			return
		}
		off = 0
	}
}

// Piece gives the contiguous destination at offset off, at most n bytes of it; empty at the end.
func (t *Transfer) Piece(off, n int) []byte {
	if len(t.iov) == 0 {
		return t.buf[off:min(off+n, len(t.buf))]
	}
	for _, b := range t.iov {
		if off < len(b) {
			return b[off:min(off+n, len(b))]
		}
		off -= len(b)
	}
	return nil
}

// Finish completes the receive of t: with err 0 as a success, or as a truncation when the message did not fit. t must
// not be used afterwards.
func (e *Endpoint) Finish(t *Transfer, err fi.Errno, text string) {
	kind, part := t.kind, []byte(nil)
	if r := t.recv; r != nil {
		multi := r.Multi()
		if multi {
			part = t.buf
		}
		if t.q.Done(r) {
			kind |= fi.CompMultiRecv
		}
		if multi && err == 0 && t.Len <= t.Size {
			e.multiDone(t, kind)
			e.recycle(t)
			return
		}
	}
	switch {
	case err != 0:
		e.recvFail(t.Ctx, t.fl, kind, t.Got, 0, part, t.Data, t.Tag, t.Peer.Addr, err, text)
	case t.Len > t.Size:
		e.recvFail(t.Ctx, t.fl, kind, t.Size, t.Len-t.Size, part, t.Data, t.Tag, t.Peer.Addr, fi.ErrTruncated, "")
	default:
		e.recvDone(t.Ctx, t.fl, kind, t.Len, t.Data, t.Tag, t.Peer)
	}
	e.recycle(t)
}

func (e *Endpoint) recycle(t *Transfer) {
	clear(t.iov)
	*t = Transfer{iov: t.iov[:0], next: e.free}
	e.free = t
}

// multiDone completes a message in a multi-receive buffer. The completion that gives the buffer back is always written.
func (e *Endpoint) multiDone(t *Transfer, kind fi.CompFlags) {
	e.counts.Done(rxKind(kind), t.Len)
	if c := e.CntRecv; c != nil {
		c.Done(t.Len)
	}
	if (t.fl|e.rxAdd)&fi.OpCompletion == 0 && kind&fi.CompMultiRecv == 0 || e.RxCQ == nil {
		return
	}
	buf := t.buf[:t.Len:t.Len]
	if e.sourceErr && t.Peer.Addr == fi.AddrNotAvail {
		e.unknownSender(t.Ctx, kind, t.Len, buf, t.Data, t.Tag, t.Peer)
		return
	}
	d := e.RxCQ.Add()
	d.Context, d.Flags, d.Len, d.Data, d.Tag, d.Src = t.Ctx, kind, t.Len, t.Data, t.Tag, t.Peer.Addr
	d.Buf = buf
	e.RxCQ.Publish()
}
