package device

import (
	"context"
	"runtime"
	"time"
)

// The ladder of a wait: looks at the queue for a while, which is some round trips, then sleep.
const (
	waitLooks = 64
	waitFor   = 50 * time.Microsecond
)

// Wait drives the device until the operation is over, or ctx ends: the operation goes on then, and its buffer stays in
// use. It does not return the operation's own error.
//
//fabric:fastpath
func (d *Device) Wait(ctx context.Context, op *Op) error {
	for range waitLooks {
		if op.Done() {
			return nil
		}
		d.Poll()
	}
	return d.waitLong(ctx, op)
}

//go:noinline
func (d *Device) waitLong(ctx context.Context, op *Op) error {
	for began := time.Now(); time.Since(began) < waitFor; {
		for range waitLooks {
			if op.Done() {
				return nil
			}
			d.Poll()
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
	for {
		select {
		case <-bell:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-ask.C:
			d.doubt(op)
		}
	}
}

// patience is how long somebody waits before he asks whether his peer still lives.
const patience = 250 * time.Millisecond

// Until drives the device until look returns true, or ctx ends. look is called often.
func (d *Device) Until(ctx context.Context, look func() bool) error {
	pause := waitFor
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
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		pause = min(2*pause, time.Millisecond)
	}
}
