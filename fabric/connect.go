package fabric

import (
	"strconv"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
)

// connection is what a connected endpoint has more than others. Guarded by the endpoint's mutex.
type connection struct {
	conn   driver.Connector // nil for other types of endpoints
	req    *driver.ConnReq  // the request that the endpoint answers
	eq     *EQ
	events *driver.Events
	asked  bool // Connect or Accept was called
}

// BindEQ gives the endpoint its event queue (fi_ep_bind). A connected endpoint (FI_EP_MSG) needs one; others may have one,
// which is driven with them.
//
// Errors: fi.ErrInvalid when q is nil or the endpoint has one, fi.ErrDomain for a queue of another fabric, fi.ErrOpBadState
// after Enable.
func (ep *Endpoint) BindEQ(q *EQ) error {
	c := ep.core
	if q == nil {
		return c.fail("ep_bind", fi.ErrInvalid, "the queue is nil: make one with Fabric.OpenEQ")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.bindable(c.domain); err != nil {
		return err
	}
	switch {
	case q.fab != c.domain.fab:
		return c.fail("ep_bind", fi.ErrDomain, "it belongs to another fabric: open it in the endpoint's")
	case c.eq != nil:
		return c.fail("ep_bind", fi.ErrInvalid, "the endpoint has an event queue: one is all it takes")
	}
	c.eq = q
	if c.conn != nil {
		c.events = driver.NewEvents(q.q, ep)
		c.b.Events = c.events
	}
	q.drive.add(c.domain.eng)
	c.use(&q.object)
	q.q.Ring() // blocked readers park on our domain, too
	return nil
}

// ready checks what Connect and Accept have in common, and enables the endpoint. The caller holds c.mu.
func (c *epCore) ready(op string, data []byte) error {
	switch {
	case c.conn == nil:
		return c.fail(op, fi.ErrNoSys, "not a connected endpoint: ask GetInfo for FI_EP_MSG")
	case c.closed:
		return c.fail(op, fi.ErrBadFD, closedHint("ep"))
	case len(data) > c.conn.CMDataSize():
		return c.fail(op, fi.ErrInvalid, tooMuchData(c.conn.CMDataSize()))
	case c.asked:
		if _, err := c.conn.Peer(); err == nil {
			return c.fail(op, fi.ErrIsConn, "an endpoint has one connection in its life: open another one")
		}
		return c.fail(op, fi.ErrOpBadState, "an endpoint connects once: open another one")
	}
	if !c.enabled {
		return c.enable()
	}
	return nil
}

func tooMuchData(most int) string {
	return "more private data than there is room for: at most " + strconv.Itoa(most) + " bytes, as CMDataSize tells"
}

// Connect asks the passive endpoint at an address for a connection (fi_connect), with private data that its event
// shows. A nil address is that of the endpoint's Info (DestAddr). The endpoint is enabled if it is not. It returns at
// once; the outcome comes to the event queue: fi.EventConnected with the private data of the acceptance, or an event in
// error, fi.ErrConnRefused with the private data of the rejection or what else went wrong.
//
// Ownership: to and data are the caller's again when the call returns.
// Errors: fi.ErrInvalid for what is no address and for data longer than CMDataSize, fi.ErrIsConn or fi.ErrOpBadState for a
// second call, fi.ErrOpBadState for an endpoint that answers a request, fi.ErrNoSys for other types of endpoints, and
// those of Enable. An endpoint whose Connect has failed so is as before.
func (ep *Endpoint) Connect(to, data []byte) error {
	c := ep.core
	defer c.tellRefused()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil && c.req != nil {
		return c.fail("connect", fi.ErrOpBadState, "the endpoint answers a request: call Accept, or open one without the request's Info")
	}
	if len(to) == 0 {
		to = c.info.DestAddr
	}
	raw, err := c.domain.drv.CheckAddr(to)
	if c.conn != nil && err != nil {
		return c.fail("connect", err, "no address to connect to: give the Name of a passive endpoint")
	}
	if err := c.ready("connect", data); err != nil {
		return err
	}
	if err := c.conn.Connect(raw, append([]byte(nil), data...)); err != nil {
		return c.fail("connect", err, "")
	}
	c.asked = true
	if log := c.logger(zlog.EPCtrl); log.On(zlog.Info) {
		log.Info("connecting", "address", c.address(), "to", c.domain.drv.FormatAddr(raw))
	}
	return nil
}

// Accept answers the request that the endpoint was opened for (fi_accept), with private data that the peer's
// fi.EventConnected shows. The endpoint is enabled if it is not. It returns at once; fi.EventConnected comes to the event
// queue, or an event in error when the peer has gone.
//
// Ownership: data is the caller's again when the call returns.
// Errors: fi.ErrOpBadState for an endpoint that was not opened for a request, otherwise as Connect.
func (ep *Endpoint) Accept(data []byte) error {
	c := ep.core
	defer c.tellRefused()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil && c.req == nil {
		return c.fail("accept", fi.ErrOpBadState, "the endpoint answers no request: open it with the Info of an FI_CONNREQ event")
	}
	if err := c.ready("accept", data); err != nil {
		return err
	}
	if err := c.conn.Accept(append([]byte(nil), data...)); err != nil {
		return c.fail("accept", err, "")
	}
	c.asked = true
	return nil
}

// Shutdown ends the connection (fi_shutdown): what was sent before still arrives; both sides get an fi.EventShutdown. What
// is pending completes with fi.ErrCanceled, here before Shutdown returns, at the peer before its event; messages that
// had arrived can still be received. Later sends and remote accesses return fi.ErrShutdown.
//
// Errors: fi.ErrNotConn while there is no connection; fi.ErrNoSys for other types of endpoints. A connection that has ended
// is no error.
func (ep *Endpoint) Shutdown() error {
	c := ep.core
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.conn == nil:
		return c.fail("shutdown", fi.ErrNoSys, "not a connected endpoint: ask GetInfo for FI_EP_MSG")
	case c.closed:
		return c.fail("shutdown", fi.ErrBadFD, closedHint("ep"))
	case !c.asked:
		return c.fail("shutdown", fi.ErrNotConn, noConnection)
	}
	return c.fail("shutdown", c.conn.Shutdown(), noConnection)
}

const noConnection = "there is no connection: wait for FI_CONNECTED"

// GetPeer is the address of the peer that the endpoint is or was connected to (fi_getpeer). The caller may keep it.
//
// Errors: fi.ErrNotConn before there is a connection, fi.ErrNoSys for other types of endpoints.
func (ep *Endpoint) GetPeer() ([]byte, error) {
	c := ep.core
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.conn == nil:
		return nil, c.fail("getpeer", fi.ErrNoSys, "not a connected endpoint: ask GetInfo for FI_EP_MSG")
	case c.closed:
		return nil, c.fail("getpeer", fi.ErrBadFD, closedHint("ep"))
	case !c.asked:
		return nil, c.fail("getpeer", fi.ErrNotConn, noConnection)
	}
	raw, err := c.conn.Peer()
	if err != nil {
		return nil, c.fail("getpeer", err, noConnection)
	}
	return append([]byte{}, raw...), nil
}

// CMDataSize is the longest private data in bytes that Connect and Accept take (FI_OPT_CM_DATA_SIZE).
//
// Errors: fi.ErrNoProtoOpt for other types of endpoints.
func (ep *Endpoint) CMDataSize() (int, error) {
	if ep.core.conn == nil {
		return 0, ep.core.fail("getopt", fi.ErrNoProtoOpt, "not a connected endpoint: ask GetInfo for FI_EP_MSG")
	}
	return ep.core.conn.CMDataSize(), nil
}
