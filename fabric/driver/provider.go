package driver

import (
	"context"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Provider is a way to reach peers: shared memory, TCP, a device.
type Provider interface {
	// Name is the provider's name as FI_PROVIDER and hints give it: lower case, no blanks.
	Name() string

	// Offers reports everything that could be opened now, best first, each with all that it can do, and for every
	// candidate that had to be turned down the reason. Package fabric compares offers with hints; a provider uses
	// q.Hints only for what it must resolve (addresses).
	Offers(ctx context.Context, q *Query) ([]*fi.Info, []fi.Rejection)

	// OpenFabric opens the network of an Info that Offers made.
	OpenFabric(info *fi.Info) (Fabric, error)
}

// Query is what GetInfo was asked, beside the hints that package fabric evaluates.
type Query struct {
	Node, Service string
	Flags         fi.InfoFlags
	Hints         *fi.Hints // never nil; not to be changed
}

// Fabric is an opened network.
type Fabric interface {
	OpenDomain(info *fi.Info) (Domain, error)
	Close() error
}

// Domain is an opened device or interface.
type Domain interface {
	// Engine drives the domain; CQs and counters of package fabric use it.
	Engine() *Engine

	OpenEndpoint(info *fi.Info) (Endpoint, error)
	OpenSharedRx(info *fi.Info) (SharedRx, error)

	// RegisterMR makes a region reachable. Rights, lengths and flags were checked; Key is the one asked for, and the
	// provider sets it where it chooses keys, and Base where peers use virtual addresses. Called without the lock.
	RegisterMR(r *mr.Region) error
	// CloseMR ends access to a region. Called without the lock.
	CloseMR(r *mr.Region) error

	// QueryAtomic says how an operation on a type is served, or returns fi.ErrOpNotSupp.
	QueryAtomic(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (fi.AtomicAttr, error)

	// Resolve gives the addresses that a node and a service stand for, best first.
	Resolve(ctx context.Context, node, service string, flags fi.InfoFlags) ([][]byte, error)
	// CheckAddr tells whether raw can be an address of this provider, and gives its canonical form: of an address in a
	// longer buffer, the address.
	CheckAddr(raw []byte) ([]byte, error)
	// FormatAddr gives an address as text.
	FormatAddr(raw []byte) string

	Close() error
}

// Endpoint is an opened endpoint.
type Endpoint interface {
	// Enable makes the endpoint ready and resolves its operations.
	Enable(b *Bindings) (Ops, error)

	// Name is the endpoint's own address; valid after Enable.
	Name() ([]byte, error)

	// Cancel ends the oldest pending operation with that context: its completion is an error entry with
	// fi.ErrCanceled. fi.ErrNoEnt when there is none.
	Cancel(ctx any) error

	// Close sends what was accepted, up to a linger time, completes the rest with fi.ErrCanceled and frees everything.
	Close() error
}

// Namer is an endpoint whose address can be chosen before Enable.
type Namer interface {
	SetName(raw []byte) error
}

// Mapper is an endpoint that gives load and store access to a peer's region.
type Mapper interface {
	// Map gives n bytes of the peer's memory and the call that gives them back.
	Map(ctx context.Context, to fi.Addr, at mr.Remote, n int) (mem []byte, unmap func() error, err error)
}

// MultiRecver is an endpoint whose multi-receive buffers end when fewer than a number of bytes are left.
type MultiRecver interface {
	SetMinMultiRecv(n int) error
}

// SharedRx is a receive context that several endpoints share.
type SharedRx interface {
	Receiver
	TaggedReceiver
	MultiRecver
	Cancel(ctx any) error
	Close() error
}

// Bindings say where an endpoint's completions go and what it uses. Nil for what is not bound.
type Bindings struct {
	TxCQ, RxCQ                    *cq.Queue
	CntSend, CntRecv              *cq.Counter
	CntRead, CntWrite             *cq.Counter
	CntRemoteRead, CntRemoteWrite *cq.Counter
	AV                            *AV       // nil for connected endpoints
	Keys                          []AuthKey // those of the vector, in a domain with FI_AV_AUTH_KEY
	Events                        *Events   // of connected endpoints, else nil
	SharedRx                      SharedRx
	SharedTx                      *SharedTx
	RxSelective                   bool                    // successful receives are silent unless they ask; for those of a SharedRx
	Max, Inject                   Sizes                   // limits, at most those of the Info
	Whole                         func(raw []byte) []byte // of an endpoint of a [Part]: a peer's address as the application knows it; else nil
}

// Sizes are the limits of one class of operations in bytes.
type Sizes struct {
	Msg, Tagged, RMA, Atomic uint64
}

// MaxAtomicSize is the longest operand of one atomic call in bytes.
const MaxAtomicSize = 4096
