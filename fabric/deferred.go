package fabric

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// DeferredWork is an operation that the domain begins by itself when a counter has reached a threshold (struct
// fi_deferred_work, fi_trigger(3)); chains of them run without the application. OpType says which of the fields below it
// matter.
//
// Ownership: the structure, the messages and their slices may be used again when QueueWork has returned; buffers belong to
// the operation until it has ended. Only CancelWork needs the same pointer.
type DeferredWork struct {
	Threshold  uint64   // successes and errors of Triggering; bytes for a counter of bytes
	Triggering *Counter // what to wait for
	Completion *Counter // counts the end, or the error; nil for none, and with operations on counters

	OpType fi.WorkOp

	EP      *Endpoint     // of all but operations on counters
	Flags   fi.OpFlags    // as of the general form of the operation
	Msg     *fi.Msg       // of fi.WorkSend and fi.WorkRecv
	Tagged  *fi.TaggedMsg // of fi.WorkTSend and fi.WorkTRecv
	RMA     *fi.RMAMsg    // of fi.WorkRead and fi.WorkWrite
	Atomic  *fi.AtomicMsg // of fi.WorkAtomic, fi.WorkFetchAtomic and fi.WorkCompareAtomic
	Result  [][]byte      // of the latter two
	Compare [][]byte      // of the last
	Counter *Counter      // of fi.WorkCntrSet and fi.WorkCntrAdd
	Value   uint64        // of these
}

// QueueWork hands an operation to the domain (fi_control with FI_QUEUE_WORK). It begins when the triggering counter has
// reached the threshold, immediately if it has already, and whether or not the counter is set back afterwards; several that
// wait for one counter begin in the order of their thresholds, those of one threshold in the order in which they were
// queued. With automatic progress that needs no call, with manual progress the next poll does it.
//
// Its end is counted by the completion counter and, unless its flags have fi.OpCompletion, by nothing else: there is no
// entry in the endpoint's queue, and its counters do not move. Errors are counted as errors, and have an entry with the
// cause. Closing the endpoint ends its work with fi.ErrCanceled; counters cannot be closed as long as work uses them.
//
// It is safe for concurrent use as the domain's threading says.
//
// Errors: fi.ErrNoSys without FI_TRIGGER, or when the endpoint has no such operations; fi.ErrInvalid for a field that is
// missing or does not fit; fi.ErrBadFlags; fi.ErrDomain for objects of another domain; fi.ErrOpNotSupp for a receive of an
// endpoint with a shared context; fi.ErrOpBadState before Enable; fi.ErrBadFD for closed objects; fi.ErrAgain, bare, when
// the queue has no room for the entry that is asked for. What turns out only when the operation begins, such as an unknown
// peer or a message that is too long, is an error of the operation.
func (d *Domain) QueueWork(w *DeferredWork) error {
	if err := d.open("queue_work"); err != nil {
		return err
	}
	i, err := d.item(w)
	if err == nil {
		err = d.queue(i)
	}
	if err == fi.ErrAgain { //nolint:errorlint // documented: a bare value
		return err
	}
	return d.fail("queue_work", err, workHint(err))
}

// workHint words what is said bare.
func workHint(err error) string {
	switch err {
	case fi.ErrNoSys:
		return "ask for FI_TRIGGER, and the group of the operation, in the hints' caps, and open the endpoint with that Info"
	case fi.ErrBadFlags:
		return "give the flags that the operation's general form takes, without fi.OpTrigger and fi.OpPeek; a receive for many " +
			"messages (fi.OpMultiRecv) must ask for entries by fi.OpCompletion, and have no completion counter"
	case fi.ErrBadFD:
		return "the endpoint or one of the counters is closed"
	case fi.ErrOpBadState:
		return "the endpoint is not enabled: call Enable first"
	case fi.ErrDomain:
		return "the endpoint and the counters must be of this domain"
	case fi.ErrOpNotSupp:
		return "the endpoint receives into a shared context: post receives there"
	}
	return ""
}

// item checks a request.
func (d *Domain) item(w *DeferredWork) (*workItem, error) {
	wrong := func(hint string) (*workItem, error) { return nil, d.fail("queue_work", fi.ErrInvalid, hint) }
	switch {
	case w == nil:
		return wrong("the request is nil")
	case d.info.Caps&fi.CapTrigger == 0:
		return nil, fi.ErrNoSys
	case w.Triggering == nil:
		return wrong("Triggering is nil: give the counter to wait for")
	}
	i := &workItem{threshold: w.Threshold, on: w.Triggering, done: w.Completion, of: w, at: -1}
	if w.OpType == fi.WorkCntrSet || w.OpType == fi.WorkCntrAdd {
		switch {
		case w.Completion != nil:
			return wrong("Completion must be nil for operations on counters")
		case w.Counter == nil:
			return wrong("Counter is nil: give the one to change")
		}
		i.target, i.value, i.set = w.Counter, w.Value, w.OpType == fi.WorkCntrSet
		return i, d.mine(i)
	}
	work, known, ok, err := w.work()
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return wrong("the message that belongs to " + w.OpType.String() + " is missing, or there is no such operation")
	case w.EP == nil:
		return wrong("EP is nil: give the endpoint that does it")
	}
	i.core, i.user = w.EP.core, work.Context
	if err := d.mine(i); err != nil {
		return nil, err
	}
	if err := i.core.capable(work.Kind); err != 0 {
		return nil, err
	}
	if i.core.info.Caps&fi.CapCollective != 0 && !guardWork(&work) {
		return wrong("the highest bit of tags belongs to collectives: EP.MemTagFormat of the endpoint's Info tells")
	}
	i.work = i.core.own(&work)
	return i, i.flags(w.Flags, known)
}

// mine checks that everything is of this domain.
func (d *Domain) mine(i *workItem) error {
	err := error(nil)
	i.counters(func(c *Counter) {
		if c.domain != d {
			err = fi.ErrDomain
		}
	})
	if i.core != nil && i.core.domain != d {
		err = fi.ErrDomain
	}
	return err
}

// work gives the operation, and the flags that its general form takes; ok is false when its message is missing.
func (w *DeferredWork) work() (out driver.Work, known fi.OpFlags, ok bool, err error) {
	switch {
	case w.OpType == fi.WorkSend && w.Msg != nil:
		return sendWork(w.Msg), sendFlags, true, nil
	case w.OpType == fi.WorkRecv && w.Msg != nil:
		return recvWork(w.Msg), recvFlags, true, nil
	case w.OpType == fi.WorkTSend && w.Tagged != nil:
		return taggedWork(driver.WorkTSend, w.Tagged), sendFlags, true, nil
	case w.OpType == fi.WorkTRecv && w.Tagged != nil:
		return taggedWork(driver.WorkTRecv, w.Tagged), recvFlags, true, nil
	case w.OpType == fi.WorkRead && w.RMA != nil:
		return rmaWork(driver.WorkRead, w.RMA), readFlags, true, nil
	case w.OpType == fi.WorkWrite && w.RMA != nil:
		return rmaWork(driver.WorkWrite, w.RMA), sendFlags, true, nil
	case w.Atomic == nil:
		return out, 0, false, nil
	case w.OpType == fi.WorkAtomic:
		return w.atomic(fi.AtomicBase, nil, nil)
	case w.OpType == fi.WorkFetchAtomic:
		return w.atomic(fi.AtomicFetch, nil, w.Result)
	case w.OpType == fi.WorkCompareAtomic:
		return w.atomic(fi.AtomicCompare, w.Compare, w.Result)
	}
	return out, 0, false, nil
}

func (w *DeferredWork) atomic(kind fi.AtomicKind, compare, result [][]byte) (driver.Work, fi.OpFlags, bool, error) {
	k, err := checkAtomicMsg(kind, w.Atomic, compare, result)
	if err != nil {
		return driver.Work{}, 0, false, err
	}
	return atomicWork(k, w.Atomic, compare, result), atomicFlags, true, nil
}

// flags checks the flags of a request and says what they mean for its end.
func (i *workItem) flags(flags, known fi.OpFlags) error {
	q := i.core.txCQ
	if i.work.Kind.Receives() {
		q = i.core.rxCQ
	}
	i.count = flags&fi.OpCompletion != 0
	i.entry = i.count && q != nil
	i.direct = i.work.Kind.Receives() && i.entry && i.done == nil
	if flags&^known != 0 || flags&fi.OpMultiRecv != 0 && !i.direct {
		return fi.ErrBadFlags
	}
	i.work.Flags = flags
	return nil
}

// queue accepts an item.
func (d *Domain) queue(i *workItem) error {
	d.eng.Lock()
	defer d.eng.Unlock()
	gone := i.core != nil && i.core.retired
	i.counters(func(c *Counter) { gone = gone || c.gone })
	if gone {
		return fi.ErrBadFD
	}
	if i.core != nil && i.entry && !i.work.Kind.Receives() {
		if !i.core.b.TxCQ.Reserve() {
			return fi.ErrAgain
		}
		i.reserved = true
	}
	i.counters(func(c *Counter) { c.works++ })
	if c := i.core; c != nil {
		if c.works == nil {
			c.works = make(map[*workItem]struct{})
		}
		c.works[i] = struct{}{}
	}
	if i.on.list == nil {
		i.on.list = &waitlist{c: i.on.c, d: d}
	}
	i.on.list.add(i)
	return nil
}

// CancelWork takes back an operation that waits for its counter (fi_control with FI_CANCEL_WORK): the one that was queued
// first with this pointer. It will not begin, and nothing is counted or reported.
//
// Errors: fi.ErrNoEnt when there is none: it has begun, or ended, or was never queued.
func (d *Domain) CancelWork(w *DeferredWork) error {
	if err := d.open("cancel_work"); err != nil {
		return err
	}
	d.eng.Lock()
	var first *workItem
	d.eachDeferred(func(i *workItem) {
		if i.of == w && (first == nil || i.seq < first.seq) {
			first = i
		}
	})
	if first != nil {
		first.drop()
	}
	d.eng.Unlock()
	if first == nil {
		return d.fail("cancel_work", fi.ErrNoEnt, "no such work waits: it has begun, or was queued with another pointer")
	}
	return nil
}

// FlushWork takes back all operations that wait for a counter, or with nil for any (fi_control with FI_FLUSH_WORK), as
// CancelWork does. Triggered operations stay: they are ended by Endpoint.Cancel.
//
// Errors: fi.ErrDomain for a counter of another domain.
func (d *Domain) FlushWork(on *Counter) error {
	if err := d.open("flush_work"); err != nil {
		return err
	}
	if on != nil && on.domain != d {
		return d.fail("flush_work", fi.ErrDomain, workHint(fi.ErrDomain))
	}
	d.eng.Lock()
	defer d.eng.Unlock()
	var all []*workItem
	d.eachDeferred(func(i *workItem) {
		if on == nil || i.on == on {
			all = append(all, i)
		}
	})
	for _, i := range all {
		i.drop()
	}
	return nil
}

// eachDeferred gives the deferred work that waits. With the lock.
func (d *Domain) eachDeferred(f func(i *workItem)) {
	for l := range d.waiting {
		l.each(func(i *workItem) {
			if i.of != nil {
				f(i)
			}
		})
	}
}

// retire ends what waits: the endpoint closes.
func (c *epCore) retire() {
	eng := c.domain.eng
	eng.Lock()
	defer eng.Unlock()
	c.retired = true
	eng.Settle() // what has reached its threshold begins
	for _, i := range c.inOrder() {
		if i.list != nil {
			i.cancel("the endpoint was closed before its counter had reached the threshold")
		} else {
			i.withdraw("the endpoint was closed before there was room for the operation")
		}
	}
}

// settle ends what had no room: the endpoint is closed.
func (c *epCore) settle() {
	eng := c.domain.eng
	eng.Lock()
	eng.Settle()
	eng.Unlock()
}

// cancelWork ends the operation with a context that was queued first: one that waits at once, one that has begun as far
// as the provider can. fi.ErrNoEnt when there is none.
func (c *epCore) cancelWork(ctx any) error {
	eng := c.domain.eng
	eng.Lock()
	begun := (*workItem)(nil)
	for _, i := range c.inOrder() {
		if i.user != ctx {
			continue
		}
		if i.list != nil {
			i.cancel("Cancel ended the operation before its counter had reached the threshold")
			eng.Unlock()
			return nil
		}
		begun = i
		break
	}
	withdrawn := begun != nil && begun.withdraw("Cancel ended the operation before there was room for it")
	eng.Unlock()
	switch {
	case begun == nil:
		return fi.ErrNoEnt
	case withdrawn:
		return nil
	}
	return c.drv.Cancel(begun)
}
