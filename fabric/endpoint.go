package fabric

import (
	"reflect"
	"sync/atomic"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
)

// Endpoint sends and receives (struct fid_ep, fi_endpoint(3)). It is bound to queues, counters and an address vector,
// then enabled; its operations return fi.ErrOpBadState before that, fi.ErrNoSys for a group that its Info does not
// have, and fi.ErrBadFD after Close. [Endpoint.Explain] says what such a number means and what to do.
//
// Several Endpoint values may stand for one endpoint: see [Endpoint.Alias].
type Endpoint struct {
	msg    driver.Messager
	tagged driver.Tagger
	rma    driver.RMA
	atomic driver.Atomics
	coll   driver.Collectives

	txFlags fi.OpFlags // complete flags of calls without a flags argument
	rxFlags fi.OpFlags
	txMsg   fi.OpFlags // what is added to the flags of the message forms
	rxMsg   fi.OpFlags
	txNot   fi.OpFlags // and what is taken out: FI_COMPLETION where there is no queue
	rxNot   fi.OpFlags

	tx, rx fi.OpFlags // default flags as asked for
	core   *epCore
}

// epCore is what the aliases of an endpoint share.
type epCore struct {
	object
	drv    driver.Endpoint
	domain *Domain
	info   *fi.Info
	b      driver.Bindings
	txCQ   *CQ
	rxCQ   *CQ
	txSel  bool // selective completion
	rxSel  bool
	av     *AV
	held   []*object // what counts this endpoint as a user
	connection
	half    *half // of a scalable endpoint; nil for others
	enabled bool
	refused error // why enable did not ask the provider, for tellRefused
	ops     driver.Ops
	views   []*Endpoint
	groups  map[fi.Addr]myGroup // of collectives
	refusal atomic.Pointer[refusal]

	counter driver.EndpointCounter // since Enable; nil: it does not count
	unbegun driver.OpCounts        // work that failed before the provider had it
	issuer  driver.Issuer          // since Enable; nil: no triggered operations
	works   map[*workItem]struct{} // of the endpoint; guarded by the engine's lock, as retired
	retired bool                   // no more of them
}

// Info tells what the endpoint was opened with. The value is a copy.
func (ep *Endpoint) Info() *fi.Info { return ep.core.info.Clone() }

// Domain is the endpoint's domain.
func (ep *Endpoint) Domain() *Domain { return ep.core.domain }

// bindable checks the state and the home of what is bound. The caller holds c.mu.
func (c *epCore) bindable(d *Domain) error {
	switch {
	case c.closed:
		return c.fail("ep_bind", fi.ErrBadFD, closedHint("ep"))
	case c.enabled:
		return c.fail("ep_bind", fi.ErrOpBadState, "the endpoint is enabled: bind before Enable")
	case d != c.domain:
		return c.fail("ep_bind", fi.ErrDomain, "it belongs to another domain: open it in the endpoint's, ep.Domain()")
	}
	return nil
}

func (c *epCore) use(o *object) {
	o.hold(&c.object)
	c.held = append(c.held, o)
}

// BindCQ sends completions of a direction to q: fi.BindTransmit, fi.BindRecv or both (fi_ep_bind). With
// fi.BindSelectiveCompletion only operations with fi.OpCompletion report success; errors are always reported.
//
// Errors: fi.ErrBadFlags without a direction or with unknown bits, fi.ErrInvalid when the direction has a queue,
// fi.ErrDomain for a queue of another domain, fi.ErrOpBadState after Enable.
func (ep *Endpoint) BindCQ(q *CQ, flags fi.BindFlags) error {
	c := ep.core
	if q == nil {
		return c.fail("ep_bind", fi.ErrInvalid, "the queue is nil: make one with Domain.OpenCQ")
	}
	const known = fi.BindTransmit | fi.BindRecv | fi.BindSelectiveCompletion
	if flags&^known != 0 || flags&(fi.BindTransmit|fi.BindRecv) == 0 {
		return c.fail("ep_bind", fi.ErrBadFlags, "give fi.BindTransmit, fi.BindRecv or both")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.bindable(q.domain); err != nil {
		return err
	}
	if why := c.half.refuses(flags, 0); why != "" {
		return c.fail("ep_bind", fi.ErrInvalid, why)
	}
	if flags&fi.BindTransmit != 0 && c.txCQ != nil || flags&fi.BindRecv != 0 && c.rxCQ != nil {
		return c.fail("ep_bind", fi.ErrInvalid, "this direction has a completion queue: bind one to each")
	}
	sel := flags&fi.BindSelectiveCompletion != 0
	if flags&fi.BindTransmit != 0 {
		c.txCQ, c.b.TxCQ, c.txSel = q, q.q, sel
	}
	if flags&fi.BindRecv != 0 {
		c.rxCQ, c.b.RxCQ, c.rxSel = q, q.q, sel
	}
	c.use(&q.object)
	return nil
}

// BindCounter counts the given operations with cntr (fi_ep_bind).
//
// Errors: fi.ErrBadFlags without or with unknown bits, fi.ErrInvalid when one of them has a counter, fi.ErrDomain,
// fi.ErrOpBadState as for BindCQ.
func (ep *Endpoint) BindCounter(cntr *Counter, what fi.CountFlags) error {
	c := ep.core
	if cntr == nil {
		return c.fail("ep_bind", fi.ErrInvalid, "the counter is nil: make one with Domain.OpenCounter")
	}
	slots := []struct {
		bit fi.CountFlags
		at  **cq.Counter
	}{
		{fi.CountSend, &c.b.CntSend}, {fi.CountRecv, &c.b.CntRecv}, {fi.CountRead, &c.b.CntRead},
		{fi.CountWrite, &c.b.CntWrite}, {fi.CountRemoteRead, &c.b.CntRemoteRead}, {fi.CountRemoteWrite, &c.b.CntRemoteWrite},
	}
	known := fi.CountFlags(0)
	for _, s := range slots {
		known |= s.bit
	}
	if what == 0 || what&^known != 0 {
		return c.fail("ep_bind", fi.ErrBadFlags, "say what to count: fi.CountSend and its kin")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.bindable(cntr.domain); err != nil {
		return err
	}
	if why := c.half.refuses(0, what); why != "" {
		return c.fail("ep_bind", fi.ErrInvalid, why)
	}
	if what&(fi.CountRemoteRead|fi.CountRemoteWrite) != 0 && c.info.Caps&fi.CapRMAEvent == 0 {
		return c.fail("ep_bind", fi.ErrInvalid, "counting remote accesses needs FI_RMA_EVENT in the hints' caps")
	}
	for _, s := range slots {
		if what&s.bit != 0 && *s.at != nil {
			return c.fail("ep_bind", fi.ErrInvalid, s.bit.String()+" has a counter: bind one to each")
		}
	}
	for _, s := range slots {
		if what&s.bit != 0 {
			*s.at = cntr.c
		}
	}
	c.use(&cntr.object)
	return nil
}

// BindAV gives the endpoint its address vector (fi_ep_bind).
//
// Errors: fi.ErrInvalid when it has one, fi.ErrDomain, fi.ErrOpBadState as for BindCQ.
func (ep *Endpoint) BindAV(av *AV) error {
	c := ep.core
	if av == nil {
		return c.fail("ep_bind", fi.ErrInvalid, "the address vector is nil: make one with Domain.OpenAV")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.bindable(av.domain); err != nil {
		return err
	}
	if c.half != nil {
		return c.fail("ep_bind", fi.ErrInvalid, "contexts have the vector of their scalable endpoint: bind it there")
	}
	if c.av != nil {
		return c.fail("ep_bind", fi.ErrInvalid, "the endpoint has an address vector: insert all peers there")
	}
	if c.info.EP.Type == fi.EPMsg {
		return c.fail("ep_bind", fi.ErrInvalid, "a connected endpoint has one peer and needs no address vector")
	}
	c.av, c.b.AV = av, av.v
	c.use(&av.object)
	return nil
}

// BindSharedRx makes the endpoint receive into a shared context (fi_ep_bind). Receives are then posted on the context
// alone; completions go to the endpoint's queue.
//
// Errors: as for BindAV; fi.ErrOpNotSupp for an endpoint with FI_COLLECTIVE.
func (ep *Endpoint) BindSharedRx(srx *SharedRx) error {
	c := ep.core
	if srx == nil {
		return c.fail("ep_bind", fi.ErrInvalid, "the shared context is nil: make one with Domain.OpenSharedRx")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.bindable(srx.domain); err != nil {
		return err
	}
	if c.half != nil {
		return c.fail("ep_bind", fi.ErrInvalid, "a context of a scalable endpoint is no endpoint that shares one")
	}
	if c.info.Caps&fi.CapCollective != 0 {
		return c.fail("ep_bind", fi.ErrOpNotSupp, "collectives receive at the endpoint itself: leave FI_COLLECTIVE out of the hints' caps")
	}
	if c.b.SharedRx != nil {
		return c.fail("ep_bind", fi.ErrInvalid, "the endpoint has a shared receive context: one is all it takes")
	}
	c.b.SharedRx = srx.drv
	c.use(&srx.object)
	return nil
}

// Enable makes the endpoint ready for operations (fi_enable).
//
// In a domain with Domain.AVAuthKey the endpoint has from now on the keys that its vector has now; fi.ErrInvalid for none.
//
// Errors: fi.ErrNoCQ when a direction that the Info has is bound neither to a queue nor to a counter, fi.ErrNoAV without
// an address vector, fi.ErrNoEQ for a connected endpoint (FI_EP_MSG) without an event queue, fi.ErrOpBadState when it is
// enabled, and what the provider says, such as fi.ErrAddrInUse.
func (ep *Endpoint) Enable() error {
	c := ep.core
	if h := c.half; h != nil {
		return h.enable(c)
	}
	defer c.tellRefused()
	c.mu.Lock()
	err := c.enable()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	if log := c.logger(zlog.EPCtrl); log.On(zlog.Info) {
		log.Info("endpoint enabled", "address", c.address())
	}
	return nil
}

// enable is Enable; the caller holds c.mu, and calls tellRefused without it.
func (c *epCore) enable() error {
	if c.refused = c.complete(); c.refused != nil {
		return c.refused
	}
	c.b.RxSelective = c.rxSel
	if c.b.Keys = c.av.holdKeys(); c.domain.keyer != nil && len(c.b.Keys) == 0 {
		c.refused = c.fail("enable", fi.ErrInvalid, noKeyYet)
		return c.refused
	}
	ops, err := c.drv.Enable(&c.b)
	if err != nil {
		c.av.dropKeys(c.b.Keys)
		c.b.Keys = nil
		return c.fail("enable", err, "")
	}
	c.enabled = true
	c.work(ops)
	return nil
}

// work takes the operations over. The caller holds c.mu.
func (c *epCore) work(ops driver.Ops) {
	oneWay(&ops, c.info.Caps)
	if c.half == nil && c.av != nil && c.av.ctx.bits > 0 {
		byName(&ops, &c.av.ctx, new(atomic.Bool))
	}
	c.ops = ops
	c.issuer, _ = driver.Ability[driver.Issuer](c.drv)
	c.counter, _ = driver.Ability[driver.EndpointCounter](c.drv)
	for _, v := range c.views {
		v.resolve()
	}
}

// complete checks that nothing is missing which an endpoint needs. The caller holds c.mu.
func (c *epCore) complete() error {
	switch {
	case c.closed:
		return c.fail("enable", fi.ErrBadFD, closedHint("ep"))
	case c.enabled:
		return c.fail("enable", fi.ErrOpBadState, "the endpoint is enabled: once is enough")
	case c.av == nil && c.half == nil && c.info.EP.Type != fi.EPMsg:
		return c.fail("enable", fi.ErrNoAV, "the endpoint has no address vector: call BindAV first")
	case c.eq == nil && c.info.EP.Type == fi.EPMsg:
		return c.fail("enable", fi.ErrNoEQ, "nothing would tell when the connection is there: call BindEQ first")
	case c.txCQ == nil && c.sends() && c.b.CntSend == nil && c.b.CntWrite == nil && c.b.CntRead == nil:
		return c.fail("enable", fi.ErrNoCQ, "nothing would tell when its sends are done: call BindCQ with fi.BindTransmit, or BindCounter with fi.CountSend, first")
	case c.rxCQ == nil && c.receives() && c.b.CntRecv == nil:
		return c.fail("enable", fi.ErrNoCQ, "nothing would tell when messages have come: call BindCQ with fi.BindRecv, or BindCounter with fi.CountRecv, first")
	case c.info.EP.TxCtxCount == fi.SharedContext && c.b.SharedTx == nil:
		return c.fail("enable", fi.ErrInvalid, "its Info says FI_SHARED_CONTEXT for tx_ctx_cnt: call BindSharedTx first")
	}
	return nil
}

func (c *epCore) sends() bool {
	mods := c.info.Caps & fi.ModifierCaps
	return mods == 0 || mods&(fi.CapSend|fi.CapRead|fi.CapWrite) != 0
}

func (c *epCore) receives() bool {
	mods := c.info.Caps & fi.ModifierCaps
	return c.info.Caps&(fi.CapMsg|fi.CapTagged) != 0 && (mods == 0 || mods&fi.CapRecv != 0)
}

// Cancel ends the oldest pending operation that was posted with ctx (fi_cancel); it completes with fi.ErrCanceled. An
// operation that cannot be stopped any more completes as if nothing had been asked. On a context of a scalable endpoint it
// is the oldest of the transmit and the receive context with that number.
//
// Errors: fi.ErrNoEnt when there is no such operation, fi.ErrInvalid for a context that cannot be compared (a slice),
// fi.ErrOpBadState before Enable.
func (ep *Endpoint) Cancel(ctx any) error {
	c := ep.core
	c.mu.Lock()
	enabled, closed := c.enabled && c.drv != nil, c.closed
	c.mu.Unlock()
	switch {
	case closed:
		return c.fail("cancel", fi.ErrBadFD, closedHint("ep"))
	case !enabled:
		return c.fail("cancel", fi.ErrOpBadState, "the endpoint is not enabled: call Enable first")
	case ctx != nil && !reflect.ValueOf(ctx).Comparable():
		return c.fail("cancel", fi.ErrInvalid, "a context that cannot be compared is never found: use pointers")
	}
	err := c.drv.Cancel(ctx)
	if err == fi.ErrNoEnt { //nolint:errorlint // providers give it bare
		err = c.cancelWork(ctx)
	}
	return c.fail("cancel", err, "no pending operation has this context: it has completed, or was posted with another one")
}

// Name is the endpoint's own address, for peers to insert (fi_getname); a context's is that of its scalable endpoint. The
// caller may keep it.
//
// Errors: fi.ErrOpBadState before Enable.
func (ep *Endpoint) Name() ([]byte, error) {
	if h := ep.core.half; h != nil {
		return h.s.Name()
	}
	raw, err := ep.core.drv.Name()
	if err != nil {
		return nil, ep.core.fail("getname", err, "the address is known when the endpoint is enabled: call Enable first")
	}
	return append([]byte{}, raw...), nil
}

// SetName chooses the endpoint's own address (fi_setname); before Enable.
//
// Errors: fi.ErrOpBadState after Enable, fi.ErrInvalid for an address that cannot be, fi.ErrNoSys when the provider
// chooses.
func (ep *Endpoint) SetName(raw []byte) error {
	c := ep.core
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.enabled {
		return c.fail("setname", fi.ErrOpBadState, "the endpoint is enabled or closed: set the name before Enable")
	}
	if c.half != nil {
		return c.fail("setname", fi.ErrInvalid, "contexts have the address of their scalable endpoint: set it there")
	}
	n, ok := driver.Ability[driver.Namer](c.drv)
	if !ok {
		return c.fail("setname", fi.ErrNoSys, "the provider chooses addresses: take the one of Name")
	}
	return c.fail("setname", n.SetName(raw), "")
}

// release lets go of what the endpoint was bound to.
func (c *epCore) release() {
	c.mu.Lock()
	held := c.held
	c.held = nil
	c.mu.Unlock()
	for _, o := range held {
		o.drop(&c.object)
	}
}

// Close ends the endpoint (fi_close): what was accepted is sent, for up to a linger time; what is still pending then
// completes with fi.ErrCanceled before Close returns. A connection ends with it, a request that was not accepted is
// refused, and unread events of the endpoint go. Closing twice does nothing. Aliases end with it. A context of a
// scalable endpoint ends with the other one of its number: what is pending then completes, and until then its queues count
// as used.
func (ep *Endpoint) Close() error {
	c := ep.core
	done, err := c.beginClose()
	if done || err != nil {
		return err
	}
	log, address := c.logger(zlog.EPCtrl), ""
	if log.On(zlog.Info) {
		address = c.address()
	}
	if c.events != nil {
		c.events.Retire()
	}
	c.retire()
	if c.half != nil {
		err = c.half.close(c)
	} else {
		err = c.drv.Close()
		c.av.dropKeys(c.b.Keys)
	}
	c.settle()
	if c.eq != nil {
		c.eq.drive.remove(c.domain.eng, c.eq.q)
	}
	c.mu.Lock()
	if !c.enabled { // else the provider says so: other goroutines may be using its operations now
		for _, v := range c.views {
			v.disable(fi.ErrBadFD)
		}
	}
	c.mu.Unlock()
	if c.half == nil {
		c.release()
		c.domain.totals.drop(c)
	}
	c.endClose()
	log.Info("endpoint closed", "address", address)
	return c.fail("ep_close", err, "")
}
