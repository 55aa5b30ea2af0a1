package chaos

import (
	"context"
	"os"
	"sync"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Provider is a mutant of another provider.
type Provider struct {
	inner driver.Provider
	m     Mutant

	mu     sync.Mutex           // order: after a domain's lock
	eps    map[string]*endpoint // enabled ones by address, for lies about other people's memory
	leaked []*os.File           // kept from the collector, which would close them
}

// New makes the mutant m of a provider. It has the inner one's name.
func New(inner driver.Provider, m Mutant) *Provider {
	return &Provider{inner: inner, m: m, eps: map[string]*endpoint{}}
}

// Name gives the inner provider's name.
func (p *Provider) Name() string { return p.inner.Name() }

// Offers gives what the inner provider offers.
func (p *Provider) Offers(ctx context.Context, q *driver.Query) ([]*fi.Info, []fi.Rejection) {
	infos, no := p.inner.Offers(ctx, q)
	if p.m == PromiseVectors {
		for _, i := range infos {
			i.Tx.IovLimit *= 2
		}
	}
	return infos, no
}

// OpenFabric opens the inner network.
func (p *Provider) OpenFabric(info *fi.Info) (driver.Fabric, error) {
	f, err := p.inner.OpenFabric(p.truth(info))
	if err != nil {
		return nil, err
	}
	return &network{f, p}, nil
}

// truth is the Info that the inner provider gave.
func (p *Provider) truth(info *fi.Info) *fi.Info {
	if p.m != PromiseVectors {
		return info
	}
	i := info.Clone()
	i.Tx.IovLimit /= 2
	return i
}

// leakDescriptor opens a descriptor that nobody closes.
func (p *Provider) leakDescriptor() {
	if f, err := os.Open(os.DevNull); err == nil {
		p.mu.Lock()
		p.leaked = append(p.leaked, f)
		p.mu.Unlock()
	}
}

type network struct {
	driver.Fabric
	p *Provider
}

func (n *network) OpenDomain(info *fi.Info) (driver.Domain, error) {
	d, err := n.Fabric.OpenDomain(n.p.truth(info))
	if err != nil {
		return nil, err
	}
	return &domain{Domain: d, p: n.p, regions: map[*mr.Region]bool{}, used: map[uint64]bool{}, stale: map[uint64]*mr.Region{}}, nil
}

// domain wraps a domain. The engine is the inner one's.
type domain struct {
	driver.Domain
	p       *Provider
	mu      sync.Mutex            // guards the maps; never held while calling the inner domain
	regions map[*mr.Region]bool   // those registered
	used    map[uint64]bool       // keys, for LeakKey
	stale   map[uint64]*mr.Region // closed ones, for StaleKey
}

func (d *domain) OpenEndpoint(info *fi.Info) (driver.Endpoint, error) {
	if d.p.m == ListUnopenable && info.Caps&fi.CapFence != 0 && info.Caps&fi.PrimaryCaps == fi.CapMsg|fi.CapRMA {
		return nil, fi.ErrNoMem
	}
	given := own(d.p.truth(info))
	if d.p.m == IgnoreKeys {
		given = given.Clone()
		given.EP.AuthKey = nil
	}
	e, err := d.Domain.OpenEndpoint(given)
	if err != nil {
		return nil, err
	}
	w := &endpoint{Endpoint: e, d: d, m: d.p.m, eng: d.Engine(), recvs: map[any][]posted{}}
	if c, ok := e.(driver.Connector); ok && info.EP.Type == fi.EPMsg {
		return &connected{w, c}, nil
	}
	return w, nil
}

func (d *domain) RegisterMR(r *mr.Region) error {
	switch d.p.m {
	case RegionsForAll:
		r.Admits = nil
	case IgnoreRights:
		r.Access |= fi.AccessRemoteRead | fi.AccessRemoteWrite
	case IgnoreRange:
		r.Len += 8
	case SingleUseStays:
		r.Flags &^= fi.MRSingleUse
	case PartsSwapped:
		if len(r.Parts) > 1 {
			r.Parts[0], r.Parts[1] = r.Parts[1], r.Parts[0]
		}
	case SubRights:
		if r.Parent != nil {
			r.Access = r.Parent.Access
		}
	case LeakKey:
		d.mu.Lock()
		used := d.used[r.Key]
		d.mu.Unlock()
		if used {
			return fi.ErrNoKey
		}
	case StaleKey:
		d.mu.Lock()
		old := d.stale[r.Key]
		delete(d.stale, r.Key)
		d.mu.Unlock()
		if old != nil { // the key is wanted: now it really dies
			d.Domain.CloseMR(old)
		}
	}
	err := d.Domain.RegisterMR(r)
	if err == nil {
		d.mu.Lock()
		d.used[r.Key] = true
		d.regions[r] = true
		d.mu.Unlock()
	}
	return err
}

func (d *domain) CloseMR(r *mr.Region) error {
	d.mu.Lock()
	delete(d.regions, r)
	stale := d.p.m == StaleKey && r.Parent == nil
	if stale {
		d.stale[r.Key] = r
	}
	d.mu.Unlock()
	if stale {
		return nil
	}
	return d.Domain.CloseMR(r)
}

func (d *domain) QueryAtomic(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (fi.AtomicAttr, error) {
	a, err := d.Domain.QueryAtomic(kind, dt, op)
	if d.p.m == QueryTooMuch {
		a.Count *= 2
	}
	return a, err
}

func (d *domain) CheckAddr(raw []byte) ([]byte, error) {
	good, err := d.Domain.CheckAddr(raw)
	if err != nil && d.p.m == AcceptBadAddress {
		return append([]byte{1}, raw...), nil
	}
	return good, err
}

// wrong is the kernel that a mutant takes instead of k.
func (m Mutant) wrong(k *fiatomic.Kernel) *fiatomic.Kernel {
	if m == WrongOp && k.Op() == fi.AtomicMin && (k.Datatype() == fi.TypeInt16 || k.Datatype() == fi.TypeUint16) {
		if other, err := fiatomic.Lookup(k.Kind(), k.Datatype(), fi.AtomicMax); err == nil {
			return other
		}
	}
	return k
}
