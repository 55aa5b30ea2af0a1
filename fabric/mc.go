package fabric

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// MC is an endpoint's part in a group (struct fid_mc): of multicast, made by [Endpoint.Join] (fi_join(3)), or of collectives,
// made by [Endpoint.JoinCollective] (fi_collective(3)). It is safe for concurrent use.
type MC struct {
	object
	group  driver.Group
	events *driver.Events // nil when the endpoint has no event queue
}

// Addr is the address that stands for the group (fi_mc_addr): of sends that go to a multicast group, or in collective
// calls; fi.AddrNotAvail before a collective join has completed.
func (mc *MC) Addr() fi.Addr { return mc.group.Addr() }

// Close ends the membership (fi_close). Nothing more comes from a multicast group, and sends to Addr return fi.ErrInvalid.
// From a group of collectives the other members are to go, too: a join that has not completed is given up, operations that
// still run complete with fi.ErrCanceled, and at the others in error. Unread events of the MC go. Closing twice does
// nothing.
func (mc *MC) Close() error {
	done, err := mc.beginClose()
	if done || err != nil {
		return err
	}
	if mc.events != nil {
		mc.events.Retire()
	}
	err = mc.group.Close()
	mc.endClose()
	return mc.fail("mc_close", err, "")
}
