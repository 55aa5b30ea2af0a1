package fabric

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Join makes the endpoint, which is enabled, a member of the multicast group at addr, an address of the provider's format
// (fi_join). With fi.BindRecv, what is sent to the group comes to the endpoint's receives; its completions have
// fi.CompMulticast. With fi.BindTransmit, sends to the MC's Addr go to the group. No flags stand for both. It returns when
// that is done; an endpoint with an event queue then also finds an fi.EventJoinComplete there, whose FID is the MC and
// whose Context is ctx. Close the MC before the endpoint.
//
// Ownership: addr is the caller's again when the call returns.
// Errors: fi.ErrNoSys without FI_MULTICAST, fi.ErrBadFlags for other flags, fi.ErrInvalid for what is no address of a group,
// fi.ErrOpBadState before Enable, fi.ErrBadFD after Close, and what the system says.
func (ep *Endpoint) Join(addr []byte, flags fi.BindFlags, ctx any) (*MC, error) {
	c := ep.core
	const both = fi.BindTransmit | fi.BindRecv
	c.mu.Lock()
	defer c.mu.Unlock()
	j, can := driver.Ability[driver.Joiner](c.drv)
	switch {
	case c.closed:
		return nil, c.fail("join", fi.ErrBadFD, closedHint("ep"))
	case c.info.Caps&fi.CapMulticast == 0 || !can:
		return nil, c.fail("join", fi.ErrNoSys, "the endpoint has no multicast: ask GetInfo for FI_MULTICAST")
	case flags&^both != 0:
		return nil, c.fail("join", fi.ErrBadFlags, "give fi.BindTransmit, fi.BindRecv, or none for both")
	case !c.enabled:
		return nil, c.fail("join", fi.ErrOpBadState, "the endpoint is not enabled: call Enable first")
	}
	raw, err := c.domain.drv.CheckAddr(addr)
	if err != nil {
		return nil, c.fail("join", err, "no address: give that of the group and its port")
	}
	if flags == 0 {
		flags = both
	}
	mc := &MC{}
	if mc.group, err = j.Join(raw, flags); err != nil {
		return nil, c.fail("join", err, "")
	}
	mc.initLocked("mc", c.prov, &c.object)
	if c.eq != nil {
		mc.events = driver.NewEvents(c.eq.q, mc)
		mc.events.Joined(ctx)
	}
	return mc, nil
}

// mayCast tells whether sends may have fi.OpMulticast.
func (ep *Endpoint) mayCast() bool { return ep.core.info.Caps&fi.CapMulticast != 0 }
