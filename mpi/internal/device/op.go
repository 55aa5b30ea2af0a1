package device

import (
	"sync"
	"sync/atomic"
)

// AnyPeer is the peer of a receive that takes messages of every member.
const AnyPeer = -1

// States of an operation.
const (
	idle    uint32 = iota
	pending        // posted
	parked         // posted, and somebody sleeps until bell
	done
)

// Op is one operation in flight, or the result of one that is over. It is what the endpoint gets as context, so that a
// completion leads to it without a table.
//
// Then is called instead of waking anybody when the operation completes: by whoever drives the device, one call at a
// time. It may post operations and must not wait. It ends the operation with [Op.Finish], now or later.
type Op struct {
	state atomic.Uint32

	Peer int    // the world rank that has to do something for it; AnyPeer
	Want uint64 // the tag that it was posted with, of a receive with the bits that it ignores
	Len  int    // bytes received; when Err is fi.ErrTruncated those of the whole message
	Src  int    // world rank of the sender
	Tag  uint64 // of the message
	Data uint64
	Err  error // an fi.Errno, or one with words

	Then  func(*Op)
	Owner any // whatever Then wants to find; the device does not look at it

	// Doubt is called instead of what [Device.Doubt] does, for an operation that consists of others: it goes through these.
	// Nobody drives the device meanwhile.
	Doubt func(op *Op, long bool) error

	ask  sync.Mutex // guards the making of bell, and why
	bell chan struct{}
	why  error // for what it was withdrawn, if not by the wish of its owner
}

// NewOp gives a fresh operation.
func NewOp() *Op { return &Op{} }

var ops = sync.Pool{New: func() any { return NewOp() }}

// TakeOp gives an operation that PutOp will get back, so that blocking calls allocate nothing.
func TakeOp() *Op { return ops.Get().(*Op) }

// PutOp takes an operation back that is done and that nobody else has.
func PutOp(o *Op) {
	o.Reset()
	ops.Put(o)
}

// Reset makes an operation that is done, or was never posted, fit for another use.
func (o *Op) Reset() {
	o.state.Store(idle)
	o.Peer, o.Want, o.Len, o.Src, o.Tag, o.Data, o.Err = 0, 0, 0, 0, 0, 0, nil
	o.Then, o.Owner, o.Doubt, o.bell, o.why = nil, nil, nil, nil, nil
}

// Begin says that the operation is under way: the device does so for what it posts, others for what they finish
// themselves.
func (o *Op) Begin() { o.state.Store(pending) }

// refused takes Begin back.
func (o *Op) refused(err error) error {
	if o != nil {
		o.state.Store(idle)
	}
	return err
}

// Done tells whether the operation is over; its results may be read then.
func (o *Op) Done() bool { return o.state.Load() == done }

// Active tells whether it is under way.
func (o *Op) Active() bool { s := o.state.Load(); return s == pending || s == parked }

// Finish ends the operation and wakes who sleeps on it. What it found is stored before.
func (o *Op) Finish() {
	if o.state.Swap(done) == parked {
		close(o.bell)
	}
}

// complete hands over what came.
func (o *Op) complete() {
	if o.Then != nil {
		o.Then(o)
		return
	}
	o.Finish()
}

// Bell gives a channel that is closed when the operation is over.
func (o *Op) Bell() <-chan struct{} {
	o.ask.Lock()
	defer o.ask.Unlock()
	if o.bell == nil {
		bell := make(chan struct{})
		o.bell = bell
		if !o.state.CompareAndSwap(pending, parked) {
			close(bell)
		}
	}
	return o.bell
}
