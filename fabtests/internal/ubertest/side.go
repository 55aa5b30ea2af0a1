package ubertest

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/ctrl"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Keys that regions are asked for.
const (
	regionKey = 0xC0DE
	txKey     = 0xC0DF // where the provider wants local buffers registered
	rxKey     = 0xFFFF
	otherKey  = 0xC0E0
)

// credits is how many receives are posted, and how many operations may be on their way.
const credits = 128

// side is one side of one test.
type side struct {
	env  *scenario.Env
	c    *ctrl.Conn
	t    *Test
	ours bool // the peer is of this program, and takes data that C's program would not
	mem  *memory

	info *fi.Info
	fab  *fabric.Fabric
	eq   *fabric.EQ
	dom  *fabric.Domain
	av   *fabric.AV
	pep  *fabric.PassiveEndpoint
	ep   *fabric.Endpoint
	mrs  []*fabric.MR
	peer fi.Addr
	from fi.Addr   // that receives are posted for
	at   mr.Remote // the peer's region

	tx, rx direction
	posted int // receives that wait
	rng    *rand.Rand
	iovs   [][]byte // of the next operation
	dgrams *datagrams

	ctx     context.Context // of the test: it ends when the peer says that it has failed
	end     context.CancelCauseFunc
	settled bool // the peer has been told how the phase ended, and has told us
	size    int  // of the transfers of this phase
	count   int  // elements of an atomic
}

// newSide makes a side that has opened nothing.
func newSide(env *scenario.Env, c *ctrl.Conn, t *Test, mem *memory) *side {
	s := &side{env: env, c: c, t: t, mem: mem, peer: fi.AddrUnspec, from: fi.AddrUnspec, rng: rand.New(rand.NewPCG(uint64(t.Index), 1))}
	s.ctx, s.end = context.WithCancelCause(c.Ctx)
	return s
}

// open opens what one side needs to be found, or to find the other: all but, at the server of connected endpoints, the
// endpoint, which is opened for a request.
func (s *side) open() error {
	if err := s.getInfo(); err != nil {
		return err
	}
	var err error
	if s.fab, err = fabric.Open(s.info); err != nil {
		return fail.Call("fi_fabric", err)
	}
	if s.eq, err = s.fab.OpenEQ(&fi.EQAttr{WaitObj: s.t.EQWait}); err != nil {
		return fail.Call("fi_eq_open", err)
	}
	if s.dom, err = s.fab.OpenDomain(s.info); err != nil {
		return fail.Call("fi_domain", err)
	}
	if s.t.Class&fi.CapAtomic != 0 {
		if _, err := s.dom.QueryAtomic(s.t.Function.atomicKind(), s.t.Datatype, s.t.Op); err != nil {
			return &skipped{err}
		}
	}
	if s.t.EP == fi.EPMsg && !s.env.Client {
		return s.listen()
	}
	return s.openActive(s.info)
}

// skipped is why a test makes no sense here: the provider never promised it.
type skipped struct{ err error }

// Error gives that of err.
func (s *skipped) Error() string { return s.err.Error() }

// Unwrap gives err.
func (s *skipped) Unwrap() error { return s.err }

// getInfo asks for what the test wants.
func (s *side) getInfo() error {
	t, o := s.t, s.env.Opt
	h := &fi.Hints{
		Caps: t.Caps, Mode: t.Mode,
		EP:     &fi.EPAttr{Type: t.EP, Protocol: fi.Protocol(t.Protocol), ProtocolVersion: t.ProtocolVersion},
		Domain: &fi.DomainAttr{Name: o.Domain, MRMode: t.MRMode, AVType: t.AV, Progress: t.Progress, Threading: t.Threading},
		Fabric: &fi.FabricAttr{ProvName: t.Provider},
		Tx:     &fi.TxAttr{OpFlags: t.TxOps},
		Rx:     &fi.RxAttr{OpFlags: t.RxOps},
	}
	if o.Provider != "" { // whatever the other side calls it
		h.Fabric.ProvName = o.Provider
	}
	if s.ours { // C's have other names for the same
		h.Fabric.Name = t.Fabric
	}
	if t.withData() {
		h.Domain.CQDataSize = 4
	}
	if t.remote() && !t.seesRx() { // a message behind an operation says that it is there
		h.Tx.MsgOrder, h.Rx.MsgOrder = fi.OrderSAW, fi.OrderSAW
	}
	var opts []fabric.Option
	switch {
	case s.env.Client:
		opts = append(opts, fabric.WithNode(t.Node, t.Service))
		if o.SrcAddr != "" {
			infos, err := fabric.GetInfo(s.ctx, h, fabric.WithNode(o.SrcAddr, ""), fabric.WithFlags(fi.InfoSource))
			if err != nil {
				return fail.Call("fi_getinfo", err)
			}
			h.SrcAddr = infos[0].SrcAddr
		}
	default:
		node, service := t.Node, t.Service
		if o.SrcAddr != "" {
			node = o.SrcAddr
		}
		if o.Given("src-port") {
			service = o.SrcPort
		}
		opts = append(opts, fabric.WithNode(node, service), fabric.WithFlags(fi.InfoSource))
	}
	infos, err := fabric.GetInfo(s.ctx, h, opts...)
	if err != nil {
		return fail.Call("fi_getinfo", err)
	}
	s.info = infos[0]
	if extra := s.info.Mode &^ t.Mode; extra != 0 {
		return fail.Call("fi_getinfo", &fi.Error{Op: "getinfo", Provider: s.info.Fabric.ProvName, Err: fi.ErrInvalid, Hint: "it wants a mode that was not offered: " + extra.String()})
	}
	if lacks := t.Caps &^ s.info.Caps; lacks != 0 {
		return fail.Call("fi_getinfo", &fi.Error{Op: "getinfo", Provider: s.info.Fabric.ProvName, Err: fi.ErrInvalid, Hint: "it lacks what was asked for: " + lacks.String()})
	}
	return nil
}

// settle writes what the provider has made of the test into it.
func (s *side) settle() {
	t, i := s.t, s.info
	if s.ours { // C's have other names for the same, and take any where none is said
		t.Protocol, t.ProtocolVersion, t.Fabric = uint32(i.EP.Protocol), i.EP.ProtocolVersion, i.Fabric.Name
	}
	if s.env.Opt.Provider == "" {
		t.Provider = i.Fabric.ProvName
	}
	t.Progress, t.Threading, t.MRMode, t.Mode = i.Domain.Progress, i.Domain.Threading, i.Domain.MRMode, i.Mode
}

// openActive opens the endpoint and what it works with.
func (s *side) openActive(info *fi.Info) (err error) {
	s.info = info
	if err := s.openQueues(); err != nil {
		return err
	}
	if s.t.EP != fi.EPMsg {
		if s.av, err = s.dom.OpenAV(&fi.AVAttr{Type: s.t.AV, Count: 2}); err != nil {
			return fail.Call("fi_av_open", err)
		}
	}
	if s.ep, err = s.dom.OpenEndpoint(info); err != nil {
		return fail.Call("fi_endpoint", err)
	}
	if err := s.bind(); err != nil {
		return fail.Call("fi_ep_bind", err)
	}
	if err := s.ep.Enable(); err != nil {
		return fail.Call("fi_enable", err)
	}
	return s.buffers()
}

// openQueues opens completion queues and, where the test wants them, counters.
func (s *side) openQueues() error {
	t := s.t
	for _, d := range []struct {
		*direction
		format fi.CQFormat
	}{{&s.tx, fi.CQFormatContext}, {&s.rx, t.Format}} {
		var err error
		if d.q, err = s.dom.OpenCQ(&fi.CQAttr{Format: d.format, WaitObj: t.CQWait, Size: 2 * credits}); err != nil {
			return fail.Call("fi_cq_open", err)
		}
		if t.Comp.counts() {
			if d.cntr, err = s.dom.OpenCounter(&fi.CounterAttr{WaitObj: t.CounterWait}); err != nil {
				return fail.Call("fi_cntr_open", err)
			}
		}
		d.makeContexts()
	}
	return nil
}

// bind gives the endpoint what it works with.
func (s *side) bind() error {
	var errs []error
	if s.av != nil {
		errs = append(errs, s.ep.BindAV(s.av))
	} else {
		errs = append(errs, s.ep.BindEQ(s.eq))
	}
	selective := func(on bool) fi.BindFlags {
		if on {
			return fi.BindSelectiveCompletion
		}
		return 0
	}
	errs = append(errs, s.ep.BindCQ(s.tx.q, fi.BindTransmit|selective(s.t.txSelective())), s.ep.BindCQ(s.rx.q, fi.BindRecv|selective(s.t.rxSelective())))
	if s.tx.cntr != nil {
		what := fi.CountRecv
		if s.info.Caps&fi.CapRMAEvent != 0 {
			what |= fi.CountRemoteRead | fi.CountRemoteWrite
		}
		errs = append(errs, s.ep.BindCounter(s.tx.cntr, fi.CountSend|fi.CountRead|fi.CountWrite), s.ep.BindCounter(s.rx.cntr, what))
	}
	return errors.Join(errs...)
}

// close closes everything that was opened.
func (s *side) close() error {
	var errs []error
	try := func(open bool, close func() error) {
		if open {
			errs = append(errs, close())
		}
	}
	try(s.ep != nil, s.ep.Close)
	try(s.pep != nil, s.pep.Close)
	for _, m := range s.mrs {
		errs = append(errs, m.Close())
	}
	for _, d := range []*direction{&s.tx, &s.rx} {
		try(d.q != nil, d.q.Close)
		try(d.cntr != nil, d.cntr.Close)
	}
	try(s.av != nil, s.av.Close)
	try(s.dom != nil, s.dom.Close)
	try(s.eq != nil, s.eq.Close)
	try(s.fab != nil, s.fab.Close)
	s.end(nil)
	return fail.Call("fi_close", errors.Join(errs...))
}
