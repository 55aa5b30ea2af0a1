package fabric

import (
	"sync"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
)

// PassiveEndpoint listens for connections (struct fid_pep, fi_endpoint(3)), or keeps an address for an endpoint that is
// opened with it: see [Domain.OpenEndpoint]. What peers ask for comes as fi.EventConnReq to the event queue that it is
// bound to. It is safe for concurrent use.
type PassiveEndpoint struct {
	object
	drv  driver.PassiveEndpoint
	fab  *Fabric
	info *fi.Info

	answering sync.Mutex // held while a request is answered, and by Close; before mu

	eq      *EQ             // +checklocks:mu
	events  *driver.Events  // +checklocks:mu
	backlog int             // +checklocks:mu
	state   passiveState    // +checklocks:mu
	stats   fi.PassiveStats // Requests and Waiting are not kept here; +checklocks:mu
}

type passiveState int

const (
	passiveNew       passiveState = iota
	passiveListening              // Listen was called
	passiveTaken                  // an endpoint has its address
)

// defaultBacklog is how many requests may wait to be read unless SetBacklog says otherwise.
const defaultBacklog = 128

// OpenPassive makes a passive endpoint (fi_passive_ep) for an Info of type fi.EPMsg.
//
// Errors: fi.ErrInvalid when info is nil, of another provider or of another type of endpoint, fi.ErrNoSys where there are
// no connections.
func (f *Fabric) OpenPassive(info *fi.Info) (*PassiveEndpoint, error) {
	if err := f.open("passive_ep"); err != nil {
		return nil, err
	}
	if err := f.check("passive_ep", info); err != nil {
		return nil, err
	}
	o, ok := driver.Ability[driver.PassiveOpener](f.drv)
	switch {
	case !ok:
		return nil, f.fail("passive_ep", fi.ErrNoSys, "this provider has no connected endpoints: ask GetInfo for FI_EP_MSG")
	case info.EP.Type != fi.EPMsg:
		return nil, f.fail("passive_ep", fi.ErrInvalid, "info is of type "+info.EP.Type.String()+": ask GetInfo for FI_EP_MSG")
	}
	if why := unservedKey(info, info.Domain.MaxEPAuthKey); why != "" {
		return nil, f.fail("passive_ep", fi.ErrInvalid, why)
	}
	info = info.Clone()
	ownKey(info, info.Domain.AuthKey)
	info.Handle = nil
	drv, err := o.OpenPassive(info)
	if err != nil {
		return nil, f.fail("passive_ep", err, "")
	}
	p := &PassiveEndpoint{drv: drv, fab: f, info: info, backlog: defaultBacklog}
	p.init("pep", f.prov, &f.object)
	f.totals.add(p)
	return p, nil
}

// Class gives fi.ClassPEP: a passive endpoint may be the Handle of an Info.
func (p *PassiveEndpoint) Class() fi.Class { return fi.ClassPEP }

// Info tells what the endpoint was opened with. The value is a copy.
func (p *PassiveEndpoint) Info() *fi.Info { return p.info.Clone() }

// fresh checks that the endpoint neither listens nor has been taken over. The caller holds p.mu.
func (p *PassiveEndpoint) fresh(op string) error {
	switch {
	case p.closed:
		return p.fail(op, fi.ErrBadFD, closedHint("pep"))
	case p.state == passiveListening:
		return p.fail(op, fi.ErrOpBadState, "the endpoint listens: do this before Listen, which is called once")
	case p.state == passiveTaken:
		return p.fail(op, fi.ErrOpBadState, "an endpoint has taken its address over: it can only be closed")
	}
	return nil
}

// BindEQ gives the endpoint its event queue (fi_pep_bind).
//
// Errors: fi.ErrInvalid when q is nil or the endpoint has one, fi.ErrDomain for a queue of another fabric, fi.ErrOpBadState
// after Listen.
func (p *PassiveEndpoint) BindEQ(q *EQ) error {
	if q == nil {
		return p.fail("pep_bind", fi.ErrInvalid, "the queue is nil: make one with Fabric.OpenEQ")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.fresh("pep_bind"); err != nil {
		return err
	}
	switch {
	case q.fab != p.fab:
		return p.fail("pep_bind", fi.ErrDomain, "it belongs to another fabric: open it in the endpoint's")
	case p.eq != nil:
		return p.fail("pep_bind", fi.ErrInvalid, "the endpoint has an event queue: one is all it takes")
	}
	p.eq, p.events = q, driver.NewEvents(q.q, p)
	q.hold(&p.object)
	return nil
}

// SetName chooses the address to listen at (fi_setname); before Listen.
//
// Errors: fi.ErrOpBadState after Listen, fi.ErrInvalid for an address that cannot be.
func (p *PassiveEndpoint) SetName(raw []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.fresh("setname"); err != nil {
		return err
	}
	return p.fail("setname", p.drv.SetName(raw), "")
}

// Name is the endpoint's address, for peers to connect to (fi_getname). The caller may keep it.
//
// Errors: fi.ErrOpBadState while it is not known: it is after Listen.
func (p *PassiveEndpoint) Name() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, p.fail("getname", fi.ErrBadFD, closedHint("pep"))
	}
	raw, err := p.drv.Name()
	if err != nil {
		return nil, p.fail("getname", err, "the address is known when the endpoint listens: call Listen first")
	}
	return append([]byte{}, raw...), nil
}

// SetBacklog sets how many requests may wait to be read (FI_BACKLOG); before Listen. More wait where they are, and peers
// with them. The default is 128.
//
// Errors: fi.ErrInvalid for less than one, fi.ErrOpBadState after Listen.
func (p *PassiveEndpoint) SetBacklog(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.fresh("control"); err != nil {
		return err
	}
	if n < 1 {
		return p.fail("control", fi.ErrInvalid, "at least one request must be able to wait")
	}
	p.backlog = n
	return nil
}

// CMDataSize is the longest private data in bytes that a connection's calls take and a request brings
// (FI_OPT_CM_DATA_SIZE).
func (p *PassiveEndpoint) CMDataSize() int { return p.drv.CMDataSize() }

// Listen starts to take requests (fi_listen).
//
// Errors: fi.ErrNoEQ without an event queue, fi.ErrOpBadState when it listens already, and what the provider says, such as
// fi.ErrAddrInUse.
func (p *PassiveEndpoint) Listen() error {
	p.mu.Lock()
	err := p.listen()
	p.mu.Unlock()
	if err != nil {
		return err
	}
	p.eq.q.Ring() // blocked readers park on our engine, too
	if log := p.logger(zlog.EPCtrl); log.On(zlog.Info) {
		name, _ := p.drv.Name()
		log.Info("listening", "address", fi.FormatAddr(p.info.AddrFormat, name))
	}
	return nil
}

// listen is Listen; the caller holds p.mu.
func (p *PassiveEndpoint) listen() error {
	if err := p.fresh("listen"); err != nil {
		return err
	}
	if p.eq == nil {
		return p.fail("listen", fi.ErrNoEQ, "nothing would tell of requests: call BindEQ first")
	}
	if err := p.drv.Listen(p.events, p.backlog); err != nil {
		return p.fail("listen", err, "")
	}
	p.state = passiveListening
	p.eq.drive.add(p.drv.Engine())
	return nil
}

// Reject refuses a request (fi_reject): h is the Handle of the Info of its event. The peer's connection fails with
// fi.ErrConnRefused and the private data.
//
// Errors: fi.ErrInvalid for a handle that is no request at this endpoint, or one that was answered, and for data longer
// than CMDataSize.
func (p *PassiveEndpoint) Reject(h fi.Handle, data []byte) error {
	r, ok := h.(*driver.ConnReq)
	if !ok || r.FID() != any(p) {
		return p.fail("reject", fi.ErrInvalid, "not a request at this endpoint: give the Info.Handle of its FI_CONNREQ event")
	}
	if len(data) > p.drv.CMDataSize() {
		return p.fail("reject", fi.ErrInvalid, tooMuchData(p.drv.CMDataSize()))
	}
	p.answering.Lock()
	defer p.answering.Unlock()
	if err := p.open("reject"); err != nil {
		return err
	}
	if !r.Claim() {
		return p.fail("reject", fi.ErrInvalid, answered)
	}
	p.mu.Lock()
	p.stats.Rejected++
	p.mu.Unlock()
	return p.fail("reject", p.drv.Reject(r, data), "")
}

const answered = "the request has been answered, or its peer has gone: there is one answer to each"

// Close stops listening (fi_close): requests that nobody has answered are refused, and their unread events go. Endpoints
// that were opened for others live on. Closing twice does nothing.
func (p *PassiveEndpoint) Close() error {
	p.answering.Lock()
	defer p.answering.Unlock()
	done, err := p.beginClose()
	if done || err != nil {
		return err
	}
	p.mu.Lock()
	eq, events, state := p.eq, p.events, p.state
	p.mu.Unlock()
	if events != nil {
		events.Retire()
	}
	err = p.drv.Close()
	if eq != nil {
		if state == passiveListening {
			eq.drive.remove(p.drv.Engine(), eq.q)
		}
		eq.drop(&p.object)
	}
	p.fab.totals.drop(p)
	p.endClose()
	return p.fail("pep_close", err, "")
}

// openRequested opens the endpoint that answers a request.
func (d *Domain) openRequested(info *fi.Info, r *driver.ConnReq) (driver.Endpoint, error) {
	p, ok := r.FID().(*PassiveEndpoint)
	if !ok || p.fab != d.fab {
		return nil, &fi.Error{Op: "endpoint", Err: fi.ErrDomain, Hint: "the request came in at another fabric: open the domain in that one"}
	}
	p.answering.Lock()
	defer p.answering.Unlock()
	if !r.Claim() {
		return nil, &fi.Error{Op: "endpoint", Err: fi.ErrInvalid, Hint: answered}
	}
	drv, err := d.drv.OpenEndpoint(info)
	if err != nil {
		r.Unclaim()
		return nil, err
	}
	p.mu.Lock()
	p.stats.Accepted++
	p.mu.Unlock()
	return drv, nil
}

// openReserved opens an endpoint that takes over the address of a passive one.
func (d *Domain) openReserved(info *fi.Info, p *PassiveEndpoint) (driver.Endpoint, error) {
	if p.fab != d.fab {
		return nil, &fi.Error{Op: "endpoint", Err: fi.ErrDomain, Hint: "the passive endpoint belongs to another fabric"}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.fresh("endpoint"); err != nil {
		return nil, err
	}
	info.Handle = p.drv
	drv, err := d.drv.OpenEndpoint(info)
	if err == nil {
		p.state = passiveTaken
	}
	return drv, err
}
