package fabric

import (
	"cmp"

	"github.com/gofabric/gofabric/fi"
)

// Alias gives the same endpoint with other default flags for one direction (fi_ep_alias): tx or rx flags replace those
// of calls without a flags argument; leave the other nil. Completions, bindings and Close are shared; an alias may be
// dropped without closing it. With fi.OpTrigger the calls of that direction without a flags argument are triggered, and
// take a [TriggeredContext]; the inject forms, which have no context, are then fi.ErrOpNotSupp.
//
// Errors: fi.ErrInvalid when not exactly one of tx and rx is given, fi.ErrBadFlags for flags that calls cannot have,
// fi.ErrNoSys for fi.OpTrigger on an endpoint without FI_TRIGGER.
func (ep *Endpoint) Alias(tx, rx *fi.OpFlags) (*Endpoint, error) {
	c := ep.core
	if (tx == nil) == (rx == nil) {
		return nil, c.fail("ep_alias", fi.ErrInvalid, "give the flags of exactly one direction")
	}
	a := &Endpoint{core: c, tx: ep.tx, rx: ep.rx}
	if given := cmp.Or(tx, rx); *given&fi.OpTrigger != 0 && c.info.Caps&fi.CapTrigger == 0 {
		return nil, c.fail("ep_alias", fi.ErrNoSys, "the endpoint has no triggered operations: ask for FI_TRIGGER in the hints' caps")
	}
	if tx != nil {
		if *tx&^aliasTx != 0 {
			return nil, c.fail("ep_alias", fi.ErrBadFlags, "not for transmit defaults: "+(*tx&^aliasTx).String())
		}
		a.tx = *tx
	} else {
		if *rx&^aliasRx != 0 {
			return nil, c.fail("ep_alias", fi.ErrBadFlags, "not for receive defaults: "+(*rx&^aliasRx).String())
		}
		a.rx = *rx
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, c.fail("ep_alias", fi.ErrBadFD, closedHint("ep"))
	case c.enabled && c.drv != nil:
		a.resolve()
	default:
		a.disable(fi.ErrOpBadState)
	}
	c.views = append(c.views, a)
	return a, nil
}

const (
	aliasTx = fi.OpInject | fi.OpCompletion | fi.OpInjectComplete | fi.OpTransmitComplete | fi.OpDeliveryComplete | fi.OpMatchComplete | fi.OpMore | fi.OpFence |
		fi.OpTrigger
	aliasRx = fi.OpCompletion | fi.OpMultiRecv | fi.OpTrigger
)
