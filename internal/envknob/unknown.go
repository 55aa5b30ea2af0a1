package envknob

import (
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// Stray is a variable of the environment that starts with FI_ and that nothing here reads.
type Stray struct {
	Name     string // "FI_LOG_LEVLE"
	Nearest  string // the known name it resembles, "FI_LOG_LEVEL"; empty when there is none
	Provider string // libfabric's provider that it belongs to and that this module has not, "efa"; empty for none
}

// String gives a sentence for a warning.
func (s Stray) String() string {
	switch {
	case s.Nearest != "":
		return s.Name + " is not a variable of this library; did you mean " + s.Nearest + "?"
	case s.Provider != "":
		return s.Name + " has no effect: it belongs to libfabric's provider " + s.Provider + ", which is not here"
	}
	return s.Name + " is not a variable of this library, and no known one resembles it"
}

// cProviders are the providers of libfabric that have variables of their own. Those that nothing linked in defines a
// variable for are not here; clusters set their variables for the C library, so they are strays but no misspellings.
var cProviders = []string{"cxi", "efa", "gni", "lnx", "lpp", "mlx", "mrail", "net", "ofi_rxd", "ofi_rxm", "opx", "psm",
	"psm2", "psm3", "rstream", "shm", "sm2", "sockets", "tcp", "ucx", "udp", "usnic", "verbs", "xnet"}

// cProvider gives the provider of libfabric to which the variable belongs by its name, if none of the names known here
// belongs to it.
func cProvider(name string, known []string) string {
	for _, p := range cProviders {
		prefix := "FI_" + strings.ToUpper(p) + "_"
		hasPrefix := func(n string) bool { return strings.HasPrefix(n, prefix) }
		if hasPrefix(name) && !slices.ContainsFunc(known, hasPrefix) {
			return p
		}
	}
	return ""
}

// Unknown lists the variables of environ ("NAME=value" each, as [os.Environ] gives them) that start with FI_ and that no
// linked package defines, sorted by name. Callers warn about each once.
func Unknown(environ []string) []Stray { return global.unknown(environ) }

func (s *set) unknown(environ []string) []Stray {
	var strays []Stray
	defs := s.all()
	names := make([]string, len(defs))
	for i, d := range defs {
		names[i] = d.Name
	}
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "FI_") || slices.Contains(names, name) {
			continue
		}
		st := Stray{Name: name, Provider: cProvider(name, names)}
		if st.Provider == "" {
			st.Nearest = fi.Suggest(name, names)
		}
		strays = append(strays, st)
	}
	slices.SortFunc(strays, func(a, b Stray) int { return strings.Compare(a.Name, b.Name) })
	return strays
}
