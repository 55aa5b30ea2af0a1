package lnx

import (
	"context"
	"errors"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/lock"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/mr"
)

// domain has a part for each link. Its engine's lock guards all of them.
type domain struct {
	cfg     *config
	info    *fi.Info
	eng     *driver.Engine
	src     *source
	regions *mr.Table
	provKey bool
	parts   []*part
}

// part is a link's domain.
type part struct {
	prov string
	near bool
	info *fi.Info
	fab  driver.Fabric
	dom  driver.Part
}

// openDomain opens the links that the name of info's domain lists.
func (n *network) openDomain(info *fi.Info) (*domain, error) {
	c, err := readConfig(n.p.env)
	if err != nil {
		return nil, err
	}
	names, why := parseSet(info.Domain.Name)
	if why != "" {
		return nil, &fi.Error{Op: "domain", Provider: Name, Object: info.Domain.Name, Err: fi.ErrNoDev, Hint: why + ": take the name from GetInfo"}
	}
	ends, bad := endsOf(&driver.Query{Hints: &fi.Hints{SrcAddr: info.SrcAddr}})
	if bad != nil {
		return nil, &fi.Error{Op: "domain", Provider: Name, Err: fi.ErrInvalid, Hint: bad.Have}
	}
	d := &domain{cfg: c, info: info, src: newSource(), regions: mr.NewTable(), provKey: info.Domain.MRMode&fi.MRModeProvKey != 0}
	d.eng = driver.NewEngineLock(newLock(info), &info.Domain, d.src)
	for _, name := range names {
		if err := d.open(n, name, ends); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	d.src.start(d.parts)
	return d, nil
}

// newLock makes the lock of the domain and its parts: these have goroutines that need it, with manual progress, too.
func newLock(info *fi.Info) *driver.Lock {
	var private func()
	if shmem.RegisterBarriers()&shmem.PrivateBarriers != 0 {
		private = shmem.PrivateBarrier
	}
	kind := lock.Spin
	if info.Domain.Threading == fi.ThreadDomain {
		kind = lock.Biased
	}
	mu := new(driver.Lock)
	mu.Init(kind, private)
	return mu
}

// open opens the part of one link.
func (d *domain) open(n *network, name linkName, ends *ends) error {
	fail := func(err error, hint string) error {
		return &fi.Error{Op: "domain", Provider: Name, Object: set{name}.String(), Err: err, Hint: hint}
	}
	prov := n.p.find(name.prov)
	if prov == nil {
		return fail(fi.ErrNoDev, "no provider of that name is registered any more")
	}
	o, err := choose(prov, name, ends)
	if err != nil {
		return fail(fi.ErrNoDev, err.Error())
	}
	p := &part{prov: name.prov, near: o.near(), info: linkInfo(o.info, d.info, nil)}
	if p.fab, err = prov.OpenFabric(p.info); err != nil {
		return err
	}
	if s, ok := p.fab.(driver.LogSetter); ok {
		s.SetLog(n.log)
	}
	opener, ok := driver.Ability[driver.PartOpener](p.fab)
	if !ok {
		return errors.Join(fail(fi.ErrNoSys, "the provider cannot be a link"), p.fab.Close())
	}
	if p.dom, err = opener.OpenPart(p.info, &driver.Whole{Engine: d.eng, Regions: d.regions}); err != nil {
		return errors.Join(err, p.fab.Close())
	}
	d.parts = append(d.parts, p)
	return nil
}

// choose gives the offer of a link that an Info was composed of. Of two addresses of one interface the source tells which;
// that itself is the endpoint's: others of the domain are elsewhere.
func choose(prov driver.Provider, name linkName, from *ends) (*offer, error) {
	ctx := context.Background()
	first, why := ask(ctx, prov, name, from)
	if len(first) == 0 {
		return nil, errors.New(why[0].Have)
	}
	all, _ := ask(ctx, prov, name, &ends{q: &driver.Query{}})
	for _, o := range all {
		if o.info.Fabric.Name == first[0].info.Fabric.Name && o.info.AddrFormat == first[0].info.AddrFormat {
			return o, nil
		}
	}
	return nil, errors.New("the provider offers it no more")
}

func (d *domain) Engine() *driver.Engine { return d.eng }

func (d *domain) OpenEndpoint(info *fi.Info) (driver.Endpoint, error) { return newEndpoint(d, info) }

func (d *domain) OpenSharedRx(info *fi.Info) (driver.SharedRx, error) {
	x := rdm.NewRx(d.eng, info)
	x.SetBudget(d.cfg.unexpected)
	return x, nil
}

// RegisterMR makes a region reachable by each link, with one key.
func (d *domain) RegisterMR(r *mr.Region) error {
	d.eng.Lock()
	if d.provKey {
		r.Key = d.regions.RandomKey()
	}
	err := d.regions.Add(r)
	d.eng.Unlock()
	if err != nil {
		return err
	}
	for _, p := range d.parts {
		if err := p.dom.RegisterMR(r); err != nil {
			return errors.Join(err, d.CloseMR(r))
		}
	}
	return nil
}

// CloseMR ends access to a region; nothing reads or writes it any more when it returns.
func (d *domain) CloseMR(r *mr.Region) error {
	d.eng.Lock()
	d.regions.Kill(r)
	d.eng.Unlock()
	var all []error
	for _, p := range d.parts {
		all = append(all, p.dom.CloseMR(r))
	}
	return errors.Join(all...)
}

// QueryAtomic says what every link serves.
func (d *domain) QueryAtomic(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (fi.AtomicAttr, error) {
	var attr fi.AtomicAttr
	for i, p := range d.parts {
		a, err := p.dom.QueryAtomic(kind, dt, op)
		switch {
		case err != nil:
			return fi.AtomicAttr{}, err
		case i == 0:
			attr = a
		default:
			attr.Count, attr.Native = min(attr.Count, a.Count), attr.Native && a.Native
		}
	}
	return attr, nil
}

// Close ends the engine, what waits for the parts' sources, and the parts.
func (d *domain) Close() error {
	d.eng.Close()
	d.src.stop()
	var all []error
	for _, p := range d.parts {
		all = append(all, p.dom.Close(), p.fab.Close())
	}
	return errors.Join(all...)
}
