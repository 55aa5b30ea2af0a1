package envknob

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Kind is the type of a variable; String gives the name that fi_info -e prints.
type Kind uint8

// Kinds of variables.
const (
	KindString Kind = iota // a text
	KindInt                // a whole number
	KindSize               // a number of bytes or of things
	KindBool               // yes or no
)

// String gives the kind's name as libfabric's fi_info prints it.
func (k Kind) String() string {
	switch k {
	case KindString:
		return "String"
	case KindInt:
		return "Integer"
	case KindSize:
		return "size_t"
	case KindBool:
		return "Boolean (0/1, on/off, true/false, yes/no)"
	}
	return fmt.Sprintf("Kind(%d)", k)
}

// Definition describes a variable (struct fi_param, fi_getparams).
type Definition struct {
	Name    string // "FI_SHM_SOCKET_DIR"
	Owner   string // the provider that reads it, "shm", or "core"
	Help    string // one line, without the owner
	Kind    Kind
	Default string // as text; empty for none
	Accepts string // the accepted forms, in words

	check func(env Lookup) error
}

// Check reads the variable in env; the error is that of [Knob.Get], nil for one that is not set.
func (d *Definition) Check(env Lookup) error { return d.check(env) }

// Lookup gives the text of the variable in env without blanks around it, and whether it is set and not empty.
func (d *Definition) Lookup(env Lookup) (string, bool) {
	if env == nil {
		return "", false
	}
	s, ok := env(d.Name)
	if s = strings.TrimSpace(s); !ok || s == "" {
		return "", false
	}
	return s, true
}

// set is a list of definitions.
type set struct {
	mu   sync.Mutex
	defs map[string]*Definition // guarded by mu
}

// global is written by definitions, that is while package variables are initialised, and only read from then on.
var global set

// define adds d. A name that is taken or that starts neither with FI_ nor with MPI_ is a mistake in the program that no user can
// mend, and the only moment for it is start-up: it panics, as a second provider of one name does.
func define[T any](to *set, d Definition, dflt T, parse func(string) (T, error)) *Knob[T] {
	to.mu.Lock()
	defer to.mu.Unlock()
	if !strings.HasPrefix(d.Name, "FI_") && !strings.HasPrefix(d.Name, "MPI_") {
		panic("envknob: variable " + d.Name + " starts neither with FI_ nor with MPI_")
	}
	if old := to.defs[d.Name]; old != nil {
		panic(fmt.Sprintf("envknob: variable %s is defined twice, by %s and %s", d.Name, old.Owner, d.Owner))
	}
	if to.defs == nil {
		to.defs = make(map[string]*Definition)
	}
	to.defs[d.Name] = &d
	k := &Knob[T]{def: &d, dflt: dflt, parse: parse}
	d.check = func(env Lookup) error { _, err := k.Get(env); return err }
	return k
}

// All lists the variables of the packages that are linked in, sorted by name (fi_getparams).
func All() []Definition { return global.all() }

func (s *set) all() []Definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Definition, 0, len(s.defs))
	for _, d := range s.defs {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b Definition) int { return strings.Compare(a.Name, b.Name) })
	return list
}
