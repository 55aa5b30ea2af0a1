package fabric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// NoMatchError is what GetInfo returns when nothing matches: who was asked, and why each said no. It is fi.ErrNoData for
// errors.Is; %+v prints the whole table.
type NoMatchError struct {
	Hints      *fi.Hints
	Rejections []fi.Rejection
}

// Error names the rejections that came closest, and leaves out those of what nobody asked.
func (e *NoMatchError) Error() string {
	s := "getinfo: no provider matches the hints"
	if len(e.Rejections) == 0 {
		return s + ": none is registered (import _ \"github.com/gofabric/gofabric/providers/all\")"
	}
	list := slices.Clone(e.Rejections)
	slices.SortStableFunc(list, func(a, b fi.Rejection) int { return distance(&a) - distance(&b) })
	if n := slices.IndexFunc(list, func(r fi.Rejection) bool { return distance(&r) == aside }); n > 0 {
		list = list[:n]
	}
	const most = 4
	for _, r := range list[:min(most, len(list))] {
		s += "; " + r.String()
	}
	if more := len(list) - most; more > 0 {
		s += fmt.Sprintf("; and %d more (ask fi_info --explain, or print with %%+v)", more)
	}
	return s
}

// aside is the distance of what nobody meant.
const aside = 3

// distance says how far a rejection is from telling what is wrong: a name that no provider has comes first, then what
// a provider finds wrong with an address or the environment, then hints that it does not meet; what was not asked comes last.
func distance(r *fi.Rejection) int {
	switch r.Attr {
	case attrProvName, envProvider.Name():
		if r.Want == "" { // there is no such provider
			return 0
		}
		return aside
	case "node", "service", attrEnvironment, "src_addr", "dest_addr", "addr_format":
		return 1
	case "interface", "":
		return aside
	}
	if strings.HasPrefix(r.Attr, "FI_") {
		return 1
	}
	return 2
}

// Format prints one rejection a line for %+v.
func (e *NoMatchError) Format(f fmt.State, verb rune) {
	if verb == 'v' && f.Flag('+') {
		fmt.Fprintln(f, "getinfo: no provider matches the hints")
		for _, r := range e.Rejections {
			fmt.Fprintln(f, "    "+r.String())
		}
		return
	}
	fmt.Fprint(f, e.Error())
}

// Unwrap gives fi.ErrNoData.
func (e *NoMatchError) Unwrap() error { return fi.ErrNoData }
