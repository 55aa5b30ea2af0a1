package wire

import "github.com/gofabric/gofabric/fi"

// Operations of the extension. OpMsg and OpTagged without an ack are used, too; the others of the plain protocol are not.
// "id" is the operation's, chosen by its initiator, not 0, unique among its operations that are not answered yet.
const (
	ExtMsg       Op = 32 // id | group<<32, [data]; payload
	ExtTagged    Op = 33 // id | group<<32, [data], tag; payload
	ExtRTS       Op = 34 // id | group<<32, [data], bytes: a message whose bytes stay at the sender
	ExtTaggedRTS Op = 35 // id | group<<32, [data], tag, bytes
	ExtPull      Op = 36 // id, bytes: send that many of the announced ones
	ExtData      Op = 37 // id, offset; payload: a piece of them
	ExtDone      Op = 38 // id | errno<<32: ends an operation, well or not
	ExtCancel    Op = 39 // id: give me a message back that nothing has matched
	ExtWrite     Op = 40 // id, [data], triple × cnt; payload
	ExtRead      Op = 41 // id, triple × cnt
	ExtReadData  Op = 42 // id, offset; payload: a piece of what was read
	ExtAtomic    Op = 43 // id | kind<<32 | type<<40 | op<<48, triple; payload: operands, compare values
	ExtResult    Op = 44 // id; payload: the old values
	ExtHold      Op = 45 // serial; op_data 1: announce everything from now on, 0: no longer
	ExtHeld      Op = 46 // serial: from here on everything is announced
	ExtPing      Op = 47 // serial
	ExtPong      Op = 48 // serial
	ExtGoodbye   Op = 49 // op_data says which
)

// Bits of Header.Context in an ExtAtomic that is one range of an operation of several; they are counted as one.
const (
	AtomicMore = 1 << iota // others of the operation follow
	AtomicRest             // others came before
)

// Values of Header.Context in an ExtGoodbye.
const (
	GoodbyeAsk    = 0 // nothing of mine is under way: may I close?
	GoodbyeAgree  = 1 // nor of mine: close
	GoodbyeRefuse = 2 // something is: stay
	GoodbyeLeave  = 3 // the endpoint closes; no answer
)

const (
	// MaxAtomic is how many bytes of the target an atomic of the extension may have.
	MaxAtomic = 4096

	maxErrno = 1<<15 - 1
)

const anyExt = ^Ops(1<<ExtMsg - 1)

// ExtOps is the set of operations that an endpoint receives which has announced mine to a peer that has announced peer,
// after the extension was agreed: requests that we take, and answers to requests that the peer takes.
func ExtOps(mine, peer Features) Ops {
	s := Ops(1<<OpMsg | 1<<ExtDone)
	for i := range featureOps {
		if mine>>i&1 != 0 {
			s |= featureOps[i].requests
		}
		if peer>>i&1 != 0 {
			s |= featureOps[i].answers
		}
	}
	if both := FeatureTagged | FeatureRendezvous; mine&both == both {
		s |= 1 << ExtTaggedRTS
	}
	return s
}

var featureOps = [...]struct{ requests, answers Ops }{
	{1<<ExtMsg | 1<<ExtCancel | 1<<ExtHold, 1 << ExtHeld},
	{1<<OpTagged | 1<<ExtTagged, 0},
	{1<<ExtRTS | 1<<ExtData, 1 << ExtPull},
	{1<<ExtWrite | 1<<ExtRead, 1 << ExtReadData},
	{1 << ExtAtomic, 1 << ExtResult},
	{1 << ExtPing, 1 << ExtPong},
	{1 << ExtGoodbye, 0},
}

// Atomic is what an ExtAtomic asks for.
type Atomic struct {
	Kind fi.AtomicKind
	Type fi.Datatype
	Op   fi.AtomicOp
}

const (
	kindBase    = 0
	kindFetch   = 1
	kindCompare = 2
)

func (a Atomic) word() uint64 {
	kind := uint64(kindBase)
	switch a.Kind {
	case fi.AtomicFetch:
		kind = kindFetch
	case fi.AtomicCompare:
		kind = kindCompare
	}
	return kind<<32 | uint64(a.Type)<<40 | uint64(a.Op)<<48
}

// Payload is how many bytes travel with an atomic of n bytes of the target: the operands, unless it only reads, and of a
// compare atomic the compare values after them.
func (a Atomic) Payload(n int) int {
	p := 0
	if a.Op != fi.AtomicRead {
		p = n
	}
	if a.Kind == fi.AtomicCompare {
		p += n
	}
	return p
}
