package fabric

import (
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// ownProcess is the provider that reaches no other process. It takes every address for one of its own, so that a question
// for which no other provider has an answer would succeed, and the program would talk to nobody.
const ownProcess = "mem"

// asked tells whether a question means that provider: by its name, by an address of its form, or because the filters
// accept no other one.
func (o *options) asked(h *fi.Hints, filters []nameFilter) bool {
	for _, f := range filters {
		if !f.not && slices.Contains(f.names, ownProcess) {
			return true
		}
	}
	if d := h.Domain; d != nil && d.Name == ownProcess {
		return true
	}
	if f := h.Fabric; f != nil && f.Name == ownProcess {
		return true
	}
	for _, a := range []string{o.node, string(h.SrcAddr), string(h.DestAddr)} {
		if strings.HasPrefix(a, "fi_"+ownProcess+"://") {
			return true
		}
	}
	return !slices.ContainsFunc(o.registry.names(), func(name string) bool {
		return name != ownProcess && accepted(filters, name)
	})
}

func accepted(filters []nameFilter, name string) bool {
	return !slices.ContainsFunc(filters, func(f nameFilter) bool { return !f.accepts(name) })
}

// leftOut is what is said of the provider when it is not meant.
var leftOut = fi.Rejection{Provider: ownProcess, Have: "left out: reaches its own process only (for tests)",
	Fix: "name it to have it: FI_PROVIDER=" + ownProcess + ", or that as prov_name in the hints"}
