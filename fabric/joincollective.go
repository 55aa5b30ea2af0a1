package fabric

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// JoinCollective makes the endpoint a member of a group of the addresses in a set (fi_join_collective): joining is itself a
// collective operation, which ends when all members have called it with the same set. It returns at once; the outcome comes
// to the endpoint's event queue: fi.EventJoinComplete with the MC as FID and with ctx, or an event in error when a member
// has ended. Then [MC.Addr] is the address that collective calls take. A member that has not called yet is waited for.
//
// coll is fi.AddrNotAvail, or the address of a group of which all members of the new one are members. Several groups may be
// joined at once, also of the same set; those of the same set and coll in the same order by all members. With a set that
// has a communication key the application has seen to it that all are members, and joining ends at once.
//
// All members must be in the endpoint's address vector, this one, too, and by all members under the same addresses, such as
// their Name gives.
//
// Ownership: the set may be changed or closed when the call returns.
// Errors: fi.ErrNoSys without FI_COLLECTIVE, fi.ErrOpBadState before Enable, fi.ErrNoEQ without an event queue,
// fi.ErrInvalid for an empty set, one of another vector or without this endpoint, for addresses that are not in use or that
// stand for the same member and for a coll that is no group, fi.ErrExist for a key that is in use, fi.ErrBadFlags for flags,
// of which there are none.
func (ep *Endpoint) JoinCollective(coll fi.Addr, set *AVSet, flags fi.OpFlags, ctx any) (*MC, error) {
	c := ep.core
	const op = "join_collective"
	c.mu.Lock()
	enabled, closed, eq := c.enabled, c.closed, c.eq
	c.mu.Unlock()
	switch {
	case closed:
		return nil, c.fail(op, fi.ErrBadFD, closedHint("ep"))
	case c.info.Caps&fi.CapCollective == 0:
		return nil, c.fail(op, fi.ErrNoSys, "ask for FI_COLLECTIVE in the hints' caps")
	case !enabled:
		return nil, c.fail(op, fi.ErrOpBadState, "the endpoint is not enabled: call Enable first")
	case eq == nil:
		return nil, c.fail(op, fi.ErrNoEQ, "nothing would tell when the group is there: call BindEQ before Enable")
	case flags != 0:
		return nil, c.fail(op, fi.ErrBadFlags, "there are no flags for joining: give 0")
	case set == nil || set.av != c.av:
		return nil, c.fail(op, fi.ErrInvalid, "the set is nil or not of the endpoint's address vector")
	}
	j, err := c.members(set)
	if err != nil {
		return nil, err
	}
	mc, g := &MC{events: driver.NewEvents(eq.q, nil)}, &collGroup{core: c, coll: ep.coll, addr: fi.AddrNotAvail}
	mc.group = g
	mc.events.Of(mc)
	j.Base, j.Flags, j.Key = coll, set.attr.Flags, -1
	if k := set.attr.CommKey; len(k) > 0 {
		j.Key = int(k[0])
		if len(k) > 1 {
			j.Key |= int(k[1]) << 8
		}
	}
	j.Done = func(err fi.Errno, text string) {
		if err != 0 {
			mc.events.JoinFailed(ctx, err, text)
			return
		}
		g.ready.Store(true)
		mc.events.Joined(ctx)
	}
	g.joining.Lock()
	defer g.joining.Unlock()
	a, err := ep.coll.Join(j)
	if err != nil {
		mc.events.Retire()
		return nil, c.fail(op, err, joinHint(err))
	}
	g.addr = a
	c.remember(a, j)
	mc.init("mc", c.prov, &c.object)
	return mc, nil
}

func joinHint(err error) string {
	switch err { //nolint:errorlint // a bare value
	case fi.ErrExist:
		return "the endpoint is in a group with this communication key: give each group its own"
	case fi.ErrInvalid:
		return "coll is no group of the endpoint: give MC.Addr of one, or fi.AddrNotAvail; a group has at most a million members, " +
			"with addresses of less than 1000 bytes"
	}
	return ""
}

// members collects the members of a set.
func (c *epCore) members(set *AVSet) (*driver.Join, error) {
	const op = "join_collective"
	if err := set.open(op); err != nil {
		return nil, err
	}
	j := &driver.Join{Members: set.Members(), Self: -1}
	if len(j.Members) == 0 {
		return nil, c.fail(op, fi.ErrInvalid, "the set is empty: insert the members, this endpoint, too")
	}
	own, err := c.drv.Name()
	if err == nil {
		own, err = c.domain.drv.CheckAddr(own)
	}
	if err != nil {
		return nil, c.fail(op, err, "")
	}
	seen := make(map[string]fi.Addr, len(j.Members))
	for i, a := range j.Members {
		raw, ok := c.av.v.Lookup(a)
		if !ok {
			return nil, c.fail(op, fi.ErrInvalid, unused(a))
		}
		if b, twice := seen[string(raw)]; twice {
			return nil, c.fail(op, fi.ErrInvalid, fmt.Sprintf("addresses %d and %d stand for the same member: take one out of the set", b, a))
		}
		seen[string(raw)] = a
		j.Names = append(j.Names, raw)
		if bytes.Equal(raw, own) {
			j.Self = i
		}
	}
	if more, ok := driver.Ability[driver.Answerer](c.drv); ok && j.Self < 0 {
		j.Self = slices.IndexFunc(j.Names, more.Answers)
	}
	if j.Self < 0 {
		return nil, c.fail(op, fi.ErrInvalid, "the endpoint is not in the set: insert its Name into the vector, and that into the set")
	}
	return j, nil
}

// collGroup is the part in a group of collectives.
type collGroup struct {
	core    *epCore
	coll    driver.Collectives
	joining sync.Mutex // held by the join; before the domain's lock
	addr    fi.Addr    // guarded by joining
	ready   atomic.Bool
}

// Addr is the group's; fi.AddrNotAvail before the join has completed.
func (g *collGroup) Addr() fi.Addr {
	if !g.ready.Load() {
		return fi.AddrNotAvail
	}
	return g.current()
}

func (g *collGroup) current() fi.Addr {
	g.joining.Lock()
	defer g.joining.Unlock()
	return g.addr
}

// Close leaves the group, or gives the join up.
func (g *collGroup) Close() error {
	a := g.current()
	g.core.forget(a)
	return g.coll.Leave(a)
}
