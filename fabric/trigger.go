package fabric

import (
	"slices"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// TriggeredContext is the context of a triggered operation (struct fi_triggered_context, fi_trigger(3)): one whose flags
// have fi.OpTrigger, or of an [Endpoint.Alias] with that flag, on an endpoint with FI_TRIGGER. The operation is accepted at
// once and begins when Counter, its errors counted too, has reached Threshold; immediately if it has already. Operations of
// one counter begin in the order of their thresholds, those of one threshold in that of their calls. From then on they are
// operations as others: they complete with the pointer to this structure as the context, count, and fail as those do.
//
// Ownership: as that of a context; Counter and Threshold are read when the call is made.
type TriggeredContext struct {
	Counter   *Counter // of the endpoint's domain
	Threshold uint64   // successes and errors; bytes for a counter of bytes
}

// capable tells why an endpoint has no triggered operations, or none of a kind; 0 when it has. Errors are those that the
// plain call would give.
func (c *epCore) capable(kind driver.WorkKind) fi.Errno {
	c.mu.Lock()
	closed, enabled, ops, issuer := c.closed, c.enabled && c.drv != nil, c.ops, c.issuer
	c.mu.Unlock()
	caps := c.info.Caps
	lacks := func(way fi.Caps) bool { return caps&fi.ModifierCaps != 0 && caps&way == 0 }
	var no bool
	switch kind {
	case driver.WorkSend:
		no = ops.Msg == nil || caps&fi.CapMsg == 0 || lacks(fi.CapSend)
	case driver.WorkRecv:
		no = ops.Msg == nil || caps&fi.CapMsg == 0 || lacks(fi.CapRecv)
	case driver.WorkTSend:
		no = ops.Tagged == nil || caps&fi.CapTagged == 0 || lacks(fi.CapSend)
	case driver.WorkTRecv:
		no = ops.Tagged == nil || caps&fi.CapTagged == 0 || lacks(fi.CapRecv)
	case driver.WorkRead:
		no = ops.RMA == nil || caps&fi.CapRMA == 0 || lacks(fi.CapRead)
	case driver.WorkWrite:
		no = ops.RMA == nil || caps&fi.CapRMA == 0 || lacks(fi.CapWrite)
	default:
		no = ops.Atomic == nil || caps&fi.CapAtomic == 0
	}
	switch {
	case closed:
		return fi.ErrBadFD
	case caps&fi.CapTrigger == 0:
		return fi.ErrNoSys
	case !enabled:
		return fi.ErrOpBadState
	case no, issuer == nil:
		return fi.ErrNoSys
	case kind.Receives() && c.b.SharedRx != nil:
		return fi.ErrOpNotSupp
	}
	return 0
}

// trigger serves the message forms' calls whose flags are none that all endpoints know. w has everything but the flags.
func (ep *Endpoint) trigger(w driver.Work, flags, known fi.OpFlags) error {
	if flags&fi.OpTrigger == 0 || flags&^(known|fi.OpTrigger) != 0 || flags&(fi.OpPeek|fi.OpClaim|fi.OpDiscard) != 0 {
		if flags&fi.OpTrigger != 0 {
			return ep.core.refuseTrigger(fi.ErrBadFlags)
		}
		return fi.ErrBadFlags
	}
	add, not := ep.txMsg, ep.txNot
	if w.Kind.Receives() {
		add, not = ep.rxMsg, ep.rxNot
	}
	w.Flags = (flags | add) &^ not
	return ep.core.trigger(&w)
}

// triggerAtomic is trigger for atomics.
func (ep *Endpoint) triggerAtomic(kind fi.AtomicKind, m *fi.AtomicMsg, compare, result [][]byte, flags fi.OpFlags) error {
	if flags&fi.OpTrigger == 0 {
		return fi.ErrBadFlags
	}
	k, err := checkAtomicMsg(kind, m, compare, result)
	if err != nil {
		return err
	}
	return ep.trigger(atomicWork(k, m, compare, result), flags, atomicFlags)
}

func atomicWork(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte) driver.Work {
	kind := driver.WorkAtomic
	switch k.Kind() {
	case fi.AtomicFetch:
		kind = driver.WorkFetch
	case fi.AtomicCompare:
		kind = driver.WorkCompare
	}
	w := driver.Work{Kind: kind, Kernel: k, Iov: m.Iov, Compare: compare, Result: result, Addr: m.Addr, RMA: m.RMAIov, Context: m.Context}
	if !k.NeedsOperand() {
		w.Iov = nil
	}
	return w
}

// trigger queues a triggered operation. w is complete, its flags still have fi.OpTrigger.
func (c *epCore) trigger(w *driver.Work) error {
	if err := c.capable(w.Kind); err != 0 {
		return c.refuseTrigger(err)
	}
	t, ok := w.Context.(*TriggeredContext)
	if !ok || t == nil || t.Counter == nil || t.Counter.domain != c.domain {
		return c.refuseTrigger(fi.ErrInvalid)
	}
	if c.info.Caps&fi.CapCollective != 0 && !guardWork(w) {
		return fi.ErrInvalid
	}
	i := &workItem{core: c, user: w.Context, on: t.Counter, threshold: t.Threshold, work: c.own(w)}
	i.work.Flags &^= fi.OpTrigger
	i.count, i.entry = true, w.Flags&fi.OpCompletion != 0
	i.direct = w.Kind.Receives()
	if w.Flags&fi.OpInject != 0 {
		if uint64(sum(w.Iov)) > c.injectSize(w.Kind) {
			return fi.ErrMsgSize
		}
		i.work.Iov, i.work.Compare = flatten(w.Iov), flatten(w.Compare)
	}
	return c.domain.queue(i)
}

// own copies the slices of w, which are the caller's, and finds its peer.
func (c *epCore) own(w *driver.Work) driver.Work {
	o := *w
	if c.av != nil {
		o.Addr = c.av.ctx.place(w.Addr)
	}
	o.Iov, o.Compare, o.Result, o.RMA = slices.Clone(w.Iov), slices.Clone(w.Compare), slices.Clone(w.Result), slices.Clone(w.RMA)
	return o
}

// flatten copies the bytes of buffers that are the caller's.
func flatten(iov [][]byte) [][]byte {
	if len(iov) == 0 {
		return nil
	}
	return [][]byte{slices.Concat(iov...)}
}

func sum(iov [][]byte) (n int) {
	for _, b := range iov {
		n += len(b)
	}
	return n
}

func (c *epCore) injectSize(k driver.WorkKind) uint64 {
	switch k {
	case driver.WorkSend:
		return c.b.Inject.Msg
	case driver.WorkTSend:
		return c.b.Inject.Tagged
	case driver.WorkWrite:
		return c.b.Inject.RMA
	}
	return c.b.Inject.Atomic
}

func sendWork(m *fi.Msg) driver.Work {
	return driver.Work{Kind: driver.WorkSend, Iov: m.Iov, Addr: m.Addr, Data: m.Data, Context: m.Context}
}

func recvWork(m *fi.Msg) driver.Work {
	return driver.Work{Kind: driver.WorkRecv, Iov: m.Iov, Addr: m.Addr, Context: m.Context}
}

func taggedWork(kind driver.WorkKind, m *fi.TaggedMsg) driver.Work {
	return driver.Work{Kind: kind, Iov: m.Iov, Addr: m.Addr, Tag: m.Tag, Ignore: m.Ignore, Data: m.Data, Context: m.Context}
}

func rmaWork(kind driver.WorkKind, m *fi.RMAMsg) driver.Work {
	return driver.Work{Kind: kind, Iov: m.Iov, Addr: m.Addr, Data: m.Data, RMA: m.RMAIov, Context: m.Context}
}
