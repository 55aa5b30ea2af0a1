package fabric

import (
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Domain is an opened device or interface (struct fid_domain, fi_domain(3)): the home of endpoints, queues, counters,
// address vectors and memory regions, which can be bound only to each other.
type Domain struct {
	object
	drv  driver.Domain
	fab  *Fabric
	eng  *driver.Engine
	info *fi.Info

	keyer driver.AuthKeyer // with FI_AV_AUTH_KEY; else nil

	offers func() []*fi.Info // of the provider, asked when first needed
	totals totals[fi.DomainStats]

	waiting map[*waitlist]struct{} // those that are not empty; guarded by the engine's lock, as queued
	queued  uint64                 // operations that wait for counters, ever
}

// Info tells how the domain was opened. The value is a copy.
func (d *Domain) Info() *fi.Info { return d.info.Clone() }

// OpenEndpoint makes an endpoint, which works once it is bound and enabled (fi_endpoint). info may differ from the
// domain's in the attributes of the endpoint.
//
// With the Info of an fi.EventConnReq, used as it is, the endpoint answers that request, by Accept or, with a refusal, by
// Close. With a [PassiveEndpoint] that does not listen as the Info's Handle it takes over that one's address; the passive
// endpoint can then only be closed.
//
// Errors: fi.ErrInvalid when info is nil, of another provider, or asks for more than the domain offers, and for a request
// that has been answered or whose passive endpoint was closed.
func (d *Domain) OpenEndpoint(info *fi.Info) (*Endpoint, error) {
	if err := d.checkInfo("endpoint", info); err != nil {
		return nil, err
	}
	if why := d.beyond(info); why != "" {
		return nil, d.fail("endpoint", fi.ErrInvalid, why)
	}
	info, why := d.withKey(info)
	if why != "" {
		return nil, d.fail("endpoint", fi.ErrInvalid, why)
	}
	var drv driver.Endpoint
	var req *driver.ConnReq
	var err error
	switch h := info.Handle.(type) {
	case nil:
		drv, err = d.drv.OpenEndpoint(info)
	case *driver.ConnReq:
		req = h
		drv, err = d.openRequested(info, h)
	case *PassiveEndpoint:
		drv, err = d.openReserved(info, h)
	default:
		err = &fi.Error{Op: "endpoint", Err: fi.ErrInvalid, Hint: "the Info's Handle is neither of an FI_CONNREQ event nor a passive endpoint"}
	}
	if err != nil {
		return nil, d.fail("endpoint", err, "")
	}
	info.Handle = nil
	c := &epCore{drv: drv, domain: d, info: info}
	if info.EP.Type == fi.EPMsg {
		c.conn, _ = driver.Ability[driver.Connector](drv)
	}
	c.req = req
	c.setLimits(info)
	c.init("ep", d.prov, &d.object)
	d.totals.add(c)
	ep := &Endpoint{core: c, tx: info.Tx.OpFlags, rx: info.Rx.OpFlags}
	ep.disable(fi.ErrOpBadState)
	c.views = append(c.views, ep)
	return ep, nil
}

func (d *Domain) checkInfo(op string, info *fi.Info) error {
	if err := d.open(op); err != nil {
		return err
	}
	if info == nil {
		return d.fail(op, fi.ErrInvalid, "info is nil: take one from GetInfo")
	}
	if info.Fabric.ProvName != d.prov || info.Domain.Name != d.info.Domain.Name {
		return d.fail(op, fi.ErrDomain, "info is of provider "+info.Fabric.ProvName+", domain "+info.Domain.Name+": give one of this domain's")
	}
	return nil
}

// OpenCQ makes a completion queue (fi_cq_open). A nil attr gives the defaults: 1024 entries, all fields, blocking reads.
//
// Errors: fi.ErrInvalid for a negative size, fi.ErrNoSys for wait objects that are not served (FI_WAIT_SET,
// FI_WAIT_MUTEX_COND, FI_WAIT_POLLFD), fi.ErrOpNotSupp for FI_WAIT_FD on systems without descriptors to poll.
func (d *Domain) OpenCQ(attr *fi.CQAttr) (*CQ, error) {
	if err := d.open("cq_open"); err != nil {
		return nil, err
	}
	a := fi.CQAttr{WaitObj: fi.WaitUnspec}
	if attr != nil {
		a = *attr
	}
	if a.Size < 0 || a.Format < 0 || a.Format > fi.CQFormatTagged || a.WaitCond < 0 || a.WaitCond > fi.WaitCondThreshold {
		return nil, d.fail("cq_open", fi.ErrInvalid, fmt.Sprintf("out of range: size %d, format %d, wait condition %d", a.Size, a.Format, a.WaitCond))
	}
	if a.Format == fi.CQFormatUnspec {
		a.Format = fi.CQFormatTagged
	}
	q := &CQ{q: cq.NewQueue(a.Size), attr: a}
	if err := q.wait.open(a.WaitObj, d.eng); err != nil {
		return nil, d.fail("cq_open", err, waitHint(a.WaitObj))
	}
	q.wait.hook(q.q.OnSignal)
	q.eng, q.mu, q.domain = d.eng, d.eng.Mutex(), d
	q.init("cq", d.prov, &d.object)
	d.totals.add(q)
	return q, nil
}

func waitHint(w fi.WaitObj) string {
	return "no " + w.String() + " here: fi.WaitUnspec serves blocking reads, fi.WaitFD poll and epoll where the system has it"
}

// OpenCounter makes a counter (fi_cntr_open). A nil attr gives the defaults: completions, blocking waits.
//
// Errors: as for OpenCQ.
func (d *Domain) OpenCounter(attr *fi.CounterAttr) (*Counter, error) {
	if err := d.open("cntr_open"); err != nil {
		return nil, err
	}
	a := fi.CounterAttr{WaitObj: fi.WaitUnspec}
	if attr != nil {
		a = *attr
	}
	if a.Events < 0 || a.Events > fi.CounterEventsBytes {
		return nil, d.fail("cntr_open", fi.ErrInvalid, fmt.Sprintf("unknown events %d: give fi.CounterEventsComp or fi.CounterEventsBytes", a.Events))
	}
	c := &Counter{c: cq.NewCounter(a.Events)}
	if err := c.wait.open(a.WaitObj, d.eng); err != nil {
		return nil, d.fail("cntr_open", err, waitHint(a.WaitObj))
	}
	c.wait.hook(c.c.OnSignal)
	c.eng, c.domain = d.eng, d
	c.init("cntr", d.prov, &d.object)
	d.totals.add(c)
	return c, nil
}

// QueryAtomic says how an atomic is served (fi_query_atomic): the largest count of one call, the size of an element,
// and whether the initiator executes it or the target.
//
// Errors: fi.ErrOpNotSupp when the operation is not valid for the type or the class, fi.ErrNoSys when the domain has no
// atomics, fi.ErrInvalid for unknown values.
func (d *Domain) QueryAtomic(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (fi.AtomicAttr, error) {
	if err := d.open("query_atomic"); err != nil {
		return fi.AtomicAttr{}, err
	}
	a, err := d.drv.QueryAtomic(kind, dt, op)
	return a, d.fail("query_atomic", err, "")
}

// Close releases the domain (fi_close). fi.ErrBusy while objects of it are open; closing twice does nothing.
func (d *Domain) Close() error {
	done, err := d.beginClose()
	if done || err != nil {
		return err
	}
	err = d.drv.Close()
	d.fab.totals.drop(d)
	d.endClose()
	return d.fail("domain_close", err, "")
}
