package lnx

import (
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// maxLinks is how many links an endpoint has.
const maxLinks = 8

// parseSets reads FI_LNX_PROV_LINKS.
func parseSets(text string) ([]set, error) {
	var sets []set
	for part := range strings.SplitSeq(text, "|") {
		s, why := parseSet(part)
		if why != "" {
			return nil, &fi.Error{Op: "param_get", Provider: Name, Object: knobLinks.Name(), Err: fi.ErrInvalid,
				Hint: knobLinks.Name() + "=" + text + ": " + why + "; want providers with + between them, as in shm+tcp:eth0"}
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// parseSet reads one set, or says what is wrong with it.
func parseSet(text string) (s set, why string) {
	for part := range strings.SplitSeq(text, "+") {
		prov, domain, _ := strings.Cut(strings.TrimSpace(part), ":")
		n := linkName{strings.ToLower(strings.TrimSpace(prov)), strings.TrimSpace(domain)}
		switch {
		case n.prov == "":
			return nil, "a provider is missing"
		case strings.ContainsFunc(n.prov, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-' }):
			return nil, n.prov + " is no provider's name"
		case n.prov == Name:
			return nil, "lnx cannot be a link of its own"
		case slices.ContainsFunc(s, func(o linkName) bool { return o.prov == n.prov }):
			return nil, n.prov + " is there twice"
		}
		if s = append(s, n); len(s) > maxLinks {
			return nil, "there are too many links"
		}
	}
	return s, ""
}
