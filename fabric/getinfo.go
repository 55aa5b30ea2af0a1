package fabric

import (
	"context"
	"crypto/tls"
	"os"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
)

// Option sets what surrounds a call of GetInfo or Open but is no part of the question.
type Option func(*options)

type options struct {
	registry      *Registry
	node, service string
	flags         fi.InfoFlags
	lookup        func(string) (string, bool)
	ownEnv        bool // lookup is not the process's environment
	log           *zlog.Sink
	tls           *tls.Config
}

func newOptions(opts []Option) *options {
	o := &options{registry: &defaultRegistry, lookup: os.LookupEnv}
	for _, f := range opts {
		if f != nil {
			f(o)
		}
	}
	return o.logged()
}

// WithRegistry chooses among the providers of r instead of those imported; nil: of those.
func WithRegistry(r *Registry) Option {
	return func(o *options) {
		if r != nil {
			o.registry = r
		}
	}
}

// WithNode names a host (or an address as FI_ADDR_STR) and a service: those of the peer, or with [WithFlags] and
// fi.InfoSource our own (the node and service arguments of fi_getinfo). A server gives the port at which it wants to be
// reached. Entries for a peer have its address in DestAddr, and [AV.InsertSvc] makes it a peer of the vector.
func WithNode(node, service string) Option {
	return func(o *options) { o.node, o.service = node, service }
}

// WithFlags gives flags (the flags argument of fi_getinfo).
func WithFlags(f fi.InfoFlags) Option { return func(o *options) { o.flags = f } }

// WithEnv replaces the environment, in which FI_PROVIDER, FI_LOG_LEVEL and its companions are looked up. Providers look in
// the one that they were made with.
func WithEnv(lookup func(string) (string, bool)) Option {
	return func(o *options) { o.lookup, o.ownEnv = lookup, true }
}

// GetInfo lists the endpoints that can be opened and match the hints, best first (fi_getinfo). Nil hints match
// everything; zero fields of hints match anything; mode and memory-registration mode of hints say what the application
// can live with. What is listed can be opened.
//
// A provider that reaches its own process only (mem) is listed when it is named, or when there is no other one. One that
// cannot be used here does not hide the others: its reason is among the rejections. But one that finds a variable in the
// environment which it cannot read makes the call fail, for another provider in its place would be a surprise.
//
// Errors: *NoMatchError (fi.ErrNoData) when nothing matches; fi.ErrInvalid for such a variable, FI_HOOK among them; fi.ErrBadFlags; ctx.Err().
func GetInfo(ctx context.Context, hints *fi.Hints, opts ...Option) ([]*fi.Info, error) {
	o := newOptions(opts)
	infos, rejected, err := o.explain(ctx, hints)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(rejected, func(r fi.Rejection) bool { return r.Attr == attrEnvironment }); i >= 0 {
		r := &rejected[i]
		return nil, &fi.Error{Op: "getinfo", Provider: r.Provider, Object: r.Attr, Err: fi.ErrInvalid, Hint: r.Have + ": correct it, or unset it"}
	}
	if len(infos) == 0 {
		return nil, &NoMatchError{Hints: hints, Rejections: rejected}
	}
	o.logFound(infos, rejected)
	return infos, nil
}

// Explain is GetInfo with the reasons of those that do not match, also when others do. No match is no error, nor is a
// variable that a provider cannot read; FI_HOOK is.
func Explain(ctx context.Context, hints *fi.Hints, opts ...Option) ([]*fi.Info, []fi.Rejection, error) {
	return newOptions(opts).explain(ctx, hints)
}

func (o *options) explain(ctx context.Context, hints *fi.Hints) ([]*fi.Info, []fi.Rejection, error) {
	const known = fi.InfoRescan | fi.InfoProvAttrOnly | fi.InfoNumericHost | fi.InfoSource
	if o.flags&^known != 0 {
		return nil, nil, &fi.Error{Op: "getinfo", Err: fi.ErrBadFlags, Hint: "not for GetInfo: " + (o.flags &^ known).String()}
	}
	if o.flags&fi.InfoSource != 0 && o.node == "" && o.service == "" {
		return nil, nil, &fi.Error{Op: "getinfo", Err: fi.ErrInvalid, Hint: "FI_SOURCE needs a node or a service"}
	}
	if !o.ownEnv { // FI_HOOK is looked up in the process's environment
		if err := o.registry.wrongHooks("getinfo"); err != nil {
			return nil, nil, err
		}
	}
	h := hints
	if h == nil { // everything: the caller can live with any mode
		h = &fi.Hints{Mode: ^fi.Mode(0), Domain: &fi.DomainAttr{Mode: ^fi.Mode(0), MRMode: ^(fi.MRModeBasic | fi.MRModeScalable)}}
	}
	env, _ := envProvider.Lookup(o.lookup)
	filters := []nameFilter{newNameFilter(envProvider.Name(), env)}
	if h.Fabric != nil && h.Fabric.ProvName != "" {
		filters = append(filters, newNameFilter(attrProvName, h.Fabric.ProvName))
	}
	var infos []*fi.Info
	var rejected []fi.Rejection
next:
	for _, p := range o.registry.Providers() {
		for _, f := range filters {
			if !f.accepts(p.Name()) {
				rejected = append(rejected, fi.Rejection{Provider: p.Name(), Attr: f.from, Want: f.text, Have: p.Name()})
				continue next
			}
		}
		if p.Name() == ownProcess && o.flags&fi.InfoProvAttrOnly == 0 && !o.asked(h, filters) {
			rejected = append(rejected, leftOut)
			continue
		}
		q := &driver.Query{Node: o.node, Service: o.service, Flags: o.flags, Hints: h}
		offers, no := p.Offers(ctx, q)
		rejected = append(rejected, no...)
		if err := ctx.Err(); err != nil {
			return nil, nil, &fi.Error{Op: "getinfo", Provider: p.Name(), Err: err}
		}
		if o.flags&fi.InfoProvAttrOnly != 0 {
			infos = append(infos, &fi.Info{Fabric: provAttr(p, offers)})
			continue
		}
		var other []fi.Rejection
		for _, offer := range offers {
			if info, r := matchHints(h, offer); r != nil {
				other = append(other, *r)
			} else if !slices.ContainsFunc(infos, func(i *fi.Info) bool { return sameEntry(i, info) }) {
				infos = append(infos, info)
			}
		}
		rejected = append(rejected, telling(other, h, offers)...)
	}
	for _, f := range filters {
		rejected = append(rejected, f.unknown(o.registry)...)
	}
	o.logRejected(rejected)
	return infos, rejected, nil
}

// Attributes of rejections.
const (
	attrEPType      = "ep_attr.type"
	attrProvName    = "fabric_attr.prov_name"
	attrEnvironment = "environment" // a variable that cannot be read
)

// telling leaves of a provider's reasons those that tell something: each once (capabilities that none of a domain's offers
// has, however these differ), and none about the type of an endpoint in a domain that has one of the wanted type, too.
func telling(no []fi.Rejection, h *fi.Hints, offers []*fi.Info) []fi.Rejection {
	var out []fi.Rejection
	for _, r := range no {
		served := r.Attr == attrEPType && slices.ContainsFunc(offers, func(o *fi.Info) bool {
			return o.EP.Type == h.EP.Type && o.Domain.Name == r.Domain
		})
		told := slices.ContainsFunc(out, func(o fi.Rejection) bool {
			if r.Attr == "caps" {
				o.Have = r.Have
			}
			return o == r
		})
		if !served && !told {
			out = append(out, r)
		}
	}
	return out
}

func provAttr(p driver.Provider, offers []*fi.Info) fi.FabricAttr {
	a := fi.FabricAttr{ProvName: p.Name(), ProvVersion: fi.ProvVersion, APIVersion: fi.APIVersion}
	if len(offers) > 0 {
		a.ProvVersion, a.APIVersion = offers[0].Fabric.ProvVersion, offers[0].Fabric.APIVersion
	}
	return a
}

// sameEntry tells whether two entries look the same to a reader of the short list.
func sameEntry(a, b *fi.Info) bool {
	return a.Fabric == b.Fabric && a.Domain.Name == b.Domain.Name && a.EP.Type == b.EP.Type && a.EP.Protocol == b.EP.Protocol &&
		a.Caps == b.Caps && slices.Equal(a.SrcAddr, b.SrcAddr) && slices.Equal(a.DestAddr, b.DestAddr) &&
		a.Domain.Threading == b.Domain.Threading && a.Domain.Progress == b.Domain.Progress && a.Domain.MRMode == b.Domain.MRMode
}

// nameFilter is a list of provider names, "a,b", "a;b" or "^a,b".
type nameFilter struct {
	from, text string
	names      []string
	not        bool
}

func newNameFilter(from, text string) nameFilter {
	f := nameFilter{from: from, text: text}
	rest := strings.TrimSpace(text)
	if rest, f.not = strings.CutPrefix(rest, "^"); rest == "" {
		return f
	}
	for n := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == ',' || r == ';' }) {
		f.names = append(f.names, strings.ToLower(strings.TrimSpace(n)))
	}
	return f
}

func (f *nameFilter) accepts(name string) bool {
	return len(f.names) == 0 || slices.Contains(f.names, name) != f.not
}

// unknown gives a rejection for each name that no provider has.
func (f *nameFilter) unknown(r *Registry) []fi.Rejection {
	known := r.names()
	var out []fi.Rejection
	for _, n := range f.names {
		if slices.Contains(known, n) {
			continue
		}
		have := "no provider of that name is registered"
		fix := "registered: " + strings.Join(known, ", ")
		if s := fi.Suggest(n, known); s != "" {
			fix = "did you mean " + s + "?"
		}
		out = append(out, fi.Rejection{Provider: n, Attr: f.from, Have: have, Fix: fix})
	}
	return out
}
