package shm

import (
	"fmt"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver"
)

// ContextAddr gives the address of a context of a scalable endpoint: the name, and which one it is.
func (d *domain) ContextAddr(raw []byte, i int) ([]byte, error) {
	if i == 0 {
		return raw, nil
	}
	return checkAddr(fmt.Appendf(nil, "%s#%d", raw, i))
}

// SetContext makes the endpoint context i of the scalable endpoint whose first one is given.
func (e *endpoint) SetContext(first driver.Endpoint, i int) error {
	raw, err := first.Name()
	if err != nil {
		return err
	}
	if raw, err = e.d.ContextAddr(raw, i); err != nil {
		return err
	}
	e.name = nameOf(raw)
	return nil
}

// Rebind takes over the queues and counters of a half that comes now.
func (e *endpoint) Rebind(b *driver.Bindings) {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.Endpoint.Rebind(b)
	e.setLimits(b)
	e.noteEvents(b)
}

// noteEvents makes peers tell of accesses that we count.
func (e *endpoint) noteEvents(b *driver.Bindings) {
	if b.CntRemoteRead != nil || b.CntRemoteWrite != nil {
		atomic.StoreUint32(e.d.table.events, 1)
	}
}
