package fabric

import (
	"sync"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/internal/osx"
)

// drives are the engines that reading an event queue drives: those of the passive endpoints and of the domains whose
// endpoints are bound to it. To a [waitObj] they are one engine.
type drives struct {
	mu sync.Mutex // what a waitObj takes for the engine's lock; before list's

	rw   sync.RWMutex // before the locks of the engines
	list []driven     // +checklocks:rw
}

// driven is an engine and how many objects need it.
type driven struct {
	e    *driver.Engine
	uses int
}

// parking is what a waitObj asks of the engine that it drives.
type parking interface {
	Lock()
	Unlock()
	Drive()                  // with the lock
	Park(b driver.Bell) bool // with the lock
	Unpark(b driver.Bell)
	Idle()
}

// add makes an engine be driven; nil is one that needs nobody. Readers that are blocked park on it, too, when they are
// rung.
func (d *drives) add(e *driver.Engine) {
	if e == nil {
		return
	}
	d.rw.Lock()
	defer d.rw.Unlock()
	for i := range d.list {
		if d.list[i].e == e {
			d.list[i].uses++
			return
		}
	}
	d.list = append(d.list, driven{e, 1})
}

// remove ends that; b is who may be parked on it. Nobody uses the engine when it returns.
func (d *drives) remove(e *driver.Engine, b driver.Bell) {
	if e == nil {
		return
	}
	d.rw.Lock()
	defer d.rw.Unlock()
	for i := range d.list {
		if d.list[i].e != e {
			continue
		}
		if d.list[i].uses--; d.list[i].uses == 0 {
			d.list = append(d.list[:i], d.list[i+1:]...)
			e.Unpark(b)
		}
		return
	}
}

// advance is one step of every engine that has work.
func (d *drives) advance() {
	d.rw.RLock()
	defer d.rw.RUnlock()
	for _, x := range d.list {
		x.e.Polled()
		if x.e.Ready() {
			x.e.Lock()
			x.e.Drive()
			x.e.Unlock()
			x.e.Busy()
		}
	}
}

func (d *drives) Lock()   { d.mu.Lock() }
func (d *drives) Unlock() { d.mu.Unlock() }

func (d *drives) Drive() {
	d.rw.RLock()
	defer d.rw.RUnlock()
	for _, x := range d.list {
		x.e.Lock()
		x.e.Drive()
		x.e.Unlock()
	}
}

func (d *drives) Park(b driver.Bell) (busy bool) {
	d.rw.RLock()
	defer d.rw.RUnlock()
	for _, x := range d.list {
		x.e.Lock()
		busy = x.e.Park(b) || busy
		x.e.Unlock()
	}
	return busy
}

func (d *drives) Unpark(b driver.Bell) {
	d.rw.RLock()
	defer d.rw.RUnlock()
	for _, x := range d.list {
		x.e.Unpark(b)
	}
}

// Idle is called after a read that found nothing.
func (d *drives) Idle() {
	d.rw.RLock()
	defer d.rw.RUnlock()
	if len(d.list) == 0 {
		osx.SchedYield()
		return
	}
	d.list[0].e.Idle() // one yield serves all
}
