package lnx

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Route names the link that messages to an address take; empty when that is not known yet.
func Route(ep driver.Endpoint, a fi.Addr) string {
	if l := ep.(*endpoint).to(a); l != nil {
		return l.part.prov
	}
	return ""
}

// CheckParse is parseAddress, and gives the canonical form.
func CheckParse(raw []byte) ([]byte, error) {
	a, err := parseAddress(raw)
	if err != nil {
		return nil, err
	}
	return a.bytes(), nil
}

// ParseSets is parseSets.
func ParseSets(text string) (sets []string, err error) {
	all, err := parseSets(text)
	for _, s := range all {
		sets = append(sets, s.String())
	}
	return sets, err
}
