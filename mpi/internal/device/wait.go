package device

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// The ladder of a wait: looks at the queue, which give up the processor now and then, for longer than a large message takes
// (waking somebody costs as much as 1 MiB), then sleep.
const (
	waitLooks = 64
	waitFor   = 2 * time.Millisecond
)

// Wait drives the device until the operation is over, or ctx ends: the operation goes on then, and its buffer stays in
// use. It does not return the operation's own error.
//
//fabric:fastpath
func (d *Device) Wait(ctx context.Context, op *Op) error {
	if d.look(op) {
		return nil
	}
	return d.waitLong(ctx, op)
}

// look drives the device for a while, unless somebody else does, and tells whether the operation is over.
func (d *Device) look(op *Op) bool {
	if op.Done() {
		return true
	}
	if !d.token.TryLock() {
		return op.Done()
	}
	for range waitLooks {
		if d.poll(); op.Done() {
			break
		}
	}
	d.token.Unlock()
	return op.Done()
}

//go:noinline
func (d *Device) waitLong(ctx context.Context, op *Op) error {
	for began := time.Now(); time.Since(began) < waitFor; {
		if d.look(op) {
			return nil
		}
		runtime.Gosched()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return d.sleep(ctx, op)
}

// sleep lets the device's own goroutine wait for completions.
func (d *Device) sleep(ctx context.Context, op *Op) error {
	bell := op.Bell()
	d.Watch()
	defer d.Unwatch()
	select {
	case <-bell:
		return nil
	default:
	}
	ask := time.NewTicker(patience)
	defer ask.Stop()
	stall := d.Stalled(op.Peer, op.Want)
	defer stall.Over()
	for long, doomed := false, 0; ; {
		news := d.news.next()
		if err := d.Doubt(op, long); err != nil {
			return err
		}
		select {
		case <-bell:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-d.gone:
			return errClosed
		case <-news:
			long = false
		case <-ask.C:
			long = true
			stall.Check()
			if err := op.doomed(); err != nil {
				if doomed++; doomed > giveUp {
					return err
				}
			}
		}
	}
}

// giveUp is how many times patience somebody waits for an operation that was withdrawn and does not end: a peer that is
// stopped has its part of it.
const giveUp = 4

var errClosed = errors.New("the device is closed")

// Attend waits until the operation is over or the device is closed, for somebody who does not wait himself.
func (d *Device) Attend(op *Op) {
	for bell := op.Bell(); ; {
		news := d.news.next()
		if d.sleep(context.Background(), op) == nil {
			return
		}
		select {
		case <-bell:
			return
		case <-d.gone:
			return
		case <-news: // what its owner should know may have changed
		}
	}
}

// Until drives the device until look returns true, or ctx ends. look is called often.
func (d *Device) Until(ctx context.Context, look func() bool) error {
	return d.Await(ctx, look, nil, AnyPeer, controlTag)
}

// Await is Until that asks doubt, too, when it waits for longer, and ends with the error that it returns. Whoever gives it
// calls Doubt for operations or Verdict, with the same long. peer and tag are for the watchdog's report.
func (d *Device) Await(ctx context.Context, look func() bool, doubt func(long bool) error, peer int, tag uint64) error {
	var stall *Stall
	var news <-chan struct{}
	var asked time.Time
	pause := 50 * time.Microsecond
	for began := time.Now(); ; {
		for range waitLooks {
			if look() {
				return nil
			}
			d.Poll()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Since(began) < waitFor {
			runtime.Gosched()
			continue
		}
		if asked.IsZero() {
			asked, news = began, d.news.next()
			stall = d.Stalled(peer, tag)
			defer stall.Over()
			if err := doubted(doubt, false); err != nil {
				return err
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-d.gone:
			timer.Stop()
			return errClosed
		case <-news:
			timer.Stop()
			news = d.news.next()
			if err := doubted(doubt, false); err != nil {
				return err
			}
		}
		pause = min(2*pause, time.Millisecond)
		if time.Since(asked) > patience {
			asked = time.Now()
			stall.Check()
			if err := doubted(doubt, true); err != nil {
				return err
			}
		}
	}
}

func doubted(doubt func(long bool) error, long bool) error {
	if doubt == nil {
		return nil
	}
	return doubt(long)
}
