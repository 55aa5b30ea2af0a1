package mem

import (
	"fmt"

	"github.com/gofabric/gofabric/fabric/driver"
)

// ContextAddr gives the address of a context of a scalable endpoint.
func (d *domain) ContextAddr(raw []byte, i int) ([]byte, error) {
	if i == 0 {
		return raw, nil
	}
	return fmt.Appendf(nil, "%s#%d", raw, i), nil
}

// SetContext makes the endpoint context i of the scalable endpoint whose first one is given.
func (e *endpoint) SetContext(first driver.Endpoint, i int) error {
	raw, err := first.Name()
	if err != nil {
		return err
	}
	e.name, err = e.d.ContextAddr(raw, i)
	return err
}

// Rebind takes over the queues and counters of a half that comes now.
func (e *endpoint) Rebind(b *driver.Bindings) {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.Endpoint.Rebind(b)
}
