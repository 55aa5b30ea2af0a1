package fabric

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
)

// ScalableEndpoint is one address with several transmit and receive contexts (what fi_scalable_ep makes, fi_endpoint(3)),
// so that threads need not share one. It transfers nothing itself: its contexts do, which are endpoints of one direction.
// How many there are is said by EP.TxCtxCount and EP.RxCtxCount of the Info that it is opened with.
//
// Peers send to its first receive context, or in a vector opened with AVAttr.RxCtxBits to the one that [fi.RxAddr] names
// (FI_NAMED_RX_CTX). Messages of all its transmit contexts come from the one address to which the peer's vector has it.
//
// It is safe for concurrent use.
type ScalableEndpoint struct {
	object
	domain *Domain
	info   *fi.Info
	first  driver.ContextAddresser
	av     *AV    // +checklocks:mu
	name   []byte // the address: asked for, and from Enable on its own; +checklocks:mu
	lanes  []lane // +checklocks:mu
	ready  bool   // enabled; +checklocks:mu
}

// lane is the endpoint of the provider whose halves are a transmit and a receive context.
type lane struct {
	drv    driver.Context // when the scalable endpoint is enabled
	ops    driver.Ops
	b      driver.Bindings
	tx, rx *epCore // nil before they are opened
}

// OpenScalable makes a scalable endpoint for an Info of type fi.EPRDM (fi_scalable_ep). Ask GetInfo for the number of
// contexts by EP.TxCtxCount and EP.RxCtxCount of the hints, at most Domain.MaxEPTxCtx and MaxEPRxCtx.
//
// Errors: as OpenEndpoint; fi.ErrNoSys for connected endpoints and where there are no contexts, fi.ErrInvalid for more
// contexts than there can be, fi.ErrOpNotSupp with FI_COLLECTIVE.
func (d *Domain) OpenScalable(info *fi.Info) (*ScalableEndpoint, error) {
	if err := d.checkInfo("scalable_ep", info); err != nil {
		return nil, err
	}
	if why := d.beyond(info); why != "" {
		return nil, d.fail("scalable_ep", fi.ErrInvalid, why)
	}
	if info.Caps&fi.CapCollective != 0 {
		return nil, d.fail("scalable_ep", fi.ErrOpNotSupp, "collectives are an endpoint's, not a context's: leave FI_COLLECTIVE out of the hints' caps")
	}
	first, ok := driver.Ability[driver.ContextAddresser](d.drv)
	if !ok || info.EP.Type != fi.EPRDM {
		return nil, d.fail("scalable_ep", fi.ErrNoSys, "no scalable endpoints of type "+info.EP.Type.String()+" here: Domain.MaxEPTxCtx of an Info of FI_EP_RDM tells whether a provider has them")
	}
	info, why := d.withKey(info)
	if why != "" {
		return nil, d.fail("scalable_ep", fi.ErrInvalid, why)
	}
	info.EP.TxCtxCount, info.EP.RxCtxCount = max(info.EP.TxCtxCount, 1), max(info.EP.RxCtxCount, 1)
	if info.EP.TxCtxCount > info.Domain.MaxEPTxCtx || info.EP.RxCtxCount > info.Domain.MaxEPRxCtx {
		return nil, d.fail("scalable_ep", fi.ErrInvalid, fmt.Sprintf("%d transmit and %d receive contexts: at most %d and %d",
			info.EP.TxCtxCount, info.EP.RxCtxCount, info.Domain.MaxEPTxCtx, info.Domain.MaxEPRxCtx))
	}
	s := &ScalableEndpoint{domain: d, info: info, first: first, lanes: make([]lane, max(info.EP.TxCtxCount, info.EP.RxCtxCount))}
	s.init("sep", d.prov, &d.object)
	return s, nil
}

// Info tells what the endpoint was opened with. The value is a copy.
func (s *ScalableEndpoint) Info() *fi.Info { return s.info.Clone() }

// Domain is the endpoint's domain.
func (s *ScalableEndpoint) Domain() *Domain { return s.domain }

// fresh checks that the endpoint is neither closed nor enabled. The caller holds s.mu.
func (s *ScalableEndpoint) fresh(op string) error {
	switch {
	case s.closed:
		return s.fail(op, fi.ErrBadFD, closedHint("sep"))
	case s.ready:
		return s.fail(op, fi.ErrOpBadState, "the endpoint is enabled: do this before Enable")
	}
	return nil
}

// BindAV gives all contexts their address vector (fi_scalable_ep_bind).
//
// Errors: fi.ErrInvalid when av is nil or there is one, fi.ErrDomain for a vector of another domain, fi.ErrOpBadState
// after Enable.
func (s *ScalableEndpoint) BindAV(av *AV) error {
	if av == nil {
		return s.fail("scalable_ep_bind", fi.ErrInvalid, "the address vector is nil: make one with Domain.OpenAV")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fresh("scalable_ep_bind"); err != nil {
		return err
	}
	switch {
	case av.domain != s.domain:
		return s.fail("scalable_ep_bind", fi.ErrDomain, "it belongs to another domain: open it in the endpoint's, Domain()")
	case s.av != nil:
		return s.fail("scalable_ep_bind", fi.ErrInvalid, "the endpoint has an address vector: insert all peers there")
	}
	s.av = av
	av.hold(&s.object)
	return nil
}

// SetName chooses the endpoint's own address (fi_setname); before Enable.
//
// Errors: fi.ErrOpBadState after Enable, fi.ErrInvalid for an address that cannot be.
func (s *ScalableEndpoint) SetName(raw []byte) error {
	raw, err := s.domain.drv.CheckAddr(raw)
	if err != nil {
		return s.fail("setname", err, "")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fresh("setname"); err != nil {
		return err
	}
	s.name = raw
	return nil
}

// Name is the endpoint's own address, for peers to insert (fi_getname). The caller may keep it.
//
// Errors: fi.ErrOpBadState before Enable.
func (s *ScalableEndpoint) Name() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready {
		return nil, s.fail("getname", fi.ErrOpBadState, "the address is known when the endpoint is enabled: call Enable first")
	}
	return append([]byte{}, s.name...), nil
}

// Enable makes the endpoint reachable (fi_enable). Its contexts work when they are enabled, too, in any order.
//
// Errors: fi.ErrNoAV without an address vector, fi.ErrOpBadState when it is enabled, fi.ErrAddrInUse, and what the provider
// says.
func (s *ScalableEndpoint) Enable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fresh("enable"); err != nil {
		return err
	}
	if s.av == nil {
		return s.fail("enable", fi.ErrNoAV, "the endpoint has no address vector: call BindAV first")
	}
	if s.domain.keyer != nil && len(s.av.v.Keys()) == 0 {
		return s.fail("enable", fi.ErrInvalid, noKeyYet)
	}
	var err error
	for range attempts {
		if err = s.openLanes(); !errors.Is(err, fi.ErrAddrInUse) {
			break
		}
	}
	if err != nil {
		return s.fail("enable", err, "")
	}
	if s.name, err = s.lanes[0].drv.Name(); err != nil {
		return s.fail("enable", errors.Join(err, s.closeLanes()), "")
	}
	s.ready = true
	for i := range s.lanes {
		s.start(i)
	}
	s.logger(zlog.EPCtrl).Info("scalable endpoint enabled", "contexts", len(s.lanes))
	return nil
}

// attempts is how often addresses for all contexts are looked for: a provider that chooses the first one's may find that
// somebody else has the next.
const attempts = 16

// openLanes opens and enables the provider's endpoints, all or none. The caller holds s.mu.
func (s *ScalableEndpoint) openLanes() error {
	info := s.info.Clone()
	if s.name != nil {
		info.SrcAddr = s.name
	}
	for i := range s.lanes {
		if err := s.openLane(i, info); err != nil {
			return errors.Join(err, s.closeLanes())
		}
	}
	return nil
}

func (s *ScalableEndpoint) openLane(i int, info *fi.Info) error {
	drv, err := s.domain.drv.OpenEndpoint(info)
	if err != nil {
		return err
	}
	l := &s.lanes[i]
	c, ok := driver.Ability[driver.Context](drv)
	if !ok {
		return errors.Join(fi.ErrNoSys, drv.Close())
	}
	l.drv = c
	if i > 0 {
		if err := l.drv.SetContext(s.lanes[0].drv, i); err != nil {
			return err
		}
	}
	l.b = driver.Bindings{AV: s.av.v, Keys: s.av.holdKeys()}
	l.b.Max, l.b.Inject = limits(info)
	l.ops, err = l.drv.Enable(&l.b)
	return err
}

// closeLanes closes what was opened. The caller holds s.mu.
func (s *ScalableEndpoint) closeLanes() error {
	var errs []error
	for i := range s.lanes {
		if l := &s.lanes[i]; l.drv != nil {
			errs = append(errs, l.drv.Close())
			s.av.dropKeys(l.b.Keys)
			l.drv, l.b.Keys = nil, nil
		}
	}
	return errors.Join(errs...)
}

// Close ends the endpoint (fi_close), after its contexts; fi.ErrBusy while one is open. Closing twice does nothing.
func (s *ScalableEndpoint) Close() error {
	done, err := s.beginClose()
	if done || err != nil {
		return err
	}
	s.mu.Lock()
	err = s.closeLanes()
	av := s.av
	s.mu.Unlock()
	if av != nil {
		av.drop(&s.object)
	}
	s.endClose()
	return s.fail("sep_close", err, "")
}
