package driver

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// OpNotify is a flag of operations that the library itself posts: their completion, a success or an error, is a call of
// [Notified.Done] on the operation's context, and neither an entry in a queue nor counted by the endpoint's counters. It
// is one of the bits that libfabric leaves to providers, cannot be given by applications, and never stands beside
// fi.OpCompletion, which it would contradict: so paths that are fast for applications need not look for it.
const OpNotify fi.OpFlags = 1 << 63

// Notified is the context of an operation with [OpNotify].
type Notified interface {
	// Done is called once when the operation has ended: with c.Err 0 for a success. With FI_SOURCE_ERR ErrData is the
	// address of a message's sender that is not in the address vector. It is called with the domain's lock
	// held, in the middle of whatever the provider does: it must neither block nor begin anything else, but note what has
	// happened, and leave what follows from it to [Engine.Later].
	Done(c cq.ErrEntry)
}

// UnknownSender is what a completion in error says of a message whose sender is not in the address vector (FI_SOURCE_ERR).
const UnknownSender = "the message was received; its sender is not in the address vector: insert ErrData"

// WorkKind says which operation a [Work] is.
type WorkKind uint8

// The kinds.
const (
	WorkSend WorkKind = iota
	WorkTSend
	WorkRecv
	WorkTRecv
	WorkRead
	WorkWrite
	WorkAtomic
	WorkFetch
	WorkCompare
)

// Receives tells whether it is a receive.
func (k WorkKind) Receives() bool { return k == WorkRecv || k == WorkTRecv }

// Completion is what completions of the kind say.
func (k WorkKind) Completion() fi.CompFlags {
	return [...]fi.CompFlags{
		WorkSend:    fi.CompSend | fi.CompMsg,
		WorkTSend:   fi.CompSend | fi.CompTagged,
		WorkRecv:    fi.CompRecv | fi.CompMsg,
		WorkTRecv:   fi.CompRecv | fi.CompTagged,
		WorkRead:    fi.CompRead | fi.CompRMA,
		WorkWrite:   fi.CompWrite | fi.CompRMA,
		WorkAtomic:  fi.CompWrite | fi.CompAtomic,
		WorkFetch:   fi.CompRead | fi.CompAtomic,
		WorkCompare: fi.CompRead | fi.CompAtomic,
	}[k]
}

// OpKind is what operations of the kind count as.
func (k WorkKind) OpKind() fi.OpKind {
	return [...]fi.OpKind{
		WorkSend:    fi.OpKindSend,
		WorkTSend:   fi.OpKindTSend,
		WorkRecv:    fi.OpKindRecv,
		WorkTRecv:   fi.OpKindTRecv,
		WorkRead:    fi.OpKindRead,
		WorkWrite:   fi.OpKindWrite,
		WorkAtomic:  fi.OpKindAtomic,
		WorkFetch:   fi.OpKindFetch,
		WorkCompare: fi.OpKindFetch,
	}[k]
}

// Work is one operation of any kind, as the general forms of [Ops] take it. The structure and its slices may be used
// again when Issue has accepted it; the buffers belong to the operation until it completes, or, with fi.OpInject, until
// it was accepted.
type Work struct {
	Kind    WorkKind
	Iov     [][]byte
	Addr    fi.Addr     // the peer; of a receive the only sender that is wanted, or fi.AddrUnspec
	Tag     uint64      // of tagged messages
	Ignore  uint64      // of tagged receives: bits of the tag that do not matter
	Data    uint64      // with fi.OpRemoteCQData
	RMA     []fi.RMAIov // remote ranges of reads, writes and atomics
	Kernel  *fiatomic.Kernel
	Compare [][]byte // of WorkCompare
	Result  [][]byte // of WorkFetch and WorkCompare
	Context any      // with OpNotify a Notified
	Flags   fi.OpFlags
}

// Issuer is an [Endpoint] that can run operations with the domain's lock held, whoever holds it: the application, for
// which the other operations take the lock themselves, or the goroutine of an engine.
type Issuer interface {
	// Issue posts w at the enabled endpoint, as the call of Ops would that w stands for; one that is not connected yet
	// queues it. Nil says that w was accepted; errors are those of that call, and leave it as it was. fi.OpPeek,
	// fi.OpClaim and fi.OpDiscard are not served, nor is fi.OpMultiRecv with OpNotify: fi.ErrBadFlags. With the lock; not
	// in the middle of something else of the provider: see [Engine.Issue].
	Issue(w *Work) error
}
