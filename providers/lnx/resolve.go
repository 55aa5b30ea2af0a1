package lnx

import (
	"context"
	"slices"

	"github.com/gofabric/gofabric/fi"
)

// Resolve gives the address that a node and a service stand for on all links that know it.
func (d *domain) Resolve(ctx context.Context, node, service string, flags fi.InfoFlags) ([][]byte, error) {
	if raw, err := parseAddress([]byte(node)); err == nil {
		return [][]byte{raw.bytes()}, nil
	}
	a := address{host: noHost}
	var first error
	for _, p := range slices.Backward(d.parts) { // those that lead elsewhere first
		if p.near && d.cfg.named && len(a.links) > 0 {
			continue
		}
		found, err := p.dom.Resolve(ctx, node, service, flags)
		if err != nil || len(found) == 0 {
			if first == nil { // what a link that leads elsewhere says tells more
				first = err
			}
			continue
		}
		a.add(p.prov, found[0])
		if p.near {
			a.host = d.cfg.host
		}
	}
	raw := a.bytes()
	if raw == nil {
		return nil, first
	}
	return [][]byte{raw}, nil
}

// CheckAddr gives the address at the beginning of a buffer. One that no link of ours leads to is refused.
func (d *domain) CheckAddr(raw []byte) ([]byte, error) {
	a, err := parseAddress(raw)
	if err != nil {
		return nil, err
	}
	leads := false
	for _, p := range d.parts {
		link := a.on(p.prov)
		if link == nil {
			continue
		}
		if _, err := p.dom.CheckAddr(link); err != nil {
			return nil, err
		}
		leads = leads || p.leadsTo(d, a)
	}
	if !leads {
		return nil, &fi.Error{Op: "addr", Provider: Name, Err: fi.ErrHostUnreach,
			Hint: "no link leads there: both sides need a common one, here " + d.info.Domain.Name + " (FI_LNX_PROV_LINKS)"}
	}
	return a.bytes(), nil
}

// leadsTo tells whether a peer may be reached by the link.
func (p *part) leadsTo(d *domain, a *address) bool {
	return a.on(p.prov) != nil && (!p.near || a.host == d.cfg.host)
}

// FormatAddr gives an address as text, which it is.
func (d *domain) FormatAddr(raw []byte) string {
	if a, err := parseAddress(raw); err == nil {
		return string(a.bytes())
	}
	return ""
}

// whole gives the address of a peer of which only that on one link is known.
func (d *domain) whole(p *part) func(raw []byte) []byte {
	return func(raw []byte) []byte {
		a := address{host: noHost}
		if p.near {
			a.host = d.cfg.host
		}
		a.add(p.prov, raw)
		return a.bytes()
	}
}
