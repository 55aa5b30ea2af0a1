package wrap

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Stats adds the inner endpoint's numbers, and what was not accepted here: nobody is told of it, since it is no call.
func (e *endpoint) Stats(s *fi.EndpointStats) {
	if inner, ok := driver.Ability[driver.EndpointCounter](e.Endpoint); ok {
		inner.Stats(s)
		s.Again += e.again.Load()
	}
}

// Stats adds the inner context's numbers.
func (s *sharedRx) Stats(x *fi.RxStats) {
	if inner, ok := driver.Ability[driver.RxCounter](s.SharedRx); ok {
		inner.Stats(x)
	}
}

// Kind is the kind of operations that the call counts as in the Stats of an endpoint; false for what is no operation.
func (a API) Kind() (fi.OpKind, bool) {
	switch a {
	case Send, SendData, SendMsg, Inject, InjectData:
		return fi.OpKindSend, true
	case Recv, RecvMsg:
		return fi.OpKindRecv, true
	case TSend, TSendData, TSendMsg, TInject, TInjectData:
		return fi.OpKindTSend, true
	case TRecv, TRecvMsg:
		return fi.OpKindTRecv, true
	case Write, WriteData, WriteMsg, InjectWrite, InjectWriteData:
		return fi.OpKindWrite, true
	case Read, ReadMsg:
		return fi.OpKindRead, true
	case Atomic, InjectAtomic, AtomicMsg:
		return fi.OpKindAtomic, true
	case FetchAtomic, FetchAtomicMsg, CompareAtomic, CompareAtomicMsg:
		return fi.OpKindFetch, true
	}
	return fi.OpKinds, false
}
