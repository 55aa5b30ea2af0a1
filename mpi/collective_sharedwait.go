package mpi

import (
	"context"
	"encoding/binary"
	"runtime"
	"time"

	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/segment"
)

// sharedWait is how a member waits for others in shared memory: it gives up the processor, drives the device now and then,
// and sleeps in the end.
type sharedWait struct {
	c        *Comm
	began    time.Time
	bell     chan struct{} // rung by those who wake
	seq, sig uint32        // of the operation
	stall    *device.Stall // of a wait that has become long
}

const (
	sharedLook   = 16                   // turns between two looks at the device
	sharedAwake  = 2 * time.Millisecond // before a member sleeps: waking it costs more than some yields
	sharedDoubts = 250 * time.Millisecond
)

// Idle is called while a member waits for another one.
func (w *sharedWait) Idle(ctx context.Context, s *segment.Segment, member, turn int) error {
	if turn%sharedLook != sharedLook-1 {
		w.yield(s, turn)
		return nil
	}
	if turn == sharedLook-1 {
		w.began = time.Now()
		w.over()
	}
	w.c.job.dev.Poll()
	runtime.Gosched()
	if err := ctx.Err(); err != nil {
		return err
	}
	if time.Since(w.began) < sharedAwake {
		return nil
	}
	return w.sleep(ctx, s, member)
}

// yield lets whoever shares the processor run: a goroutine, or a process.
func (w *sharedWait) yield(s *segment.Segment, turn int) {
	switch {
	case w.c.job.oneProcess():
		runtime.Gosched()
	case s.Crowded() || turn > 4:
		osx.SchedYield()
	}
}

// oneProcess tells whether the ranks are goroutines.
func (j *job) oneProcess() bool { return j.dev.Provider() == "mem" }

// sleep waits for Wake. The device's own goroutine drives meanwhile.
func (w *sharedWait) sleep(ctx context.Context, s *segment.Segment, member int) error {
	d := w.c.job.dev
	d.Watch()
	defer d.Unwatch()
	if !s.Doze(member) {
		return nil
	}
	if w.stall == nil {
		w.stall = d.Stalled(w.world(member), device.TagOf(device.Collective, w.c.id, 0))
	}
	news := d.News()
	err := w.doubt(member, false)
	if err == nil {
		ask := time.NewTimer(sharedDoubts)
		defer ask.Stop()
		select {
		case <-w.bell: // for this sleep, or late for one before
		case <-news:
		case <-ctx.Done():
			err = ctx.Err()
		case <-ask.C:
			w.stall.Check()
			err = w.doubt(member, true)
		}
	}
	s.Up() // false: somebody has rung the bell, or does it now, which wakes us once too often next time
	return err
}

// over ends the wait that has been noted.
func (w *sharedWait) over() {
	w.stall.Over()
	w.stall = nil
}

func (w *sharedWait) world(member int) int {
	if w.c.ranks != nil {
		return w.c.ranks[member]
	}
	return member
}

// doubt looks whether the others can still come, and asks the one that is waited for when that has taken long.
func (w *sharedWait) doubt(member int, long bool) error {
	c, world := w.c, w.world(member)
	peer := device.AnyPeer
	if long { // before, what it has done before its end may be about to be seen
		peer = world
	}
	if err, _ := c.job.dev.Verdict(peer, device.TagOf(device.Collective, c.id, 0), long); err != nil {
		return err
	}
	c.coll.mu.Lock()
	broken := c.coll.broken
	c.coll.mu.Unlock()
	if broken == nil && long {
		c.ask(world, w.seq, w.sig)
	}
	return broken
}

// Wake wakes a member.
func (w *sharedWait) Wake(member int) {
	w.c.job.dev.Tell(w.world(member), device.KindWake, binary.LittleEndian.AppendUint32(nil, w.c.id))
}

// woken rings the bell of a communicator.
func (j *job) woken(from int, body []byte) {
	if len(body) != 4 {
		return
	}
	v, ok := j.comms.Load(binary.LittleEndian.Uint32(body))
	if !ok || v.(*Comm).rankOf(from) < 0 {
		return
	}
	select {
	case v.(*Comm).shared.wait.bell <- struct{}{}:
	default:
	}
}
