package main

import (
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// reason is why a provider, or one candidate of it, is not among the entries.
type reason struct {
	fi.Rejection
	Option string // that gave the hint, "-c"; empty for none
}

// hintOptions are the options by the attribute that they set.
var hintOptions = map[string]string{"caps": "-c", "mode": "-m", "ep_attr.type": "-t", "addr_format": "-a",
	"fabric_attr.prov_name": "-p", "domain_attr.name": "-d", "fabric_attr.name": "-f", "src_addr": "-s", "dest_addr": "-n"}

// reasons makes the reasons of rejections, each once. That -p asks for others is none.
func reasons(rejected []fi.Rejection) []reason {
	var list []reason
	for _, r := range rejected {
		switch {
		case r.Attr == "fabric_attr.prov_name" && strings.HasPrefix(r.Want, "^"):
			r = fi.Rejection{Provider: r.Provider, Attr: r.Attr, Have: "excluded by " + r.Want}
		case r.Attr == "fabric_attr.prov_name" && r.Want != "":
			continue
		case r.Attr == "FI_PROVIDER" && r.Want != "":
			r = fi.Rejection{Provider: r.Provider, Have: "excluded by FI_PROVIDER=" + r.Want}
		}
		if x := (reason{Rejection: r, Option: hintOptions[r.Attr]}); !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// line is the reason for readers.
func (r *reason) line() string {
	who := r.Provider
	if r.Domain != "" && r.Domain != r.Provider {
		who += " (" + r.Domain + ")"
	}
	what := r.Have
	switch have, err := fi.ParseCaps(r.Have); {
	case r.Attr == "caps" && err == nil && have != 0:
		what = r.Want + ": not offered"
		if flags := notCaps(r.Want); flags != "" {
			what += "; " + flags + " is a flag of calls, no capability"
		}
	case r.Want != "":
		what = "wanted " + r.Want + ", offered " + r.Have
	}
	attr := r.Attr
	switch {
	case attr == "":
	case r.Option != "":
		attr += " (" + r.Option + "): "
	default:
		attr += ": "
	}
	s := who + ": " + attr + what
	if r.Fix != "" {
		s += "; " + r.Fix
	}
	return s
}

// notCaps gives the words of a list that fi_info takes for capabilities, as libfabric's does, though they are none.
func notCaps(list string) string {
	var found []string
	for w := range strings.SplitSeq(list, ", ") {
		switch w {
		case "FI_REMOTE_CQ_DATA", "FI_MORE", "FI_PEEK":
			found = append(found, w)
		}
	}
	return strings.Join(found, ", ")
}
