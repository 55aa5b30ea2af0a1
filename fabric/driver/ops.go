package driver

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Ops is the table of an enabled endpoint's operations. A nil group is not offered.
//
// In all calls fl is complete: OpCompletion is set when a success must be written to the queue, OpInject when the buffer
// may be reused at return, OpRemoteCQData when data travels along. Errors are bare fi.Errno values; fi.ErrAgain says that
// nothing was accepted and that progress may help. An accepted operation completes exactly once.
type Ops struct {
	Msg    Messager
	Tagged Tagger
	RMA    RMA
	Atomic Atomics
	Coll   Collectives
}

// Messager is the group of messages (FI_MSG). Forms that are called for every message take their fields as values,
// since a structure that is handed through an interface costs an allocation a call.
type Messager interface {
	Send(buf []byte, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error
	SendMsg(m *fi.Msg, fl fi.OpFlags) error
	Receiver
}

// Receiver is the receiving half of Messager.
type Receiver interface {
	Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error
	RecvMsg(m *fi.Msg, fl fi.OpFlags) error
}

// Tagger is the group of tagged messages (FI_TAGGED).
type Tagger interface {
	TSend(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error
	TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error
	TaggedReceiver
}

// TaggedReceiver is the receiving half of Tagger. TRecvMsg also serves OpPeek, OpClaim and OpDiscard.
type TaggedReceiver interface {
	TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error
	TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error
}

// RMA is the group of remote memory accesses (FI_RMA).
type RMA interface {
	Write(buf []byte, to fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error
	WriteMsg(m *fi.RMAMsg, fl fi.OpFlags) error
	Read(buf []byte, from fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error
	ReadMsg(m *fi.RMAMsg, fl fi.OpFlags) error
}

// Atomics is the group of atomic operations (FI_ATOMIC). Buffers hold whole elements; package fabric has checked that
// and looked up the kernel, which names operation, type and class.
type Atomics interface {
	// Atomic is the base class.
	Atomic(k *fiatomic.Kernel, buf []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error
	// FetchAtomic is the fetching class. buf is nil for fi.AtomicRead.
	FetchAtomic(k *fiatomic.Kernel, buf, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error
	// CompareAtomic is the comparing class.
	CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error
	// AtomicMsg serves vectors of every class: compare and result are nil for classes that have none.
	AtomicMsg(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error
}
