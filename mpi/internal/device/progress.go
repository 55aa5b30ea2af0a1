package device

import (
	"errors"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// Poll looks at the completion queue once, unless somebody else is at it, and finishes what has completed.
//
//fabric:fastpath
func (d *Device) Poll() {
	if d.token.TryLock() {
		d.poll()
		d.token.Unlock()
	}
}

// poll is called with the token.
func (d *Device) poll() {
	n, err := d.queue.Read(d.entries[:])
	if d.looks++; d.looks%16 == 0 {
		d.polls.Store(d.looks)
	}
	if n > 0 {
		for i := range n {
			d.complete(&d.entries[i])
		}
		if d.back.inside.Load() {
			d.polls.Store(d.looks)
			_ = d.queue.Signal() // it is not needed for now, and would be woken by every completion
		}
	}
	if err == fi.ErrAvail { //nolint:errorlint // documented: a bare value
		d.completeErr()
	}
	if !d.backlog.empty() {
		d.backlog.flush(d)
	}
}

func (d *Device) complete(e *cq.Entry) {
	op, ok := e.Context.(*Op)
	e.Context = nil // the queue's slot keeps nothing alive
	if !ok {
		return
	}
	if e.Flags&fi.CompSend != 0 {
		d.sends.Add(-1)
	} else {
		op.Src, op.Len, op.Tag, op.Data = d.rank(e.Src), e.Len, e.Tag, e.Data
	}
	op.complete()
}

// completeErr takes the error completion that is next.
func (d *Device) completeErr() {
	var e cq.ErrEntry
	if d.queue.ReadErr(&e) != nil {
		return
	}
	op, ok := e.Context.(*Op)
	if !ok {
		return
	}
	if e.Flags&fi.CompSend != 0 {
		d.sends.Add(-1)
	} else {
		op.Src, op.Len, op.Tag, op.Data = d.rank(e.Src), e.Len+e.OLen, e.Tag, e.Data
	}
	op.Err = e.Err
	switch {
	case e.Err == fi.ErrCanceled:
		op.Err = op.reason(e.Err)
	case e.Text != "":
		op.Err = &fi.Error{Op: "completion", Provider: d.Provider(), Err: e.Err, Hint: e.Text}
	}
	if op.Peer >= 0 && Gone(e.Err) && !(op.Want == controlTag && e.Err == fi.ErrTimedOut) {
		d.found(op.Peer)
	}
	op.complete()
}

// Gone tells whether an error says that the peer is not there any more.
func Gone(err error) bool {
	for _, e := range []fi.Errno{fi.ErrConnReset, fi.ErrConnAborted, fi.ErrConnRefused, fi.ErrShutdown, fi.ErrHostUnreach, fi.ErrHostDown, fi.ErrTimedOut} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
