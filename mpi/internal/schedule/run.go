package schedule

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/reduce"
)

// Task says what a run does, and with which memory.
type Task struct {
	Schedule *coll.Schedule
	World    []int  // world ranks of the members; nil: the same numbers
	Tag      uint64 // the tags of the schedule's steps are added to it
	Data     uint32 // the signature
	Number   uint32 // of the operation among those of the communicator, for who starts it
	Kernel   reduce.Kernel
	In, Out  []byte
	// InBlocks and OutBlocks are what coll.InBlock and coll.OutBlock name.
	InBlocks, OutBlocks [][]byte
	Owner               any // whatever who starts the run wants to find
	// Doubt is asked while somebody waits for the run, long being true when the wait has been long: an error ends the run. It
	// may be nil.
	Doubt func(r *Run, long bool) error
	// Ended is called once when the run is over, before Op is. It must not wait. It may be nil.
	Ended func(*Run)
}

// Run executes a task. Op is over when it is: Op.Err is the first error.
type Run struct {
	Task
	Op device.Op

	dev *device.Device
	tmp []byte
	ops []message // of the steps of a round

	round  int          // of whoever brings left to 0
	left   atomic.Int32 // operations of the round that are not over, and 1 while it is being posted
	recvs  atomic.Int32 // the receives among them, and that 1
	posted atomic.Bool  // all of the round
	failed atomic.Bool
	over   atomic.Bool

	mu   sync.Mutex // guards err and peer
	err  error
	peer int
}

// message is a step that is under way.
type message struct {
	op   device.Op
	run  *Run
	recv bool
	want int // bytes of a receive
}

// New makes a run for a device.
func New(d *device.Device) *Run { return &Run{dev: d} }

// keepTmp is how much scratch memory a run keeps for the next time.
const keepTmp = 1 << 20

// Forget lets go of the caller's memory, of a run that ended well.
func (r *Run) Forget() {
	r.In, r.Out, r.InBlocks, r.OutBlocks, r.Kernel, r.Ended = nil, nil, nil, nil, nil, nil
	if len(r.tmp) > keepTmp {
		r.tmp = nil
	}
}

// Start begins. The run must be new, or have ended well.
//
//fabric:fastpath
func (r *Run) Start() {
	if len(r.tmp) < r.Schedule.Tmp || r.ops == nil {
		r.grow()
	}
	r.Op.Reset()
	r.Op.Peer, r.Op.Src = device.AnyPeer, device.AnyPeer
	r.Op.Owner, r.Op.Want, r.Op.Doubt = r, r.Tag, doubt
	r.Op.Begin()
	r.round = 0
	r.over.Store(false)
	r.advance()
}

//go:noinline
func (r *Run) grow() {
	if len(r.tmp) < r.Schedule.Tmp {
		r.tmp = make([]byte, r.Schedule.Tmp)
	}
	most := 0
	for i := range r.Schedule.Rounds {
		most = max(most, len(r.Schedule.Rounds[i].Comm))
	}
	if most > len(r.ops) || r.ops == nil {
		r.ops = make([]message, most)
	}
}

// advance posts rounds until one has to wait for its messages.
func (r *Run) advance() {
	for !r.failed.Load() {
		if r.round == len(r.Schedule.Rounds) {
			r.end()
			return
		}
		r.left.Store(1)
		r.recvs.Store(1)
		r.posted.Store(false)
		r.post(r.Schedule.Rounds[r.round].Comm)
		if r.left.Add(-1) != 0 {
			return
		}
		r.local()
	}
	r.end()
}

// post posts the messages of a round.
func (r *Run) post(steps []coll.Step) {
	for i := range steps {
		st := &steps[i]
		var err error
		peer, tag := r.world(st.Peer), r.Tag+uint64(st.Tag)
		switch st.Kind {
		case coll.KindSend:
			src := r.span(st.Src)
			if len(src) <= r.dev.Inject {
				err = r.dev.Send(nil, src, peer, tag, uint64(r.Data))
				break
			}
			r.left.Add(1)
			if err = r.dev.Send(r.message(i, false, len(src)), src, peer, tag, uint64(r.Data)); err != nil {
				r.left.Add(-1)
			}
		default:
			dst := r.span(st.Dst)
			r.left.Add(1)
			r.recvs.Add(1)
			if err = r.dev.Recv(r.message(i, true, len(dst)), dst, peer, tag, 0); err != nil {
				r.left.Add(-1)
				r.recvs.Add(-1)
			}
		}
		if err != nil {
			r.fail(peer, err)
			break
		}
	}
	r.posted.Store(true)
	if r.failed.Load() {
		r.withdraw()
	}
	r.counted()
}

func (r *Run) message(i int, recv bool, want int) *device.Op {
	m := &r.ops[i]
	m.op.Reset()
	m.run, m.recv, m.want = r, recv, want
	m.op.Then, m.op.Owner = arrived, m
	return &m.op
}

// arrived is the end of a message.
func arrived(op *device.Op) {
	m := op.Owner.(*message)
	r, recv, err := m.run, m.recv, op.Err
	peer := op.Peer
	if recv {
		err = m.check(r.Data)
	}
	op.Finish()
	if err != nil {
		r.fail(peer, err)
	}
	if recv {
		r.counted()
	}
	r.done()
}

// check tells whether what came is what the schedule waits for.
func (m *message) check(signature uint32) error {
	op := &m.op
	switch {
	case op.Err == nil && uint32(op.Data) != signature:
		return &MismatchError{Peer: op.Peer, Got: op.Len, Want: m.want, Signature: true}
	case op.Err == nil && op.Len != m.want, op.Err != nil && errors.Is(op.Err, fi.ErrTruncated):
		return &MismatchError{Peer: op.Peer, Got: op.Len, Want: m.want}
	}
	return op.Err
}

// counted counts a receive down. What has failed waits for its receives only: a send may wait for ever for a peer that
// has turned away.
func (r *Run) counted() {
	if r.recvs.Add(-1) == 0 && r.failed.Load() {
		r.end()
	}
}

// done counts an operation down and goes on after the last.
func (r *Run) done() {
	if r.left.Add(-1) == 0 {
		r.local()
		r.advance()
	}
}

// local does what follows the messages of a round.
func (r *Run) local() {
	if r.failed.Load() {
		return
	}
	steps := r.Schedule.Rounds[r.round].Local
	for i := range steps {
		dst, src := r.span(steps[i].Dst), r.span(steps[i].Src)
		if steps[i].Kind == coll.KindCopy {
			copy(dst, src)
		} else {
			r.Kernel(dst, dst, src)
		}
	}
	r.round++
}

// span is the memory of a span.
func (r *Run) span(s coll.Span) []byte {
	var b []byte
	switch s.Buf {
	case coll.In:
		b = r.In
	case coll.Out:
		b = r.Out
	case coll.Tmp:
		b = r.tmp
	default:
		if i := s.Buf - coll.InBlock(0); i%2 == 0 {
			b = r.InBlocks[i/2]
		} else {
			b = r.OutBlocks[i/2]
		}
	}
	return b[s.Off : s.Off+s.Len]
}

func (r *Run) world(peer int) int {
	if r.World == nil {
		return peer
	}
	return r.World[peer]
}
