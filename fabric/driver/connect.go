package driver

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
)

// PassiveOpener is a [Fabric] with connected endpoints (FI_EP_MSG).
type PassiveOpener interface {
	// OpenPassive makes a passive endpoint for an Info of type fi.EPMsg. Its address is info.SrcAddr, what SetName says,
	// or one that the provider chooses when it listens.
	OpenPassive(info *fi.Info) (PassiveEndpoint, error)
}

// PassiveEndpoint listens for connections, or keeps an address for an endpoint that is opened with it as the Handle of
// its Info. Package fabric serialises the calls, calls Listen at most once and SetName only before it.
type PassiveEndpoint interface {
	fi.Handle // fi.ClassPEP

	// Engine drives it when an event queue is read; nil when its events come without that.
	Engine() *Engine

	// SetName chooses its address.
	SetName(raw []byte) error
	// Name is its address: after Listen, and before if it is known. fi.ErrOpBadState when it is not.
	Name() ([]byte, error)

	// Listen starts to report requests, at most backlog of which may wait to be read (see [Events.Waiting]).
	Listen(ev *Events, backlog int) error
	// Reject answers a request, which package fabric has claimed, with the private data, and ends it.
	Reject(r *ConnReq, data []byte) error

	// CMDataSize is the longest private data in bytes (FI_OPT_CM_DATA_SIZE).
	CMDataSize() int

	// Close stops listening, gives the address free and ends all requests that can be claimed ([ConnReq.Claim]), as if
	// they were rejected without data. Endpoints that were opened for others live on.
	Close() error
}

// ConnReq is a connection request that waits for its answer: the Handle of the Info of an EventConnReq, and of the Info
// with which the endpoint is opened that accepts it. The provider makes it and fills the exported fields, which do not
// change afterwards.
type ConnReq struct {
	Info *fi.Info // what to open the endpoint with: DestAddr is the peer's address, SrcAddr our own
	Data []byte   // the peer's private data
	Conn any      // the provider's own
	Read func()   // if not nil, called without locks when the application has read the event

	fid     any // the passive endpoint of package fabric
	claimed atomic.Bool
}

// Class gives fi.ClassConnReq.
func (r *ConnReq) Class() fi.Class { return fi.ClassConnReq }

// FID is the passive endpoint of package fabric at which the request came in.
func (r *ConnReq) FID() any { return r.fid }

// Claim takes the right to answer the request; false when somebody has taken it. Package fabric claims before it calls
// Reject or OpenEndpoint; a provider claims what it ends by itself: in Close, or because the peer has gone.
func (r *ConnReq) Claim() bool { return r.claimed.CompareAndSwap(false, true) }

// Unclaim gives the right back: OpenEndpoint has failed. The provider still has the request.
func (r *ConnReq) Unclaim() { r.claimed.Store(false) }

// Connector is an [Endpoint] of type fi.EPMsg. It was opened for a connection request when info.Handle is a *[ConnReq],
// with the address of a passive endpoint when that is one of the provider's own PassiveEndpoints. It reports to
// Bindings.Events. Data operations ignore the address argument; sends and remote accesses return fi.ErrNotConn before
// there is a connection and fi.ErrShutdown when it has ended. Receives may be posted as soon as the endpoint is enabled.
//
// When a connection ends, whoever ended it: what was sent before Shutdown arrives; operations that are pending complete
// with fi.ErrCanceled; messages that have arrived can still be received; then comes the EventShutdown.
//
// Package fabric serialises these calls, makes them after Enable, Connect and Accept in sum at most once, Connect not for
// an endpoint that was opened for a request, Accept only for such, and Shutdown after one of them. An endpoint that was
// opened for a request and is closed without Accept rejects it.
type Connector interface {
	// Connect asks the passive endpoint at an address, which CheckAddr has accepted, for a connection; Events report the
	// outcome. data is at most CMDataSize long and belongs to the caller.
	Connect(to, data []byte) error
	// Accept answers the request.
	Accept(data []byte) error
	// Shutdown ends the connection when what was sent has left, and reports that as a peer's shutdown; operations that are
	// pending have completed when it returns. fi.ErrNotConn while there is no connection; nil when it has ended already.
	Shutdown() error
	// Peer is the peer's address; fi.ErrNotConn before there is a connection.
	Peer() ([]byte, error)
	// CMDataSize is the longest private data in bytes (FI_OPT_CM_DATA_SIZE).
	CMDataSize() int
}
