package lnx

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
)

// Name is the provider's name.
const Name = "lnx"

// Provider links other providers.
type Provider struct {
	env    envknob.Lookup
	others func() []driver.Provider
}

// New makes the provider, with the process's environment. others gives the providers that it may stand on, at every call.
func New(others func() []driver.Provider) *Provider { return NewEnv(os.LookupEnv, others) }

// NewEnv makes the provider with an environment of its own, for tests.
func NewEnv(env func(string) (string, bool), others func() []driver.Provider) *Provider {
	return &Provider{env: env, others: others}
}

// Name gives "lnx".
func (p *Provider) Name() string { return Name }

// Offers gives an entry for each set of links, or says what is missing.
func (p *Provider) Offers(ctx context.Context, q *driver.Query) ([]*fi.Info, []fi.Rejection) {
	c, err := readConfig(p.env)
	if err != nil {
		return nil, []fi.Rejection{envknob.Rejection(Name, err)}
	}
	ends, bad := endsOf(q)
	if bad != nil {
		return nil, []fi.Rejection{*bad}
	}
	var infos []*fi.Info
	var no []fi.Rejection
	for _, s := range c.sets {
		links, why := p.linkUp(ctx, c, s, ends)
		no = append(no, why...)
		if len(links) > 0 {
			infos = append(infos, compose(c, links))
		}
	}
	return infos, no
}

// linkUp asks the providers of a set for what they offer. With reasons it gives no links.
func (p *Provider) linkUp(ctx context.Context, c *config, s set, ends *ends) (links []*offer, no []fi.Rejection) {
	for _, name := range s {
		prov := p.find(name.prov)
		if prov == nil {
			if c.byDefault {
				continue
			}
			return nil, []fi.Rejection{{Provider: Name, Attr: knobLinks.Name(), Want: name.prov, Have: "no provider of that name is registered",
				Fix: "registered: " + strings.Join(p.names(), ", ")}}
		}
		o, why := ask(ctx, prov, name, ends)
		switch {
		case o != nil && (o.near() && c.remoteOnly):
		case o != nil:
			links = append(links, o)
		case !c.byDefault || !slices.ContainsFunc(why, func(r fi.Rejection) bool { return r.Attr == "" }):
			return nil, why
		}
	}
	if len(links) == 0 {
		return nil, []fi.Rejection{{Provider: Name, Attr: knobLinks.Name(), Want: s.String(), Have: "no such provider is registered, or all are left out",
			Fix: "import providers/all"}}
	}
	slices.SortStableFunc(links, func(a, b *offer) int { return a.rank() - b.rank() })
	return links, nil
}

// find gives the provider of a name, without the hooks that stand before it: those before lnx see everything.
func (p *Provider) find(name string) driver.Provider {
	for _, o := range p.others() {
		for o.Name() == name {
			w, wraps := o.(driver.Wrapper)
			if !wraps {
				return o
			}
			inner, ok := w.Inner().(driver.Provider)
			if !ok {
				return o
			}
			o = inner
		}
	}
	return nil
}

func (p *Provider) names() (names []string) {
	for _, o := range p.others() {
		if o.Name() != Name {
			names = append(names, o.Name())
		}
	}
	return names
}

// OpenFabric opens what links several networks.
func (p *Provider) OpenFabric(*fi.Info) (driver.Fabric, error) { return &network{p: p}, nil }

type network struct {
	p   *Provider
	log *driver.Log
}

func (n *network) SetLog(log *driver.Log) { n.log = log }

func (n *network) OpenDomain(info *fi.Info) (driver.Domain, error) { return n.openDomain(info) }

func (n *network) Close() error { return nil }
