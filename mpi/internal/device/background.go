package device

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// background is the device's own goroutine: it drives while somebody sleeps on an operation, or while something goes on
// that nobody waits for, unless another goroutine polls.
type background struct {
	wanted atomic.Int32
	inside atomic.Bool // it waits for completions
	wake   chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	left   sync.WaitGroup
}

// standBy is how long it leaves the queue to those who poll.
const standBy = time.Millisecond

func (b *background) start(d *Device) {
	b.wake = make(chan struct{}, 1)
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.left.Go(func() { b.run(b.ctx, d) })
}

func (b *background) stop(d *Device) {
	if b.cancel == nil {
		return
	}
	b.cancel()
	b.left.Wait()
}

// Watch asks the device's own goroutine to drive until as many calls of Unwatch.
func (d *Device) Watch() {
	if d.back.wanted.Add(1) == 1 {
		select {
		case d.back.wake <- struct{}{}:
		default:
		}
	}
}

// Unwatch takes back one Watch.
func (d *Device) Unwatch() { d.back.wanted.Add(-1) }

func (b *background) run(ctx context.Context, d *Device) {
	var entries [8]cq.Entry
	for seen := d.polls.Load(); ctx.Err() == nil; {
		if b.wanted.Load() <= 0 {
			select {
			case <-b.wake:
			case <-ctx.Done():
			}
			seen = d.polls.Load()
			continue
		}
		if now := d.polls.Load(); now != seen {
			seen = now
			pause(ctx, standBy)
			if d.polls.Load() == seen {
				d.Poll()
				seen = d.polls.Load()
			}
			continue
		}
		b.inside.Store(true)
		n, err := d.queue.SRead(ctx, entries[:])
		b.inside.Store(false)
		d.token.Lock()
		for i := range n {
			d.complete(&entries[i])
		}
		if n == 0 && err == fi.ErrAvail { //nolint:errorlint // documented: a bare value
			d.completeErr()
		}
		d.token.Unlock()
	}
}

func pause(ctx context.Context, t time.Duration) {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
