package lnx

import (
	"slices"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// first posts an operation to a peer that nothing was sent to: it is kept while the link is being found out.
//
//go:noinline
func (e *endpoint) first(w *driver.Work) error {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	l, t, err := e.toLocked(w.Addr)
	switch {
	case err != 0:
		return err
	case l != nil:
		return l.issuer.Issue(w)
	}
	return e.hold(t, w)
}

// hold keeps an operation, as a link does while it connects. With the lock.
func (e *endpoint) hold(t *attempt, w *driver.Work) error {
	if err := e.check(w); err != 0 {
		return err
	}
	if e.holding >= e.Info.Tx.Size || !e.SharedTx.Take() {
		return e.NoRoom()
	}
	if !e.Reserve(w.Flags) {
		e.SharedTx.Give()
		return e.NoRoom()
	}
	e.holding++
	e.held.Add(1)
	t.held.Push(own(w))
	return nil
}

// check is what links say of an operation when it is posted.
func (e *endpoint) check(w *driver.Work) fi.Errno {
	n := length(w.Iov)
	most, inject := e.Max.Msg, e.Inject.Msg
	switch w.Kind {
	case driver.WorkTSend:
		most, inject = e.Max.Tagged, e.Inject.Tagged
	case driver.WorkRead, driver.WorkWrite:
		most, inject = e.Max.RMA, e.Inject.RMA
		if len(w.RMA) == 0 || !rdm.SameLength(n, w.RMA) {
			return fi.ErrInvalid
		}
	case driver.WorkAtomic, driver.WorkFetch, driver.WorkCompare:
		most, inject, n = e.Max.Atomic, e.Inject.Atomic, 0
		for _, r := range w.RMA {
			n += int(r.Len)
		}
		if len(w.RMA) == 0 {
			return fi.ErrInvalid
		}
	}
	if w.Kind == driver.WorkRead || w.Flags&fi.OpInject == 0 {
		inject = most
	}
	if uint64(n) > most || uint64(n) > inject {
		return fi.ErrMsgSize
	}
	return 0
}

func length(iov [][]byte) (n int) {
	for _, b := range iov {
		n += len(b)
	}
	return n
}

// own copies what the caller may use again: the slices, and data that is injected.
func own(w *driver.Work) *driver.Work {
	c := *w
	c.RMA, c.Compare, c.Result, c.Iov = slices.Clone(w.RMA), slices.Clone(w.Compare), slices.Clone(w.Result), slices.Clone(w.Iov)
	if w.Flags&fi.OpInject != 0 && w.Kind != driver.WorkRead {
		for i, b := range c.Iov {
			c.Iov[i] = slices.Clone(b)
		}
		for i, b := range c.Compare {
			c.Compare[i] = slices.Clone(b)
		}
	}
	return &c
}

// release hands what is held to a link, in order; false when that has no room for all of it now. With the lock.
func (e *endpoint) release(t *attempt, l *link) bool {
	for t.held.Len() > 0 {
		w := *t.held.First()
		e.Unreserve(w.Flags)
		e.SharedTx.Give()
		err := l.issuer.Issue(w)
		if err == fi.ErrAgain { //nolint:errorlint // documented: a bare value
			if e.Reserve(w.Flags) && e.SharedTx.Take() {
				return false
			}
			err = fi.ErrOther // cannot be: we have just given these places back, and the lock is ours
		}
		t.held.Pop()
		e.letGo()
		if err != nil {
			e.refused(w, err)
		}
	}
	return true
}

func (e *endpoint) letGo() {
	e.holding--
	e.held.Add(-1)
}

// refused ends an operation that was accepted and that its link refuses.
func (e *endpoint) refused(w *driver.Work, err error) {
	errno, ok := err.(fi.Errno) //nolint:errorlint // documented: a bare value
	if !ok {
		errno = fi.ErrOther
	}
	e.TxFail(w.Context, w.Flags&^fi.OpCompletion, w.Kind.Completion(), 0, w.Tag, errno, "")
}

// cancelHeld ends the oldest operation with that context that is held; false when there is none. With the lock.
func (e *endpoint) cancelHeld(ctx any) bool {
	for _, t := range e.trying {
		for i, w := range t.held.All() {
			if w.Context != ctx {
				continue
			}
			if i == 0 {
				t.held.Pop()
			} else {
				t.held.Remove(i)
			}
			e.Unreserve(w.Flags)
			e.SharedTx.Give()
			e.letGo()
			e.refused(w, fi.ErrCanceled)
			return true
		}
	}
	return false
}
