package wrap

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Op is an operation. It is the observer's to read until its last call for it, and used again afterwards.
type Op struct {
	N       uint64 // its number: the provider's operations count from 1 on
	API     API
	EP      string // "ep 3", "srx 1"
	Buf     []byte // what is sent or received, or an operand; nil when Iov says it
	Result  []byte // what a fetching atomic writes; as Buf
	Compare []byte // as Buf
	Size    int    // bytes of Buf or Iov, or where there is none of Result

	// The vectors of the message forms are the application's: they are there until Posted returns, and in Completed not to
	// be used.
	Iov, ResultIov, CompareIov [][]byte
	RMAIov                     []fi.RMAIov
	Desc                       []fi.Desc

	Addr        fi.Addr // the peer; of receives whom they are for
	Tag, Ignore uint64
	Data        uint64
	Remote      mr.Remote        // what a remote access is to
	Kernel      *fiatomic.Kernel // of atomics
	Flags       fi.OpFlags       // complete: fi.OpCompletion says that the application wants to hear of a success
	Context     any              // the application's, also where another hook stands between
	Start       time.Time        // when it was posted
	Note        any              // the observer's own

	given      any // the context of the call: the application's, or another hook's operation
	home       *pending
	prev, next *Op
	listed     bool
	completes  bool
	reserved   bool         // has a place in the application's queue
	full       bool         // there was no place
	refs       atomic.Int32 // the call, the completion and cancels that use it

	msg    fi.Msg // what the inner provider gets
	tagged fi.TaggedMsg
	rma    fi.RMAMsg
	amo    fi.AtomicMsg
}

// Completes tells whether Completed will be called for the operation, if it is accepted.
func (o *Op) Completes() bool { return o.completes }

// Multi tells whether it is a multi-receive.
func (o *Op) Multi() bool { return o.API.Receives() && o.Flags&fi.OpMultiRecv != 0 }

// pending are the operations of one endpoint or shared receive context that are on their way, the oldest first.
type pending struct {
	mu   sync.Mutex // order: after a domain's lock; nobody is called with it held
	all  Op         // the list's ends
	free *Op
}

func (l *pending) init() { l.all.prev, l.all.next = &l.all, &l.all }

// new gives an operation with a context, in the list if it completes.
func (l *pending) new(ctx any, completes bool) *Op {
	l.mu.Lock()
	o := l.free
	if o != nil {
		l.free, o.next = o.next, nil
	} else {
		o = &Op{home: l}
	}
	o.given, o.Context = ctx, ctx
	if outer, hook := ctx.(*Op); hook { // it lives longer than this one
		o.Context = outer.Context
	}
	if o.completes = completes; completes {
		o.refs.Store(2)
		o.listed = true
		o.prev, o.next = l.all.prev, &l.all
		o.prev.next, l.all.prev = o, o
	} else {
		o.refs.Store(1)
	}
	l.mu.Unlock()
	return o
}

// ended takes an operation from the list: it has completed, or was not accepted.
func (l *pending) ended(o *Op) {
	l.mu.Lock()
	was := o.listed
	if was {
		o.listed = false
		o.prev.next, o.next.prev = o.next, o.prev
		o.prev, o.next = nil, nil
	}
	l.mu.Unlock()
	if was {
		l.release(o)
	}
}

// release ends one use of an operation; the last one makes it free.
func (l *pending) release(o *Op) {
	if o.refs.Add(-1) != 0 {
		return
	}
	l.mu.Lock()
	o.clear()
	o.next, l.free = l.free, o
	l.mu.Unlock()
}

// clear keeps nothing of the application's.
func (o *Op) clear() {
	o.Buf, o.Result, o.Compare = nil, nil, nil
	o.given, o.Context, o.Note, o.Kernel = nil, nil, nil, nil
	o.Remote, o.Addr, o.Tag, o.Ignore, o.Data, o.Size = mr.Remote{}, 0, 0, 0, 0, 0
	o.reserved, o.full = false, false
	o.returned()
}

// returned forgets what is the application's again when the call returns.
func (o *Op) returned() {
	o.Iov, o.ResultIov, o.CompareIov, o.RMAIov, o.Desc = nil, nil, nil, nil, nil
	o.msg, o.tagged, o.rma, o.amo = fi.Msg{}, fi.TaggedMsg{}, fi.RMAMsg{}, fi.AtomicMsg{}
}

// with gives the operations that were posted with a context, the oldest first; each is to be released.
func (l *pending) with(ctx any) []*Op {
	if ctx != nil && !reflect.ValueOf(ctx).Comparable() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*Op
	for o := l.all.next; o != &l.all; o = o.next {
		if o.given == ctx {
			o.refs.Add(1)
			out = append(out, o)
		}
	}
	return out
}

// cancel ends the oldest operation with a context that inner can end.
func (l *pending) cancel(ctx any, inner func(ctx any) error) error {
	ops := l.with(ctx)
	err := error(fi.ErrNoEnt)
	for _, o := range ops {
		if err == fi.ErrNoEnt { //nolint:errorlint // providers give it bare
			err = inner(o)
		}
		l.release(o)
	}
	if err == fi.ErrNoEnt { //nolint:errorlint // as above
		return inner(ctx)
	}
	return err
}

// drop forgets what will not complete any more.
func (l *pending) drop() {
	for {
		l.mu.Lock()
		o := l.all.next
		l.mu.Unlock()
		if o == &l.all {
			return
		}
		l.ended(o)
	}
}
