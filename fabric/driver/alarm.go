package driver

import (
	"sync"
	"time"
)

// Alarm has a task run when a time has passed, as [Engine.Request] does: with the domain's lock held, by whoever polls then,
// and with automatic progress also when nobody does.
type Alarm struct {
	e     *Engine
	t     Task
	timer *time.Timer

	mu      sync.Mutex // held while it rings; before the domain's lock
	stopped bool       // guarded by mu
}

// NewAlarm makes an alarm for a task. It costs nothing before it is set.
func (e *Engine) NewAlarm(t Task) *Alarm { return &Alarm{e: e, t: t} }

// Set has the task run once, after d. With the lock.
func (a *Alarm) Set(d time.Duration) {
	if a.timer == nil {
		a.timer = time.AfterFunc(d, a.ring)
		return
	}
	a.timer.Reset(d)
}

// Stop ends the alarm for good, and waits while it rings: the domain may be closed then. The task may run once more, if its
// time has come just now. Without the lock, and when nobody calls Set any more.
func (a *Alarm) Stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
	a.mu.Lock()
	a.stopped = true
	a.mu.Unlock()
}

// ring is the timer's.
func (a *Alarm) ring() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.stopped {
		a.e.Request(a.t)
	}
}
