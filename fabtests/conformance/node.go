package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// openOpts say what a side opens. They go to the second process.
type openOpts struct {
	Set  settings
	Caps fi.Caps
	Bare bool // a domain only

	TxFlags, RxFlags fi.OpFlags // defaults of the endpoint
	SelTx, SelRx     bool       // selective completion
	NoTxCQ, NoRxCQ   bool       // counters only
	CQSize           int
	Format           fi.CQFormat
	Bytes            bool // counters count bytes
	UserIDs          bool // the vector has user ids
	SharedRx         bool
	SharedTx         int        // 0: none; else its size
	EPs              int        // endpoints; 0: 1
	Order            fi.Order   // ordering asked for
	Wait             fi.WaitObj // instead of the cell's
	WaitSet          bool
	Max, Inject      fabric.Sizes // lowered limits
	NoTrigger        bool         // FI_TRIGGER is taken out of the Info
	DomainKey, EPKey string       // authorization keys
	AVKeys           []string     // those of the vector (FI_AV_AUTH_KEY)
}

// Counter slots of a node, in the order of its arrays.
const (
	cntSend = iota
	cntRecv
	cntRead
	cntWrite
	cntRemoteRead
	cntRemoteWrite
	numCounters
)

var countFlags = [numCounters]fi.CountFlags{fi.CountSend, fi.CountRecv, fi.CountRead, fi.CountWrite,
	fi.CountRemoteRead, fi.CountRemoteWrite}

// node is one side's objects, in whatever process.
type node struct {
	opts openOpts
	info *fi.Info
	fab  *fabric.Fabric
	dom  *fabric.Domain
	av   *fabric.AV
	keys []fi.Addr // of the vector, as AVKeys
	txq  *fabric.CQ
	rxq  *fabric.CQ
	srx  *fabric.SharedRx
	stx  *fabric.SharedTx
	eq   *fabric.EQ // of connected endpoints, as the next two, and of those with collectives
	pep  *fabric.PassiveEndpoint
	up   int // endpoints that are connected
	cnt  [numCounters]*fabric.Counter
	eps  []*fabric.Endpoint
	view []*fabric.Endpoint // aliases

	ops     map[int]*opRec
	nextOp  int
	regions map[int]*regionRec
	nextReg int
	qs      []*fabric.CQ // the queues, each once
	arena   []byte       // what is left of the youngest block
	blocks  []*mr.Memory
	desc    map[*byte]*fabric.MR // with FI_MR_LOCAL
	closers []func() error
	trouble []string
}

func (n *node) say(format string, args ...any) {
	if len(n.trouble) < 10 {
		n.trouble = append(n.trouble, fmt.Sprintf(format, args...))
	}
}

// later makes f run when the node closes, the youngest first.
func (n *node) later(f func() error) { n.closers = append(n.closers, f) }

// open opens everything that the options ask for.
func (n *node) open(reg *fabric.Registry, o *openOpts) (err error) {
	n.opts = *o
	n.ops, n.regions = map[int]*opRec{}, map[int]*regionRec{}
	with := []fabric.Option{fabric.WithRegistry(reg), fabric.WithEnv(func(string) (string, bool) { return "", false })}
	h := o.Set.hints(o.Caps)
	h.Tx.OpFlags, h.Rx.OpFlags = o.TxFlags, o.RxFlags
	h.Tx.MsgOrder, h.Rx.MsgOrder = o.Order, o.Order
	h.Domain.AuthKey, h.EP.AuthKey = []byte(o.DomainKey), []byte(o.EPKey)
	h.Domain.AVAuthKey = len(o.AVKeys) > 0
	infos, err := fabric.GetInfo(context.Background(), h, with...)
	if err != nil {
		return err
	}
	n.info = pick(infos, o.Set.MRMode)
	if o.NoTrigger {
		n.info.Caps &^= fi.CapTrigger
		n.info.Tx.Caps &^= fi.CapTrigger
		n.info.Rx.Caps &^= fi.CapTrigger
	}
	if n.fab, err = fabric.Open(n.info, with...); err != nil {
		return err
	}
	n.later(n.fab.Close)
	if n.dom, err = n.fab.OpenDomain(n.info); err != nil {
		return err
	}
	n.later(n.dom.Close)
	n.info.Domain.MRMode = n.dom.Info().Domain.MRMode
	if o.Bare {
		return nil
	}
	return n.openQueues(o)
}

// pick gives the Info with the wanted rules of registration: one that has them, or the first with them added, for a
// provider that serves both.
func pick(infos []*fi.Info, mode fi.MRMode) *fi.Info {
	for _, i := range infos {
		if i.Domain.MRMode&(fi.MRModeVirtAddr|fi.MRModeProvKey) == mode&(fi.MRModeVirtAddr|fi.MRModeProvKey) {
			return i
		}
	}
	infos[0].Domain.MRMode |= mode
	return infos[0]
}

func (n *node) openQueues(o *openOpts) (err error) {
	wait := o.Set.Wait
	if o.WaitSet {
		wait = o.Wait
	}
	if o.Set.connected() {
		err = n.listen(wait)
	} else if err = n.openAV(o); err == nil && o.Caps&colls != 0 {
		if n.eq, err = n.fab.OpenEQ(nil); err == nil {
			n.later(n.eq.Close)
		}
	}
	if err != nil {
		return err
	}
	cqa := &fi.CQAttr{Size: o.CQSize, Format: o.Format, WaitObj: wait}
	if !o.NoTxCQ {
		if n.txq, err = n.dom.OpenCQ(cqa); err != nil {
			return err
		}
		n.later(n.txq.Close)
	}
	if !o.NoRxCQ {
		if n.rxq, err = n.dom.OpenCQ(cqa); err != nil {
			return err
		}
		n.later(n.rxq.Close)
	}
	events := fi.CounterEventsComp
	if o.Bytes {
		events = fi.CounterEventsBytes
	}
	for i := range n.cnt {
		if i >= cntRemoteRead && o.Caps&fi.CapRMAEvent == 0 {
			break
		}
		if n.cnt[i], err = n.dom.OpenCounter(&fi.CounterAttr{Events: events, WaitObj: wait}); err != nil {
			return err
		}
		n.later(n.cnt[i].Close)
	}
	if o.SharedRx {
		n.info.EP.RxCtxCount = fi.SharedContext
		if n.srx, err = n.dom.OpenSharedRx(n.info); err != nil {
			return err
		}
		n.later(n.srx.Close)
	}
	if o.SharedTx > 0 {
		n.info.EP.TxCtxCount, n.info.Tx.Size = fi.SharedContext, o.SharedTx
		if n.stx, err = n.dom.OpenSharedTx(n.info); err != nil {
			return err
		}
		n.later(n.stx.Close)
	}
	if o.Set.connected() { // endpoints are opened when they connect
		return nil
	}
	for range max(o.EPs, 1) {
		if err := n.openEndpoint(o, n.info); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) openAV(o *openOpts) (err error) {
	attr := &fi.AVAttr{Type: o.Set.AV}
	if o.UserIDs {
		attr.Flags = fi.AVUserID
	}
	if n.av, err = n.dom.OpenAV(attr); err == nil {
		n.later(n.av.Close)
		n.keys, err = insertKeys(n.av, o.AVKeys)
	}
	return err
}

// insertKeys gives a vector its keys.
func insertKeys(av *fabric.AV, keys []string) (out []fi.Addr, err error) {
	for _, k := range keys {
		a, err := av.InsertAuthKey([]byte(k))
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// registerMR registers memory, where keys are the vector's for all that have one.
func (n *node) registerMR(iov [][]byte, a *fi.MRAttr, who fi.Addr) (*fabric.MR, error) {
	a.Iov = iov
	if n.keys != nil {
		return n.dom.RegisterMRKeyed(a, fabric.MRAuthKey{AV: n.av, Addr: who})
	}
	return n.dom.RegisterMRAttr(a)
}

func (n *node) openEndpoint(o *openOpts, info *fi.Info) error {
	ep, err := n.dom.OpenEndpoint(info)
	if err != nil {
		return err
	}
	n.eps = append(n.eps, ep)
	var errs []error
	bind := func(q *fabric.CQ, flags fi.BindFlags, selective bool) {
		if q == nil {
			return
		}
		if selective {
			flags |= fi.BindSelectiveCompletion
		}
		errs = append(errs, ep.BindCQ(q, flags))
	}
	bind(n.txq, fi.BindTransmit, o.SelTx)
	bind(n.rxq, fi.BindRecv, o.SelRx)
	if n.av != nil {
		errs = append(errs, ep.BindAV(n.av))
	}
	if n.eq != nil {
		errs = append(errs, ep.BindEQ(n.eq))
	}
	for i, c := range n.cnt {
		if c != nil {
			errs = append(errs, ep.BindCounter(c, countFlags[i]))
		}
	}
	if n.srx != nil {
		errs = append(errs, ep.BindSharedRx(n.srx))
	}
	if n.stx != nil {
		errs = append(errs, ep.BindSharedTx(n.stx))
	}
	if o.Max != (fabric.Sizes{}) {
		errs = append(errs, ep.SetMaxSizes(o.Max))
	}
	if o.Inject != (fabric.Sizes{}) {
		errs = append(errs, ep.SetInjectSizes(o.Inject))
	}
	errs = append(errs, ep.Enable())
	return errors.Join(errs...)
}

// names are the addresses of the node's endpoints.
func (n *node) names() ([][]byte, error) {
	var out [][]byte
	if n.pep != nil {
		raw, err := n.pep.Name()
		for range max(n.opts.EPs, 1) {
			out = append(out, raw)
		}
		return out, err
	}
	for _, ep := range n.eps {
		raw, err := ep.Name()
		if err != nil {
			return nil, err
		}
		out = append(out, raw)
	}
	return out, nil
}

// queues are the node's completion queues, each once.
func (n *node) queues() []*fabric.CQ {
	if n.qs == nil && n.txq != nil {
		n.qs = append(n.qs, n.txq)
	}
	if len(n.qs) < 2 && n.rxq != nil && !slices.Contains(n.qs, n.rxq) {
		n.qs = append(n.qs, n.rxq)
	}
	return n.qs
}

// closeEndpoints ends all operations.
func (n *node) closeEndpoints() error {
	var errs []error
	for _, ep := range n.eps {
		errs = append(errs, ep.Close())
	}
	return errors.Join(errs...)
}

// close closes everything, the youngest first. Calling it again does nothing.
func (n *node) close() error {
	var errs []error
	errs = append(errs, n.closeEndpoints())
	for _, m := range n.desc {
		errs = append(errs, m.Close())
	}
	for i := n.nextReg; i > 0; i-- { // sub-regions before their bases
		for id, r := range n.regions {
			if id == i && r.mr != nil {
				errs = append(errs, r.mr.Close())
			}
		}
	}
	for i := len(n.closers) - 1; i >= 0; i-- {
		errs = append(errs, n.closers[i]())
	}
	n.closers = nil
	for _, m := range n.blocks {
		errs = append(errs, free(m))
	}
	n.blocks = nil
	return errors.Join(errs...)
}

// free gives a block back; a peer that copies from it at this moment has a little time.
func free(m *mr.Memory) error {
	for end := time.Now().Add(30 * time.Second); ; {
		err := m.Free()
		if !errors.Is(err, fi.ErrBusy) || time.Now().After(end) {
			return err
		}
		pause(time.Millisecond)
	}
}

// poll reads what has completed.
func (n *node) poll() []comp {
	var out []comp
	var entries [32]cq.Entry
	for _, q := range n.queues() {
		for range 8 {
			k, err := q.Read(entries[:])
			if err == fi.ErrAvail { //nolint:errorlint // documented: a bare value
				var e cq.ErrEntry
				if err := q.ReadErr(&e); err != nil {
					n.say("ReadErr after FI_EAVAIL: %v", err)
					break
				}
				out = append(out, n.errComp(q, &e))
				continue
			}
			for i := range k {
				out = append(out, n.comp(q, &entries[i], 0))
			}
			if k == 0 {
				if err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
					n.say("Read: %v", err)
				}
				break
			}
		}
	}
	if len(n.queues()) == 0 { // counters drive the domain, too
		for _, c := range n.cnt {
			if c != nil {
				c.Read()
			}
		}
	}
	return out
}
