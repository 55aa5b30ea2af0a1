package wrap

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Provider stands before another provider. It is safe for concurrent use.
type Provider struct {
	inner driver.Provider
	hook  string
	obs   Observer

	ops                                       atomic.Uint64 // the number of the last operation
	fabrics, domains, endpoints, srxs, passes atomic.Int32  // numbers of the last ones
}

// New puts an observer before inner. hook is the hook's own name, for Hook.
func New(inner driver.Provider, hook string, obs Observer) *Provider {
	return &Provider{inner: inner, hook: hook, obs: obs}
}

// Name gives the inner provider's name.
func (p *Provider) Name() string { return p.inner.Name() }

// Hook gives the hook's name.
func (p *Provider) Hook() string { return p.hook }

// Inner gives the inner provider.
func (p *Provider) Inner() any { return p.inner }

// number names an object.
func number(kind string, last *atomic.Int32) string { return fmt.Sprintf("%s %d", kind, last.Add(1)) }

// Offers gives what the inner provider offers.
func (p *Provider) Offers(ctx context.Context, q *driver.Query) (infos []*fi.Info, no []fi.Rejection) {
	p.call(&Call{API: GetInfo, Object: p.Name(), Args: []Arg{{"node", q.Node}, {"service", q.Service}, {"flags", q.Flags}, {"hints", hints(q.Hints)}}}, //nolint:errcheck // it has none
		func() (string, error) {
			infos, no = p.inner.Offers(ctx, q)
			return fmt.Sprintf("%d offers, %d rejections", len(infos), len(no)), nil
		})
	return infos, no
}

// hints tells the most telling fields.
func hints(h *fi.Hints) string {
	if h == nil {
		return "none"
	}
	var parts []string
	if h.Caps != 0 {
		parts = append(parts, h.Caps.String())
	}
	if h.EP != nil && h.EP.Type != 0 {
		parts = append(parts, h.EP.Type.String())
	}
	if len(parts) == 0 {
		return "any"
	}
	return strings.Join(parts, ", ")
}

// OpenFabric opens the inner network.
func (p *Provider) OpenFabric(info *fi.Info) (driver.Fabric, error) {
	n := &network{p: p, name: number("fabric", &p.fabrics)}
	err := p.call(&Call{API: Fabric, Object: n.name, Args: []Arg{{"name", info.Fabric.Name}, {"prov", info.Fabric.ProvName}}}, func() (_ string, err error) {
		n.Fabric, err = p.inner.OpenFabric(info)
		return "", err
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// network wraps a fabric.
type network struct {
	driver.Fabric
	p    *Provider
	name string
}

func (n *network) Inner() any { return n.Fabric }

// SetLog hands the log to the hook and to the inner fabric, if that takes one.
func (n *network) SetLog(log *driver.Log) {
	n.p.obs.SetLog(log)
	if s, ok := n.Fabric.(driver.LogSetter); ok {
		s.SetLog(log)
	}
}

func (n *network) SetTLS(c *tls.Config) error {
	return n.p.call(&Call{API: SetTLS, Object: n.name}, func() (string, error) {
		s, ok := driver.Ability[driver.TLSSetter](n.Fabric)
		if !ok {
			return "", fi.ErrNoSys
		}
		return "", s.SetTLS(c)
	})
}

func (n *network) OpenDomain(info *fi.Info) (driver.Domain, error) {
	d := &domain{p: n.p, name: number("domain", &n.p.domains)}
	err := n.p.call(&Call{API: Domain, Object: d.name, Parent: n.name, Args: []Arg{{"name", info.Domain.Name}, {"threading", info.Domain.Threading}, {"progress", info.Domain.Progress}}}, func() (_ string, err error) {
		d.Domain, err = n.Fabric.OpenDomain(info)
		return "", err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (n *network) Close() error {
	return n.p.call(&Call{API: FabricClose, Object: n.name}, func() (string, error) { return "", n.Fabric.Close() })
}
