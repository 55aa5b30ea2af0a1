package fabric

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// SetMinMultiRecv sets how many bytes must be left of a multi-receive buffer for it to take another message
// (FI_OPT_MIN_MULTI_RECV, fi_endpoint(3)). The default is 64.
//
// Errors: fi.ErrInvalid for a negative number, fi.ErrNoProtoOpt where there is no multi-receive.
func (ep *Endpoint) SetMinMultiRecv(n int) error {
	m, ok := driver.Ability[driver.MultiRecver](ep.core.drv)
	if !ok {
		return ep.core.fail("setopt", fi.ErrNoProtoOpt, "no multi-receive here")
	}
	return ep.core.fail("setopt", m.SetMinMultiRecv(n), "")
}

// MinMultiRecv gives what SetMinMultiRecv set (FI_OPT_MIN_MULTI_RECV).
func (ep *Endpoint) MinMultiRecv() (int, error) {
	m, ok := driver.Ability[interface{ MinMultiRecv() int }](ep.core.drv)
	if !ok {
		return 0, ep.core.fail("getopt", fi.ErrNoProtoOpt, "no multi-receive here")
	}
	return m.MinMultiRecv(), nil
}

// Sizes are the limits of one class of operations in bytes.
type Sizes = driver.Sizes

// MaxSizes gives the longest transfer of each class (FI_OPT_MAX_MSG_SIZE and its kin).
func (ep *Endpoint) MaxSizes() Sizes { return ep.core.b.Max }

// SetMaxSizes lowers limits (FI_OPT_MAX_MSG_SIZE and its kin); zero fields stay. Before Enable.
//
// Errors: fi.ErrInvalid for more than the endpoint has, fi.ErrOpBadState after Enable.
func (ep *Endpoint) SetMaxSizes(s Sizes) error { return ep.core.lower(&ep.core.b.Max, s) }

// InjectSizes gives the longest injected transfer of each class (FI_OPT_INJECT_MSG_SIZE and its kin).
func (ep *Endpoint) InjectSizes() Sizes { return ep.core.b.Inject }

// SetInjectSizes lowers limits (FI_OPT_INJECT_MSG_SIZE and its kin); zero fields stay. Before Enable.
//
// Errors: as SetMaxSizes.
func (ep *Endpoint) SetInjectSizes(s Sizes) error { return ep.core.lower(&ep.core.b.Inject, s) }

// setLimits starts with what info offers.
func (c *epCore) setLimits(info *fi.Info) { c.b.Max, c.b.Inject = limits(info) }

func limits(info *fi.Info) (most, inject Sizes) {
	m, i := info.EP.MaxMsgSize, uint64(info.Tx.InjectSize)
	return Sizes{Msg: m, Tagged: m, RMA: m, Atomic: min(m, driver.MaxAtomicSize)},
		Sizes{Msg: i, Tagged: i, RMA: i, Atomic: min(i, driver.MaxAtomicSize)}
}

func (c *epCore) lower(have *Sizes, s Sizes) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.enabled || c.closed {
		return c.fail("setopt", fi.ErrOpBadState, "the endpoint is enabled or closed: set limits before Enable")
	}
	next := *have
	for _, f := range []struct {
		to *uint64
		v  uint64
	}{{&next.Msg, s.Msg}, {&next.Tagged, s.Tagged}, {&next.RMA, s.RMA}, {&next.Atomic, s.Atomic}} {
		if f.v > *f.to {
			return c.fail("setopt", fi.ErrInvalid, "more than the endpoint offers: MaxSizes and InjectSizes tell")
		}
		if f.v > 0 {
			*f.to = f.v
		}
	}
	*have = next
	return nil
}
