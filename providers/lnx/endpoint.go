package lnx

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/collective"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
)

// endpoint has an endpoint on each link. What arrives there is matched with the receives of this one and completes in its
// queues. The domain's lock guards it from Enable on.
type endpoint struct {
	rdm.Endpoint
	coll    *collective.Endpoint // nil without FI_COLLECTIVE
	d       *domain
	links   []*link
	enabled atomic.Bool
	closed  bool

	routes  routes
	trying  map[fi.Addr]*attempt // peers that a link is being sought for
	holding int                  // operations that are held for these
	held    driver.Tally         // the same, for those without the lock
}

// link is an endpoint's endpoint on one of the domain's links.
type link struct {
	part    *part
	ep      driver.Endpoint
	info    *fi.Info   // that it was opened with
	own     []byte     // the address that SetName chose; nil for none
	av      *driver.AV // the addresses of the endpoint's vector on this link, at the same indices
	ops     driver.Ops
	issuer  driver.Issuer
	reacher driver.Reacher // nil: it can always be sent to
}

func newEndpoint(d *domain, info *fi.Info) (*endpoint, error) {
	e := &endpoint{d: d, trying: make(map[fi.Addr]*attempt)}
	e.routes.init()
	e.Info = info
	e.Rx = rdm.NewRx(d.eng, info)
	e.Rx.SetBudget(d.cfg.unexpected)
	own := &address{}
	if len(info.SrcAddr) > 0 {
		var err error
		if own, err = parseAddress(info.SrcAddr); err != nil {
			return nil, err
		}
	}
	for _, p := range d.parts {
		l := &link{part: p, info: linkInfo(p.info, info, own.on(p.prov)), av: driver.NewAV(d.eng, 0)}
		if err := l.open(); err != nil {
			return nil, errors.Join(err, e.closeLinks())
		}
		e.links = append(e.links, l)
	}
	return e, nil
}

// open makes the endpoint of a link.
func (l *link) open() error {
	ep, err := l.part.dom.OpenEndpoint(l.info)
	if err != nil {
		return err
	}
	l.ep = ep
	l.issuer, _ = driver.Ability[driver.Issuer](ep)
	l.reacher, _ = driver.Ability[driver.Reacher](ep)
	if l.own != nil {
		return l.name()
	}
	return nil
}

// reopen makes a link that was enabled be as it was before.
func (l *link) reopen() error { return errors.Join(l.ep.Close(), l.open()) }

// SetName chooses the addresses on the links that it names.
func (e *endpoint) SetName(raw []byte) error {
	a, err := parseAddress(raw)
	if err != nil {
		return err
	}
	for _, l := range e.links { // all or none
		if own := a.on(l.part.prov); own != nil {
			if _, err := l.part.dom.CheckAddr(own); err != nil {
				return err
			}
		}
	}
	for _, l := range e.links {
		if own := a.on(l.part.prov); own != nil {
			l.own = own
			if err := l.name(); err != nil {
				return err
			}
		}
	}
	return nil
}

// name chooses the address of a link.
func (l *link) name() error {
	n, ok := driver.Ability[driver.Namer](l.ep)
	if !ok {
		return fi.ErrNoSys
	}
	return n.SetName(l.own)
}

// Name has the addresses on all links.
func (e *endpoint) Name() ([]byte, error) {
	if !e.enabled.Load() {
		return nil, fi.ErrOpBadState
	}
	a := address{host: e.d.cfg.host}
	for _, l := range e.links {
		raw, err := l.ep.Name()
		if err != nil {
			return nil, err
		}
		a.add(l.part.prov, raw)
	}
	return a.bytes(), nil
}

// Enable makes the links ready: what they report goes where the application wants it.
func (e *endpoint) Enable(b *driver.Bindings) (driver.Ops, error) {
	e.d.eng.Lock()
	e.Init(e.d.eng, e.Info, e.d.regions, b)
	e.d.eng.Unlock()
	e.follow() // before anybody can come
	for i, l := range e.links {
		own := *b
		own.AV, own.SharedRx, own.Whole = l.av, e.Rx, e.d.whole(l.part)
		var err error
		if l.ops, err = l.ep.Enable(&own); err != nil {
			e.AV.Unwatch(e)
			for _, done := range e.links[:i] { // the application may try again, with another address
				err = errors.Join(err, done.reopen())
			}
			return driver.Ops{}, err
		}
	}
	e.enabled.Store(true)
	all := e.operations(b.SharedRx != nil)
	if e.Info.Caps&fi.CapCollective != 0 {
		e.coll = collective.New(e.d.eng, e, e.Info, b)
		all.Coll = e.coll
	}
	return all, nil
}

// Cancel ends a posted receive, or an operation of a link.
func (e *endpoint) Cancel(ctx any) error {
	e.d.eng.Lock()
	done := e.Rx.Revoke(ctx) == nil || e.cancelHeld(ctx)
	e.d.eng.Unlock()
	if done {
		return nil
	}
	for _, l := range e.links {
		if err := l.ep.Cancel(ctx); err != fi.ErrNoEnt { //nolint:errorlint // documented: a bare value
			return err
		}
	}
	return fi.ErrNoEnt
}

// Revoke is Cancel with the lock held.
func (e *endpoint) Revoke(ctx any) error {
	if e.Rx.Revoke(ctx) == nil || e.cancelHeld(ctx) {
		return nil
	}
	for _, l := range e.links {
		if r, ok := l.ep.(driver.Revoker); ok && r.Revoke(ctx) == nil {
			return nil
		}
	}
	return fi.ErrNoEnt
}

// SetMinMultiRecv sets when a multi-receive buffer ends.
func (e *endpoint) SetMinMultiRecv(n int) error { return e.Rx.SetMinMultiRecv(n) }

// MinMultiRecv gives what SetMinMultiRecv set.
func (e *endpoint) MinMultiRecv() int { return e.Rx.MinMultiRecv() }

// Stats adds what the endpoint and those of its links have counted.
func (e *endpoint) Stats(s *fi.EndpointStats) {
	e.Endpoint.Stats(s)
	s.Pending += e.held.Load()
	for _, l := range e.links {
		if c, ok := l.ep.(driver.EndpointCounter); ok {
			c.Stats(s)
		}
	}
}

// Close ends the links, each of which sends what it has accepted, and then what is left of the receives.
func (e *endpoint) Close() error {
	if e.coll != nil {
		defer e.coll.Close() // behind the operations, without the lock
	}
	if e.enabled.Load() {
		e.AV.Unwatch(e)
	}
	for until := time.Now().Add(e.d.cfg.linger); !e.sent() && time.Now().Before(until); {
		osx.SchedYield()
		runtime.Gosched()
	}
	e.d.eng.Lock()
	for _, t := range e.trying {
		e.settle(t)
	}
	e.closed = true
	e.d.eng.Unlock()
	err := e.closeLinks()
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	if e.enabled.Load() {
		e.Drain()
	}
	return err
}

// sent tells whether links have taken all that was accepted.
func (e *endpoint) sent() bool {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	if e.holding > 0 {
		e.d.src.freshen()
		e.d.eng.Drive()
	}
	return e.holding == 0
}

func (e *endpoint) closeLinks() error {
	var all []error
	for _, l := range e.links {
		all = append(all, l.ep.Close())
	}
	return errors.Join(all...)
}
