package zlog

import (
	"slices"
	"strings"
)

// filter is a list of names, "shm,tcp", or with ^ in front the list of those that are left out. The zero filter lets
// everything pass.
type filter struct {
	names []string // lower case
	not   bool
}

func parseFilter(s string) filter {
	s = strings.ToLower(strings.TrimSpace(s))
	rest, not := strings.CutPrefix(s, "^")
	return filter{not: not, names: strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(",; \t", r) })}
}

func (f filter) passes(name string) bool {
	if len(f.names) == 0 {
		return true
	}
	return slices.Contains(f.names, strings.ToLower(name)) != f.not
}
