package functional

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// deferredKinds are the values of -T, with the operations that each defers; none stands for those on counters.
var deferredKinds = map[string][]fi.WorkOp{
	"":         {fi.WorkCntrSet, fi.WorkCntrAdd},
	"msg":      {fi.WorkRecv, fi.WorkSend},
	"tagged":   {fi.WorkTRecv, fi.WorkTSend},
	"rma":      {fi.WorkRead, fi.WorkWrite},
	"atomic":   {fi.WorkAtomic},
	"f_atomic": {fi.WorkFetchAtomic},
	"c_atomic": {fi.WorkCompareAtomic},
}

func deferredOptions(o *options.Options) []cli.Option {
	kinds := []string{"msg", "tagged", "rma", "atomic", "f_atomic", "c_atomic"}
	kind := func(v string) error {
		if deferredKinds[v] == nil || v == "" {
			return options.Bad(v, "one of "+strings.Join(kinds, ", "))
		}
		o.Op = v
		return nil
	}
	return []cli.Option{
		{Short: 'a', Long: "alias", Help: "on an alias whose operations are triggered", Set: options.On(&o.Alias)},
		{Short: 'T', Long: "type", Arg: "TYPE", Help: "what is deferred, instead of operations on counters: " + strings.Join(kinds, ", "), Values: kinds, Set: kind},
	}
}

// deferredCaps is what -T asks for.
func deferredCaps(o *options.Options) fi.Caps {
	caps := fi.CapMsg | fi.CapRMA | fi.CapRMAEvent | fi.CapTrigger
	switch o.Op {
	case "tagged":
		caps |= fi.CapTagged
	case "atomic", "f_atomic", "c_atomic":
		caps |= fi.CapAtomic
	}
	return caps
}

// The text that the write has which starts everything, and the one that deferred operations carry; behind deferredAt, since
// messages that synchronise arrive at the beginning.
const (
	deferredStart = "Hello from Client!"
	deferredText  = "This is a successful trigger"
	deferredAt    = 256
	deferredTag   = 0xCAFE
)

// deferredWQ is one side of the program.
type deferredWQ struct {
	s            *session.Session
	ep           *fabric.Endpoint
	start        *fabric.Counter // begins it
	from         uint64          // at this value
	done         *fabric.Counter // counts it
	mine, theirs []byte          // what is sent, and where it arrives
	result       []byte
	queued       uint64
}

// runDeferredWQ queues operations on both sides, and starts them by a write of the client to the server.
func runDeferredWQ(env *scenario.Env) (err error) {
	ops := deferredKinds[env.Opt.Op]
	before := func(s *session.Session) error { // before the peer can write
		if ops[0] >= fi.WorkAtomic && ops[0] <= fi.WorkCompareAtomic {
			copy(s.Rx[deferredAt:], deferredStart)
		}
		return nil
	}
	s, err := session.Open(env, session.Need{Caps: deferredCaps(env.Opt), Counters: true, RMAEvents: true, Size: 2 * deferredAt, Before: before})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	if err := s.ExchangeKeys(); err != nil {
		return err
	}
	d := &deferredWQ{s: s, ep: s.EP, mine: s.Tx[deferredAt:], theirs: s.Rx[deferredAt:], result: make([]byte, len(deferredText))}
	if env.Opt.Alias {
		flags := fi.OpTrigger
		if d.ep, err = s.EP.Alias(&flags, nil); err != nil {
			return fail.Call("fi_ep_alias", err)
		}
	}
	if d.done, err = s.Domain.OpenCounter(nil); err != nil {
		return fail.Call("fi_cntr_open", err)
	}
	defer d.done.Close() //nolint:errcheck // closed below when all went well
	fmt.Fprintf(env.Out, "Testing triggered %v", ops[0])
	if len(ops) > 1 {
		fmt.Fprintf(env.Out, "/%v", ops[1])
	}
	fmt.Fprint(env.Out, " with counters...")
	if err := d.run(ops); err != nil {
		if errors.Is(err, fi.ErrNoSys) {
			fmt.Fprintln(env.Out, "Operation not supported by provider")
		} else {
			fmt.Fprintln(env.Out, "FAIL")
		}
		return err
	}
	fmt.Fprintln(env.Out, "PASS")
	if err := s.Repost(); err != nil {
		return err
	}
	if err := s.Finalize(); err != nil {
		return err
	}
	if err := d.done.Close(); err != nil {
		return fail.Call("fi_close", err)
	}
	return s.Close()
}

func (d *deferredWQ) run(ops []fi.WorkOp) error {
	s := d.s
	// The receive that is posted takes a greeting: what is deferred shall not go there.
	if err := s.PostTx(s.Tx[:copy(s.Tx, deferredStart)], s.Context(0)); err != nil {
		return err
	}
	if err := s.WaitTx(s.TxSeq); err != nil {
		return err
	}
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	d.start, d.from = s.RMA, 1
	if s.Client {
		d.start, d.from = s.TxCntr, s.TxSeq+1
	}
	if err := d.queue(ops); err != nil {
		return fail.Call("fi_control", err)
	}
	if s.Client {
		if err := s.PostWrite(s.Tx[:len(deferredStart)], s.Context(0)); err != nil {
			return err
		}
		if err := s.WaitTx(s.TxSeq); err != nil {
			return err
		}
	}
	if err := s.WaitCounter(d.done, d.queued); err != nil {
		return err
	}
	return d.check(ops[0])
}

// queue queues the operations: receives before sends, and a read of what was written.
func (d *deferredWQ) queue(ops []fi.WorkOp) error {
	n := len(deferredText)
	work := func(op fi.WorkOp, w fabric.DeferredWork) error {
		w.OpType, w.EP = op, d.ep
		if w.Triggering == nil {
			w.Triggering, w.Threshold = d.start, d.from
		}
		if op < fi.WorkCntrSet {
			w.Completion = d.done
		}
		d.queued++
		return d.s.Domain.QueueWork(&w)
	}
	at := func(n int) []fi.RMAIov {
		r := d.s.Remote.At(deferredAt)
		return []fi.RMAIov{{Addr: r.Addr, Len: uint64(n), Key: r.Key}}
	}
	copy(d.mine, deferredText)
	peer := d.s.Peer
	switch ops[0] {
	case fi.WorkCntrSet:
		return errors.Join(work(ops[0], fabric.DeferredWork{Counter: d.done, Value: 5}), work(ops[1], fabric.DeferredWork{Counter: d.done, Value: 5}))
	case fi.WorkRecv:
		return errors.Join(work(ops[0], fabric.DeferredWork{Msg: &fi.Msg{Iov: [][]byte{d.theirs[:n]}, Addr: d.s.From}}),
			work(ops[1], fabric.DeferredWork{Msg: &fi.Msg{Iov: [][]byte{d.mine[:n]}, Addr: peer}}))
	case fi.WorkTRecv:
		return errors.Join(work(ops[0], fabric.DeferredWork{Tagged: &fi.TaggedMsg{Iov: [][]byte{d.theirs[:n]}, Addr: d.s.From, Tag: deferredTag}}),
			work(ops[1], fabric.DeferredWork{Tagged: &fi.TaggedMsg{Iov: [][]byte{d.mine[:n]}, Addr: peer, Tag: deferredTag}}))
	case fi.WorkRead:
		return errors.Join(work(ops[1], fabric.DeferredWork{RMA: &fi.RMAMsg{Iov: [][]byte{d.mine[:n]}, Addr: peer, RMAIov: at(n)}}),
			work(ops[0], fabric.DeferredWork{RMA: &fi.RMAMsg{Iov: [][]byte{d.result[:n]}, Addr: peer, RMAIov: at(n)}, Triggering: d.done, Threshold: 1}))
	}
	n = len(deferredStart)
	ones := bytes.Repeat([]byte{0xff}, n)
	m := &fi.AtomicMsg{Iov: [][]byte{ones}, Addr: peer, RMAIov: at(n), Datatype: fi.TypeUint8, Op: fi.AtomicBOr}
	w := fabric.DeferredWork{Atomic: m}
	switch ops[0] {
	case fi.WorkCompareAtomic:
		m.Op = fi.AtomicCSwapLE
		w.Compare = [][]byte{[]byte(deferredStart)}
		fallthrough
	case fi.WorkFetchAtomic:
		w.Result = [][]byte{d.result[:n]}
	}
	return work(ops[0], w)
}

// check looks at what the operations of both sides have done: the peer's are done when it has arrived here.
func (d *deferredWQ) check(op fi.WorkOp) error {
	want := []byte(deferredText)
	switch op {
	case fi.WorkCntrSet:
		return d.s.WaitCounter(d.done, 10)
	case fi.WorkFetchAtomic, fi.WorkCompareAtomic:
		if !bytes.HasPrefix(d.result, []byte(deferredStart)) {
			return mismatch("fetch buffer", d.result, []byte(deferredStart))
		}
		return nil
	case fi.WorkAtomic:
		want = bytes.Repeat([]byte{0xff}, len(deferredStart))
		if err := d.s.WaitCounter(d.s.RMA, d.writes()); err != nil {
			return err
		}
	case fi.WorkRead:
		if !bytes.HasPrefix(d.result, want) {
			return mismatch("read buffer", d.result, want)
		}
		if err := d.s.WaitCounter(d.s.RMA, d.writes()); err != nil {
			return err
		}
	}
	if !bytes.HasPrefix(d.theirs, want) {
		return mismatch("rx_buf", d.theirs, want)
	}
	return nil
}

// writes are those of the peer that are counted here: its deferred one, and the one that starts the server.
func (d *deferredWQ) writes() uint64 {
	if d.s.Client {
		return 1
	}
	return 2
}

func mismatch(where string, got, want []byte) error {
	return fail.Call("check_data", fmt.Errorf("data mismatch in the %s: %q, expected %q: %w", where, got[:len(want)], want, fi.ErrIO))
}
