package chaos

import (
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Issue posts what the library does by itself; with the domain's lock.
func (e *endpoint) Issue(w *driver.Work) error {
	inner, ok := e.Endpoint.(driver.Issuer)
	if !ok {
		return fi.ErrNoSys
	}
	err := inner.Issue(w)
	if err == nil && e.m == TriggerTwice && w.Flags&driver.OpNotify != 0 {
		again := *w
		again.Context = deaf{}
		inner.Issue(&again)
	}
	return err
}

// deaf is the context of an operation that nobody knows of.
type deaf struct{}

// Done implements driver.Notified.
func (deaf) Done(cq.ErrEntry) {}

// early counts a receive that has been posted; the inner provider counts into nothing.
func (e *endpoint) early(err error) error {
	if err == nil && e.m == TriggerEarly && e.counted != nil {
		e.eng.Lock()
		e.counted.Add(1)
		e.eng.Unlock()
	}
	return err
}
