package fabric

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// SharedTx is a transmit context that several endpoints share (struct fid_stx, fi_endpoint(3)): as many of their
// operations may be under way in all as its size says. Operations are posted on the endpoints, and complete on their
// queues and counters.
type SharedTx struct {
	object
	drv    *driver.SharedTx
	domain *Domain
	info   *fi.Info
}

// OpenSharedTx makes a shared transmit context for endpoints of info (fi_stx_context). Its size is info.Tx.Size; operations
// that are done when their call returns, such as short sends to a peer that is connected, need no place in it.
//
// Errors: as OpenEndpoint; fi.ErrNoSys where there are none.
func (d *Domain) OpenSharedTx(info *fi.Info) (*SharedTx, error) {
	if err := d.checkInfo("stx_context", info); err != nil {
		return nil, err
	}
	if info.Domain.MaxEPStxCtx == 0 {
		return nil, d.fail("stx_context", fi.ErrNoSys, "this provider has no shared transmit contexts: Domain.MaxEPStxCtx of its Info is 0")
	}
	if why := d.beyond(info); why != "" {
		return nil, d.fail("stx_context", fi.ErrInvalid, why)
	}
	s := &SharedTx{drv: driver.NewSharedTx(max(info.Tx.Size, 1)), domain: d, info: info.Clone()}
	s.init("stx", d.prov, &d.object)
	return s, nil
}

// Info tells what the context was opened with. The value is a copy.
func (s *SharedTx) Info() *fi.Info { return s.info.Clone() }

// Close releases the context (fi_close). fi.ErrBusy while endpoints use it; closing twice does nothing.
func (s *SharedTx) Close() error {
	done, err := s.beginClose()
	if done || err != nil {
		return err
	}
	s.endClose()
	return nil
}

// BindSharedTx makes the endpoint send by a shared context (fi_ep_bind); before Enable. An endpoint of an Info with
// fi.SharedContext as EP.TxCtxCount needs one.
//
// Errors: fi.ErrInvalid when s is nil, when the endpoint has one, or when it has capabilities that the context has not;
// fi.ErrDomain, fi.ErrOpBadState as for BindAV.
func (ep *Endpoint) BindSharedTx(s *SharedTx) error {
	c := ep.core
	if s == nil {
		return c.fail("ep_bind", fi.ErrInvalid, "the shared context is nil: make one with Domain.OpenSharedTx")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.bindable(s.domain); err != nil {
		return err
	}
	switch more := c.info.Caps & fi.TxCaps &^ s.info.Caps; {
	case c.half != nil:
		return c.fail("ep_bind", fi.ErrInvalid, "a context of a scalable endpoint is no endpoint that shares one")
	case c.b.SharedTx != nil:
		return c.fail("ep_bind", fi.ErrInvalid, "the endpoint has a shared transmit context: one is all it takes")
	case more != 0:
		return c.fail("ep_bind", fi.ErrInvalid, "the context was opened without "+more.String()+", which the endpoint has: open both with one Info")
	}
	c.b.SharedTx = s.drv
	c.use(&s.object)
	return nil
}
