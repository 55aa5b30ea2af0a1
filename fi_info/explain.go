package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// verdict is what --explain says of one provider.
type verdict struct {
	provider string
	infos    []*fi.Info
	reasons  []reason // every hint that does not match; empty when there are entries
}

// explain tells for each provider whether it matches, and for each hint why it does not.
func (w *world) explain(c *config) int {
	list, err := w.verdicts(c)
	if err != nil {
		return w.failed(c, err)
	}
	if c.json {
		return w.explainJSON(list)
	}
	matches := false
	for _, v := range list {
		if len(v.infos) > 0 {
			matches = true
			fmt.Fprintf(w.stdout, "%s: matches: %s\n", v.provider, summary(v.infos))
		}
		for _, r := range v.reasons {
			fmt.Fprintln(w.stdout, r.line())
		}
	}
	if !matches {
		w.status(fi.ErrNoData)
		return int(fi.ErrNoData)
	}
	return exitOK
}

// summary counts the entries of a provider and says what kinds there are, and how many of each.
func summary(infos []*fi.Info) string {
	var kinds []string
	count := map[string]int{}
	for _, i := range infos {
		k := i.EP.Type.String() + ", " + i.EP.Protocol.String() + ", domain " + i.Domain.Name
		if count[k]++; count[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	for i, k := range kinds {
		if n := count[k]; n > 1 && len(kinds) > 1 { // of several addresses
			kinds[i] += fmt.Sprintf(" (%d)", n)
		}
	}
	if len(infos) == 1 {
		return "1 entry: " + kinds[0]
	}
	return fmt.Sprintf("%d entries: %s", len(infos), strings.Join(kinds, "; "))
}

// verdicts asks each provider that the user may mean: those named by -p, else those named by FI_PROVIDER, all that are
// linked in, and those that are on their way; the one for tests last.
func (w *world) verdicts(c *config) ([]verdict, error) {
	names := wantedNames(c.hints.Fabric.ProvName)
	if len(names) == 0 {
		env, _ := w.lookup("FI_PROVIDER")
		names = append([]string{"shm"}, later...)
		names = append(append(providerNames(), wantedNames(env)...), names...)
	}
	var list []verdict
	for _, p := range sortMemLast(names) {
		if slices.ContainsFunc(list, func(v verdict) bool { return v.provider == p }) {
			continue
		}
		v, err := w.verdict(c, p)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func sortMemLast(names []string) []string {
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case a == b:
			return 0
		case a == memName:
			return 1
		case b == memName:
			return -1
		}
		return 0
	})
	return names
}

// verdict asks one provider. Since a search names the first hint that a candidate fails, each hint that was named is
// dropped and the question repeated, until the provider matches or has nothing more to say.
func (w *world) verdict(c *config, prov string) (verdict, error) {
	v := verdict{provider: prov}
	if r := w.notLinked(prov); r != nil {
		v.reasons = []reason{*r}
		return v, nil
	}
	ask := *c
	ask.list = false
	ask.hints = relaxable(&c.hints)
	if !strings.HasPrefix(strings.TrimSpace(c.hints.Fabric.ProvName), "^") {
		ask.hints.Fabric.ProvName = prov
	}
	for range len(hintOptions) {
		a, err := w.search(&ask.hints, ask.options(w)...)
		if err != nil {
			return v, err
		}
		a.infos = slices.DeleteFunc(a.infos, func(i *fi.Info) bool { return i.Fabric.ProvName != prov })
		if len(a.infos) > 0 && len(v.reasons) == 0 {
			if prov != memName || w.named(c, memName) {
				v.infos = a.infos
				return v, nil
			}
			v.reasons = []reason{{Rejection: memHidden}}
		}
		dropped := false
		for _, r := range reasons(a.rejected) {
			if r.Provider == prov && !slices.Contains(v.reasons, r) {
				v.reasons = append(v.reasons, r)
				dropped = drop(&ask.hints, r.Attr) || dropped
			}
		}
		if !dropped || len(a.infos) > 0 {
			break
		}
	}
	if len(v.reasons) == 0 {
		v.reasons = []reason{{Rejection: fi.Rejection{Provider: prov, Have: "has nothing to offer here"}}}
	}
	return v, nil
}

// notLinked says what is known of a provider that is not part of this program; nil for one that is.
func (w *world) notLinked(prov string) *reason {
	linked := providerNames()
	if slices.Contains(linked, prov) {
		return nil
	}
	r := fi.Rejection{Provider: prov, Have: "there is no such provider", Fix: "there is " + strings.Join(linked, ", ")}
	if text, known := w.absent(prov); known {
		r.Have, r.Fix = text, ""
	} else if near := fi.Suggest(prov, append(linked, later...)); near != "" {
		r.Fix = "did you mean " + near + "?"
	}
	return &reason{Rejection: r}
}

// relaxable copies hints so that drop can change them.
func relaxable(h *fi.Hints) fi.Hints {
	x := *h
	ep, domain, fabric := *h.EP, *h.Domain, *h.Fabric
	x.EP, x.Domain, x.Fabric = &ep, &domain, &fabric
	return x
}

// drop takes a hint out, and tells whether it was there.
func drop(h *fi.Hints, attr string) bool {
	before := relaxable(h)
	switch attr {
	case "caps":
		h.Caps = 0
	case "mode":
		h.Mode = ^fi.Mode(0)
	case "addr_format":
		h.AddrFormat = 0
	case "ep_attr.type":
		h.EP.Type = 0
	case "domain_attr.name":
		h.Domain.Name = ""
	case "fabric_attr.name":
		h.Fabric.Name = ""
	}
	return h.Caps != before.Caps || h.Mode != before.Mode || h.AddrFormat != before.AddrFormat ||
		h.EP.Type != before.EP.Type || h.Domain.Name != before.Domain.Name || h.Fabric.Name != before.Fabric.Name
}
