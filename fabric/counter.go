package fabric

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/relstore"
)

// Counter counts completions or bytes of what it is bound to (struct fid_cntr, fi_cntr(3)). Reading it drives its domain
// forward.
type Counter struct {
	c   *cq.Counter
	eng *driver.Engine
	object
	domain *Domain
	wait   waitObj
	seen   uint64 // the value that Read gave last

	list  *waitlist // what waits for it; guarded by the engine's lock, as the next
	works int       // deferred and triggered operations that need it
	gone  bool      // it is closed
}

// Read gives the count of successes (fi_cntr_read).
//
//fabric:fastpath
func (c *Counter) Read() uint64 {
	c.eng.Polled()
	v := c.c.Value()
	if v != atomic.LoadUint64(&c.seen) { // news: the next read that has none drives the domain
		relstore.Uint64(&c.seen, v)
		return v
	}
	if c.eng.Ready() {
		c.progress()
	} else {
		c.eng.Idle()
	}
	return c.c.Value()
}

// ReadErr gives the count of errors (fi_cntr_readerr).
func (c *Counter) ReadErr() uint64 {
	c.eng.Polled()
	if c.eng.Ready() {
		c.progress()
	}
	return c.c.Errs()
}

//go:noinline
func (c *Counter) progress() {
	c.eng.Lock()
	c.eng.Drive()
	c.eng.Unlock()
}

// Add adds to the count (fi_cntr_add).
func (c *Counter) Add(delta uint64) { c.change(func() { c.c.Add(delta) }) }

// AddErr adds to the count of errors (fi_cntr_adderr).
func (c *Counter) AddErr(delta uint64) { c.change(func() { c.c.AddErr(delta) }) }

// Set sets the count (fi_cntr_set). The count wraps around at 2^64.
func (c *Counter) Set(value uint64) { c.change(func() { c.c.Set(value) }) }

// SetErr sets the count of errors (fi_cntr_seterr).
func (c *Counter) SetErr(value uint64) { c.change(func() { c.c.SetErr(value) }) }

func (c *Counter) change(f func()) {
	c.eng.Lock()
	f()
	c.eng.Unlock()
}

// Wait waits until the count is at least threshold (fi_cntr_wait).
//
// Errors: one that is fi.ErrAvail when the count of errors changed meanwhile: the cause is in the completion queue of the
// operation, if it has one; an error that is fi.ErrTimedOut and ctx.Err() when ctx ended first; fi.ErrNoSys on a counter
// opened with FI_WAIT_NONE.
func (c *Counter) Wait(ctx context.Context, threshold uint64) error {
	if err := c.open("cntr_wait"); err != nil {
		return err
	}
	if c.Read() >= threshold {
		return nil
	}
	if c.wait.kind == fi.WaitNone {
		return c.fail("cntr_wait", fi.ErrNoSys, "the counter was opened with FI_WAIT_NONE: use Read, or open it with FI_WAIT_UNSPEC")
	}
	errs := c.c.Errs()
	err := c.wait.wait(ctx, c.c, func(parking bool) bool {
		if !parking {
			c.eng.Polled()
			if c.eng.Ready() {
				c.progress()
			}
		}
		return c.c.Value() >= threshold || c.c.Errs() != errs
	})
	switch {
	case errors.Is(err, errClosed):
		return c.open("cntr_wait")
	case c.c.Value() >= threshold:
		return nil
	case c.c.Errs() != errs:
		return c.fail("cntr_wait", fi.ErrAvail, fmt.Sprintf("%d operations counted here have failed, the count is %d of %d: why is said by the "+
			"completion queue of the endpoint or context; bind one to read it", c.c.Errs(), c.c.Value(), threshold))
	}
	text := fmt.Sprintf("the count is %d of %d", c.c.Value(), threshold)
	if errs > 0 { // before the wait: what failed meanwhile has ended it
		text += fmt.Sprintf(", and %d operations counted here have failed, which the count leaves out: ReadErr tells their number, the "+
			"completion queue of the endpoint or context why", errs)
	}
	return c.fail("cntr_wait", errors.Join(fi.ErrTimedOut, err), text)
}

// FD is the descriptor of a counter opened with FI_WAIT_FD (fi_control with FI_GETWAIT); see [CQ.FD].
func (c *Counter) FD() (uintptr, error) {
	if err := c.open("cntr_getwait"); err != nil {
		return 0, err
	}
	if c.wait.fd == nil {
		return 0, c.fail("cntr_getwait", fi.ErrNoSys, "open the counter with FI_WAIT_FD")
	}
	return c.wait.fd.FD(), nil
}

// TryWait prepares for a wait on FD for a change of the counter from the values last seen (fi_trywait): nil says that it
// is safe to block, fi.ErrAgain that it has changed.
func (c *Counter) TryWait(value, errs uint64) error {
	if err := c.open("trywait"); err != nil {
		return err
	}
	return c.wait.tryWait(c.c, func() bool { return c.c.Value() != value || c.c.Errs() != errs })
}

// Close releases the counter (fi_close). fi.ErrBusy while it is bound, and while deferred work or triggered operations
// wait for it or are counted there; closing twice does nothing.
func (c *Counter) Close() error {
	done, err := c.beginClose()
	if done || err != nil {
		return err
	}
	c.eng.Lock()
	works := c.works
	c.gone = works == 0
	c.eng.Unlock()
	if works > 0 {
		c.reopen()
		return c.fail("cntr_close", fi.ErrBusy, fmt.Sprintf("%d deferred or triggered operations need it: wait for them, take them back "+
			"with Domain.FlushWork or Endpoint.Cancel, or close their endpoint", works))
	}
	c.wait.release(c.c)
	c.domain.totals.drop(c)
	c.endClose()
	return nil
}
