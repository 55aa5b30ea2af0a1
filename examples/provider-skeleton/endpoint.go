package skeleton

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// endpoint is an endpoint: rdm's half, and ours. The domain's lock guards it.
type endpoint struct {
	rdm.Endpoint
	d       *domain
	name    []byte // nil before Enable
	closed  bool
	senders map[*endpoint]*peer // who has sent to us
}

func newEndpoint(d *domain, info *fi.Info) *endpoint {
	e := &endpoint{d: d, senders: map[*endpoint]*peer{}}
	e.Info, e.Rx = info, rdm.NewRx(d.eng, info)
	return e
}

// Enable makes the endpoint ready and gives its operations. A group that is nil is not offered.
func (e *endpoint) Enable(b *driver.Bindings) (driver.Ops, error) {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.Init(e.d.eng, e.Info, e.d.regions, b)
	e.name = e.d.p.freshName()
	e.d.p.byName[string(e.name)] = e
	return driver.Ops{Msg: ops{e}}, nil
}

// Name is the endpoint's address.
func (e *endpoint) Name() ([]byte, error) {
	if e.name == nil {
		return nil, fi.ErrOpBadState
	}
	return e.name, nil
}

// Cancel ends a receive; sends have always ended.
func (e *endpoint) Cancel(ctx any) error { return e.Rx.Cancel(ctx) }

// Close completes what is pending with fi.ErrCanceled.
func (e *endpoint) Close() error {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.closed = true
	delete(e.d.p.byName, string(e.name))
	e.Drain()
	return nil
}
