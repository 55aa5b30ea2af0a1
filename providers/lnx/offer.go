package lnx

import (
	"context"
	"strings"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// offer is what a link's provider offers.
type offer struct {
	prov driver.Provider
	info *fi.Info
}

// near tells whether the link reaches this host only.
func (o *offer) near() bool { return o.info.Caps&fi.CapRemoteComm == 0 }

// rank has near links first: they are preferred, and polls look there first.
func (o *offer) rank() int {
	if o.near() {
		return 0
	}
	return 1
}

// ends are what GetInfo was asked for: a node and a service, or addresses.
type ends struct {
	q         *driver.Query
	node, svc string
	src, dest *address // nil for none
}

// endsOf takes addresses of ours apart.
func endsOf(q *driver.Query) (*ends, *fi.Rejection) {
	e := &ends{q: q, node: q.Node, svc: q.Service}
	for _, a := range []struct {
		attr string
		raw  []byte
		to   **address
	}{{"src_addr", q.Hints.SrcAddr, &e.src}, {"dest_addr", q.Hints.DestAddr, &e.dest}} {
		if len(a.raw) == 0 {
			continue
		}
		parsed, err := parseAddress(a.raw)
		if err != nil {
			return nil, &fi.Rejection{Provider: Name, Attr: a.attr, Have: hint(err), Fix: "give an address of lnx"}
		}
		*a.to = parsed
	}
	if strings.HasPrefix(q.Node, prefix) {
		parsed, err := parseAddress([]byte(q.Node))
		if err != nil {
			return nil, &fi.Rejection{Provider: Name, Attr: "node", Have: hint(err)}
		}
		e.node, e.svc = "", ""
		if q.Flags&fi.InfoSource != 0 {
			e.src = parsed
		} else {
			e.dest = parsed
		}
	}
	return e, nil
}

// query is what a link's provider is asked.
func (e *ends) query(prov string) *driver.Query {
	h := &fi.Hints{}
	if e.src != nil {
		h.SrcAddr = e.src.on(prov)
	}
	if e.dest != nil {
		h.DestAddr = e.dest.on(prov)
	}
	flags := e.q.Flags
	if e.node == "" && e.svc == "" {
		flags &^= fi.InfoSource
	}
	return &driver.Query{Node: e.node, Service: e.svc, Flags: flags, Hints: h}
}

// ask gives the endpoints without connections that a provider offers, best first, or why there are none. A link that does not
// reach a node still takes part if it is near: others do.
func ask(ctx context.Context, prov driver.Provider, name linkName, ends *ends) ([]*offer, []fi.Rejection) {
	infos, no := prov.Offers(ctx, ends.query(name.prov))
	os := pick(prov, name, infos)
	if len(os) == 0 && (ends.node != "" || ends.dest != nil) {
		infos, _ = prov.Offers(ctx, &driver.Query{Flags: ends.q.Flags &^ fi.InfoSource, Hints: &fi.Hints{}})
		if os = pick(prov, name, infos); len(os) > 0 && !os[0].near() {
			os = nil
		}
	}
	switch {
	case len(os) == 0 && len(no) > 0 && len(infos) == 0:
		return nil, no
	case len(os) == 0:
		return nil, []fi.Rejection{{Provider: Name, Attr: knobLinks.Name(), Want: set{name}.String(), Have: "the provider offers no such FI_EP_RDM", Fix: "see fi_info -p " + name.prov}}
	case !linkable(prov, os[0].info):
		return nil, []fi.Rejection{{Provider: Name, Attr: knobLinks.Name(), Want: name.prov, Have: "the provider cannot be a link"}}
	}
	return os, nil
}

func pick(prov driver.Provider, name linkName, infos []*fi.Info) (os []*offer) {
	for _, i := range infos {
		if i.EP.Type == fi.EPRDM && (name.domain == "" || i.Domain.Name == name.domain) {
			os = append(os, &offer{prov, i})
		}
	}
	return os
}

// linkable tells whether domains of a provider can be parts of ours.
func linkable(prov driver.Provider, info *fi.Info) bool {
	f, err := prov.OpenFabric(info)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // nothing was opened in it
	_, ok := driver.Ability[driver.PartOpener](f)
	return ok
}

// hint is what an error tells to do, or all that it says.
func hint(err error) string {
	if e, ok := err.(*fi.Error); ok && e.Hint != "" { //nolint:errorlint // our own, bare
		return e.Hint
	}
	return err.Error()
}
