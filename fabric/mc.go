package fabric

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// MC is an endpoint's membership in a group (struct fid_mc, fi_join(3)), made by [Endpoint.Join]. It is safe for
// concurrent use.
type MC struct {
	object
	group  driver.Group
	events *driver.Events // nil when the endpoint has no event queue
}

// Addr is the group as an address of the endpoint's sends (fi_mc_addr).
func (mc *MC) Addr() fi.Addr { return mc.group.Addr() }

// Close ends the membership (fi_close): nothing more comes from the group, and sends to Addr return fi.ErrInvalid. An
// unread fi.EventJoinComplete goes. Closing twice does nothing.
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
