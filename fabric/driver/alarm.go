package driver

import "time"

// Alarm has a task run when a time has passed, as [Engine.Request] does: with the domain's lock held, by whoever polls then,
// and with automatic progress also when nobody does.
type Alarm struct {
	e     *Engine
	t     Task
	timer *time.Timer
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

// Stop ends the alarm; the task may run once more, if its time has come just now. With the lock.
func (a *Alarm) Stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// ring is the timer's.
func (a *Alarm) ring() {
	if !a.e.closed.Load() {
		a.e.Request(a.t)
	}
}
