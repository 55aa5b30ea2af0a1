package conformance

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// Authorization keys, for providers that have them (max_ep_auth_key), and what others say.
var _ = add("auth-key",
	testCase{name: "endpoints", need: tagged, where: local, run: authEndpoints},
	testCase{name: "remote-access", need: tagged | rma | atom, where: local, run: authAccess},
	testCase{name: "connections", need: msg, connected: true, where: local, run: authConnections},
	testCase{name: "refused", need: msg, where: local, run: authRefused},
)

// keys tells whether the provider has keys in this cell.
func (t *test) keys() bool {
	return t.newSide(openOpts{Set: t.cell.set, Caps: t.tc.need, Bare: true}).n.info.Domain.MaxEPAuthKey > 0
}

// keyed opens sides that all know each other, with pairs of a domain's key and an endpoint's.
func (t *test) keyed(keys ...[2]string) (out []*side) {
	for _, k := range keys {
		out = append(out, t.newSide(t.opts(t.tc.need, func(o *openOpts) { o.DomainKey, o.EPKey = k[0], k[1] })))
	}
	for _, s := range out {
		for _, p := range out {
			s.insert(p)
		}
	}
	return out
}

// authEndpoints sends between endpoints with keys of their own, of their domain, and without.
func authEndpoints(t *test) {
	if !t.keys() {
		return // refused says what then holds
	}
	s := t.keyed([2]string{"", "one"}, [2]string{"one", ""}, [2]string{"one", "two"}, [2]string{"", ""})
	for i, x := range s {
		for j, y := range s {
			if i == j {
				continue
			}
			c := call{Form: "tsend", N: 20, Tag: 1, Seed: uint64(10*i + j)}
			p := &pair{t, x, y}
			if i < 2 && j < 2 { // the same key: of the endpoint, of the domain
				p.exchange(c, call{Form: "trecv", N: 20, Tag: 1})
				continue
			}
			r := y.recv(call{Form: "trecv", N: 20, Tag: 1})
			o := x.to(y, c)
			if t.cell.set.datagrams() {
				t.wait(o) // nobody tells
			} else {
				t.fails(o, fi.ErrAccess)
			}
			own := y.to(y, call{Form: "tsend", N: 20, Tag: 1, Seed: 99})
			t.wait(own, r)
			if d := differs(r.last().Bytes, 99, 0); d != "" {
				t.Errorf("side %d has received what side %d has sent with another key: %s", j, i, d)
			}
		}
	}
	if k := s[1].n.eps[0].Info().EP.AuthKey; string(k) != "one" {
		t.Errorf("the key of an endpoint of a domain with one is %q", k)
	}
}

// authAccess reads, writes and updates memory with another key: it is as if nothing had been asked.
func authAccess(t *test) {
	if !t.keys() {
		return
	}
	s := t.keyed([2]string{"", "one"}, [2]string{"", "one"}, [2]string{"", "two"})
	m := s[0].reg(regOpts{N: 64, Key: 1, Seed: 5})
	t.wait(s[1].to(s[0], call{Form: "read", N: 64, At: m.remote}))
	for _, c := range []call{{Form: "write", N: 64, At: m.remote, Seed: 6}, {Form: "read", N: 64, At: m.remote},
		{Form: "atomic", N: 8, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum},
		{Form: "fetch_atomic", N: 8, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum}} {
		t.fails(s[2].to(s[0], c), fi.ErrAccess)
	}
	if d := differs(s[0].n.regions[m.id].buf, 5, 0); d != "" {
		t.Errorf("the memory has changed: %s", d)
	}
}

// authConnections asks listeners for connections.
func authConnections(t *test) {
	if !t.keys() {
		return
	}
	open := func(domain, ep string) *side {
		return t.newSide(t.opts(t.tc.need, func(o *openOpts) { o.DomainKey, o.EPKey = domain, ep }))
	}
	a, b, c, d := open("", "one"), open("one", ""), open("", "two"), open("", "")
	for _, other := range []*side{c, d} {
		t.expectErr(other.n.eq, other.ask(a, nil), fi.ErrAccess)
		t.expectErr(b.n.eq, b.ask(other, nil), fi.ErrAccess)
		t.noEvent(a.n.eq)
		t.noEvent(other.n.eq)
	}
	x, y := t.link(b, a)
	if k := y.Info().EP.AuthKey; string(k) != "one" {
		t.Errorf("the key of the endpoint that answers is %q", k)
	}
	t.check(x.Shutdown())
	t.expect(a.n.eq, fi.EventShutdown, y)
	t.expect(b.n.eq, fi.EventShutdown, x)
}

// authRefused asks a provider without keys for one: it is not chosen, and says why, and opens nothing with a key.
func authRefused(t *test) {
	s := t.newSide(openOpts{Set: t.cell.set, Caps: t.tc.need, Bare: true})
	with := []fabric.Option{fabric.WithRegistry(s.from), fabric.WithEnv(func(string) (string, bool) { return "", false })}
	for _, attr := range []string{"domain_attr.auth_key", "ep_attr.auth_key", "domain_attr.auth_key_size"} {
		h := s.opts.Set.hints(s.opts.Caps)
		key := []byte("key")
		switch attr {
		case "ep_attr.auth_key":
			h.EP.AuthKey = key
		case "domain_attr.auth_key":
			h.Domain.AuthKey = key
		default:
			h.Domain.AVAuthKey = true
		}
		infos, err := fabric.GetInfo(context.Background(), h, with...)
		if s.n.info.Domain.MaxEPAuthKey > 0 && !(h.Domain.AVAuthKey && t.cell.set.connected()) {
			if err == nil && infos[0].Domain.AVAuthKey != h.Domain.AVAuthKey {
				t.Errorf("hints with %s: %v", attr, infos[0].Domain)
			}
			if err != nil || !bytes.Equal(infos[0].EP.AuthKey, h.EP.AuthKey) || !bytes.Equal(infos[0].Domain.AuthKey, h.Domain.AuthKey) {
				t.Errorf("hints with %s: %v, %v", attr, infos, err)
			}
			continue
		}
		no, ok := errors.AsType[*fabric.NoMatchError](err)
		if !ok || len(no.Rejections) == 0 {
			t.Fatalf("hints with %s: %v, %v", attr, infos, err)
		}
		said := false
		for _, r := range no.Rejections {
			said = said || r.Attr == attr
		}
		if !said {
			t.Errorf("hints with %s are refused for other reasons: %v", attr, err)
		}
		info := s.n.info.Clone()
		cure := "or leave it out)"
		switch attr {
		case "ep_attr.auth_key":
			info.EP.AuthKey = key
			_, err = s.n.dom.OpenEndpoint(info)
		case "domain_attr.auth_key":
			info.Domain.AuthKey = key
			_, err = s.n.fab.OpenDomain(info)
		default:
			info.Domain.AVAuthKey = true
			_, err = s.n.fab.OpenDomain(info)
			if s.n.info.Domain.MaxEPAuthKey > 0 {
				cure = "and set EP.AuthKey)"
			}
		}
		if !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("opened with %s: %v, want FI_EINVAL", attr, err)
		} else if text := err.Error(); !strings.HasSuffix(text, cure) {
			t.Errorf("opened with %s: %s", attr, text)
		}
	}
}
