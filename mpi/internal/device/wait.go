package device

import (
	"context"
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
