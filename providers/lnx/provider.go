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

// Offers gives entries for each set of links, one for each interface that its providers have, or says what is missing.
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
		for _, l := range combine(links) {
			infos = append(infos, compose(c, l, ends))
		}
	}
	return infos, no
}

// linkUp asks the providers of a set for what they offer. With reasons it gives no links.
func (p *Provider) linkUp(ctx context.Context, c *config, s set, ends *ends) (links [][]*offer, no []fi.Rejection) {
	for _, name := range s {
		prov := p.find(name.prov)
		if prov == nil {
			if c.byDefault {
				continue
			}
			return nil, []fi.Rejection{{Provider: Name, Attr: knobLinks.Name(), Want: name.prov, Have: "no provider of that name is registered",
				Fix: "registered: " + strings.Join(p.names(), ", ")}}
		}
		os, why := ask(ctx, prov, name, ends)
		switch {
		case len(os) > 0 && os[0].near() && c.remoteOnly:
		case len(os) > 0:
			links = append(links, os)
		case !c.byDefault || !slices.ContainsFunc(why, func(r fi.Rejection) bool { return r.Attr == "" }):
			return nil, why
		}
	}
	if len(links) == 0 {
		return nil, []fi.Rejection{{Provider: Name, Attr: knobLinks.Name(), Want: s.String(), Have: "no such provider is registered, or all are left out",
			Fix: "import providers/all"}}
	}
	slices.SortStableFunc(links, func(a, b []*offer) int { return a[0].rank() - b[0].rank() })
	return links, nil
}

// combine makes entries of what the links' providers offer: of the best of each, of the second best, and so on; a provider
// that has fewer takes part with its best.
func combine(links [][]*offer) (entries [][]*offer) {
	most := 0
	for _, os := range links {
		most = max(most, len(os))
	}
	for n := range most {
		var e []*offer
		for _, os := range links {
			if n < len(os) {
				e = append(e, os[n])
			} else {
				e = append(e, os[0])
			}
		}
		entries = append(entries, e)
	}
	return entries
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
