package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/internal/topo"
	"github.com/gofabric/gofabric/internal/zlog"
)

// checkValues looks for variables that are known and whose value is of no use: a finding for each.
func (w *world) checkValues() []topo.Finding {
	var found []topo.Finding
	add := func(name, why, cure string) {
		if cure == "" {
			cure = "unset " + name + ", or correct it"
		}
		v, _ := w.lookup(name)
		found = append(found, topo.Finding{Name: "value", Value: name + "=" + v, Need: why, Cure: cure})
	}
	seen := func(name string) bool {
		return slices.ContainsFunc(found, func(f topo.Finding) bool { return strings.HasPrefix(f.Value, name+"=") })
	}
	for _, d := range envknob.All() {
		if d.Check(w.lookup) != nil {
			add(d.Name, d.Accepts, "")
		}
	}
	w.checkNames(add)
	for _, r := range w.refusals() {
		if name := r.variable(); name != "" && !seen(name) {
			cure := r.Fix
			if cure != "" && !strings.Contains(cure, name) {
				cure = "unset " + name + ", or correct it: " + cure
			}
			add(name, r.need(name), cure)
		}
	}
	return found
}

// checkNames looks at lists of names: of providers, and of what logs.
func (w *world) checkNames(add func(name, why, cure string)) {
	if err := zlog.Check(w.lookup); err != nil {
		for _, err := range err.(interface{ Unwrap() []error }).Unwrap() { //nolint:errorlint // a join
			if e, ok := errors.AsType[*fi.Error](err); ok {
				add(e.Object, e.Hint, "")
			}
		}
	}
	list, _ := w.lookup("FI_PROVIDER")
	known := providerNames()
	for _, n := range wantedNames(list) {
		if slices.Contains(known, n) || slices.Contains(later, n) {
			continue
		}
		if _, is := w.absent(n); is {
			continue // a provider of libfabric, for other programs
		}
		need, cure := "providers that there are: "+strings.Join(known, ", "), ""
		if near := fi.Suggest(n, known); near != "" {
			cure = "write " + near + " in place of " + n
		}
		add("FI_PROVIDER", need, cure)
		return
	}
}

// refusal is a provider that the environment keeps from offering anything.
type refusal struct{ fi.Rejection }

// refusals are those of all providers that name no domain: what is said of one interface is no mistake.
func (w *world) refusals() []refusal {
	var list []refusal
	for _, p := range providerNames() {
		hints := &fi.Hints{Mode: ^fi.Mode(0), Fabric: &fi.FabricAttr{ProvName: p}}
		_, rejected, err := fabric.Explain(context.Background(), hints, fabric.WithEnv(w.lookup))
		if err != nil {
			continue
		}
		for _, r := range rejected {
			if r.Provider == p && r.Domain == "" && r.Attr != "FI_PROVIDER" {
				list = append(list, refusal{r})
			}
		}
	}
	return list
}

// variable is the one that a rejection is about; empty for none.
func (r refusal) variable() string {
	if strings.HasPrefix(r.Attr, "FI_") {
		return r.Attr
	}
	if name, _, found := strings.Cut(r.Have, "="); found && r.Attr == "environment" && strings.HasPrefix(name, "FI_") {
		return name
	}
	return ""
}

// need says what is wrong, without the variable's name and value, which stand before it.
func (r refusal) need(name string) string {
	text := r.Have
	if rest, found := strings.CutPrefix(text, name+"="); found {
		if _, why, found := strings.Cut(rest, ": "); found {
			text = why
		}
	}
	return "another value: " + text
}
