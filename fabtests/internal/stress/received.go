package stress

import (
	"encoding/binary"
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// complete takes a completion of a receive.
func (x *rxStream) complete(o *op, e *cq.Entry, bad *cq.ErrEntry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := x.p.n
	if !o.posted {
		n.fail(o.s, "", "its receive completed more often than it was posted (%v, error %v)", e.Flags, bad)
		return
	}
	if bad != nil {
		if o.what != opPeeking { // to look is not to receive
			x.p.wantErrs[cntRecv]++
		}
		o.posted = o.what == opBuffer && e.Flags&fi.CompMultiRecv == 0
		x.failed(o, bad)
		return
	}
	if o.what != opPeeking && !(o.what == opClaiming && o.s.Recv == recvClaimDrop) {
		x.p.want[cntRecv]++
	}
	if o.what == opBuffer {
		x.placed(o, e)
		return
	}
	o.posted = false
	switch o.what {
	case opPeeking:
		x.expect(o.s, e, fi.CompTagged|fi.CompRecv)
		o.ready = true
		if o.s.Recv == recvDrop {
			x.done(o)
			x.drop(o)
		}
	case opCancelling:
		n.fail(o.s, "", "a receive that nothing was sent for has received %d bytes with tag %#x", e.Len, e.Tag)
	case opRecvAny:
		o.got, o.ready, o.done = *e, true, true
		x.accepting.out--
		x.checkAny()
	case opClaiming:
		if o.s.Recv == recvClaimDrop {
			x.done(o)
			return
		}
		x.check(o, o.s, e)
		x.done(o)
	default:
		x.check(o, o.s, e)
		x.done(o)
	}
}

// drop takes an operation out of those that go on.
func (x *rxStream) drop(o *op) {
	for i, f := range x.follow {
		if f == o {
			x.follow = append(x.follow[:i], x.follow[i+1:]...)
			return
		}
	}
}

// done notes that the step's message has come.
func (x *rxStream) done(o *op) {
	o.done = true
	x.asking.out--
	if x.seen[o.s.ID] {
		x.p.n.fail(o.s, "", "its message has come twice")
	}
	x.seen[o.s.ID] = true
	x.p.n.finished(o.s)
}

// failed takes a completion in error.
func (x *rxStream) failed(o *op, bad *cq.ErrEntry) {
	n := x.p.n
	switch {
	case o.what == opPeeking && bad.Err == fi.ErrNoMsg: // not yet
	case o.what == opCancelling && bad.Err == fi.ErrCanceled:
		if !o.canceled {
			n.fail(o.s, "", "a receive was cancelled before anybody asked")
		}
		if x.stale[o] {
			delete(x.stale, o)
			return
		}
		o.done = true
		x.asking.out--
		n.finished(o.s)
	case o.what == opRecv && o.canceled && bad.Err == fi.ErrCanceled:
		o.canceled = false
		x.goAgain(o)
	case o.what == opBuffer && bad.Err == fi.ErrCanceled && (x.p.ep == nil || n.closing.Load()):
		if o.posted {
			n.fail(nil, "", "a multi-receive buffer was cancelled and not given back")
		}
		delete(x.buffers, o)
	default:
		n.fail(o.s, "", "its receive failed: %v", bad)
	}
}

// expect checks what a completion says of a step's message, but not its bytes.
func (x *rxStream) expect(s *step, e *cq.Entry, flags fi.CompFlags) {
	n := x.p.n
	switch {
	case e.Flags&flags != flags:
		n.fail(s, "", "its receive completed with the flags %v, not %v", e.Flags, flags)
	case e.Len != s.Size:
		n.fail(s, "", "%d bytes came, %d were sent", e.Len, s.Size)
	case s.Kind == sendTagged && e.Tag != s.Tag:
		n.fail(s, "", "it came with the tag %#x, sent was %#x", e.Tag, s.Tag)
	case s.Data != (e.Flags&fi.CompRemoteCQData != 0):
		n.fail(s, "", "it came with the flags %v; was data sent: %v", e.Flags, s.Data)
	case s.Data && e.Data != n.h.data(s):
		n.fail(s, "", "it came with data %#x, sent was %#x", e.Data, n.h.data(s))
	case n.av != nil && n.Limits.Caps&fi.CapSource != 0 && e.Src != n.addr[s.From]:
		n.fail(s, "", "it came from %s, its sender is %s", n.who(e.Src), n.who(n.addr[s.From]))
	}
}

// who says which place a name stands for.
func (n *node) who(a fi.Addr) string {
	if at, ok := n.byAddr[a]; ok {
		return fmt.Sprintf("rank %d, endpoint %d (name %d)", at.Rank, at.Lane, a)
	}
	return fmt.Sprintf("a stranger (name %d)", a)
}

// msgFlags are what the completion of a step's receive must say.
func msgFlags(s *step) fi.CompFlags {
	if s.Kind == sendTagged {
		return fi.CompTagged | fi.CompRecv
	}
	return fi.CompMsg | fi.CompRecv
}

// check checks a message and what its completion says.
func (x *rxStream) check(o *op, s *step, e *cq.Entry) {
	n := x.p.n
	x.expect(s, e, msgFlags(s))
	if n.stop.Load() {
		return
	}
	if d := n.h.messageDiffers(o.buf[:s.Size], s); d != "" {
		n.fail(s, "", "what came differs: %s", d)
	}
	if !o.guarded() || !soiled(o.buf[s.Size:]) {
		n.fail(s, "", "bytes behind the message have changed")
	}
	n.mu.Lock()
	n.total.Bytes += int64(s.Size)
	n.mu.Unlock()
}

// checkAny assigns what came for whoever sends: the messages of one sender come in its order, into the receives in theirs.
func (x *rxStream) checkAny() {
	n := x.p.n
	for x.checked < len(x.any) && x.any[x.checked].ready && !n.stop.Load() {
		o := x.any[x.checked]
		from, known := n.byAddr[o.got.Src]
		if !known {
			n.fail(nil, "", "an untagged message of %d bytes came from %s", o.got.Len, n.who(o.got.Src))
			return
		}
		left := x.queue[from]
		if len(left) == 0 {
			n.fail(nil, "", "%s has sent more untagged messages than the plan has: the last is of %d bytes", n.who(o.got.Src), o.got.Len)
			return
		}
		x.queue[from] = left[1:]
		x.check(o, left[0], &o.got)
		x.seen[left[0].ID] = true
		n.finished(left[0])
		x.any[x.checked] = nil
		x.checked++
	}
}

// placed takes a message that lies somewhere in a multi-receive buffer.
func (x *rxStream) placed(o *op, e *cq.Entry) {
	n := x.p.n
	x.multi--
	if len(e.Buf) != e.Len || e.Len < headerSize {
		n.fail(nil, "", "a message of %d bytes in a multi-receive buffer, where it is of %d", e.Len, len(e.Buf))
		return
	}
	id := binary.LittleEndian.Uint64(e.Buf)
	if id >= uint64(len(n.h.Steps)) {
		n.fail(nil, "", "a message of %d bytes in a multi-receive buffer that begins with %#x", e.Len, id)
		return
	}
	s := n.h.Steps[id]
	if s.Kind != sendMsg || s.To.Rank != n.rank || n.at(s.To.Lane, s.From.Rank) != x.p || x.seen[s.ID] {
		n.fail(s, "", "its message lies in a multi-receive buffer of endpoint %d; had it come before: %v", x.p.lane, x.seen[s.ID])
		return
	}
	x.expect(s, e, msgFlags(s))
	if d := n.h.messageDiffers(e.Buf, s); d != "" {
		n.fail(s, "", "what came into a multi-receive buffer differs: %s", d)
		return
	}
	x.seen[s.ID] = true
	o.takes = append(o.takes, taken{n.h, s, e.Buf})
	n.mu.Lock()
	n.total.Bytes += int64(s.Size)
	n.mu.Unlock()
	n.finished(s)
	if e.Flags&fi.CompMultiRecv == 0 {
		return
	}
	o.posted, o.done = false, true
	delete(x.buffers, o)
	for _, t := range o.takes { // all of them must still be there
		if d := t.h.messageDiffers(t.at, t.s); d != "" {
			n.fail(s, "", "its multi-receive buffer came back, and an earlier message in it was overwritten (%v): %s", t.s, d)
			return
		}
	}
	if !o.guarded() {
		n.fail(s, "", "bytes behind its multi-receive buffer have changed")
	}
}

// taken is a message in a multi-receive buffer.
type taken struct {
	h  *phase
	s  *step
	at []byte
}

// allBack checks, after the endpoint was closed, that it has given back what was posted.
func (x *rxStream) allBack() {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if left := len(x.buffers) + len(x.stale); left > 0 && !x.p.n.stop.Load() {
		x.p.n.fail(nil, "", "endpoint %d is closed, and %d receives that were posted have not come back", x.p.lane, left)
	}
}
