package main

import (
	"fmt"
	"strings"

	"github.com/gofabric/gofabric/internal/envknob"
)

// variables prints the environment variables: type, help, and the value where there is one.
func (w *world) variables(c *config) int {
	var defs []envknob.Definition
	for _, d := range envknob.All() {
		if contains(d.Name, c.getenv) {
			defs = append(defs, d)
		}
	}
	if c.json {
		return w.variablesJSON(defs)
	}
	for _, d := range defs {
		fmt.Fprintf(w.stdout, "# %s: %s\n# %s\n", d.Name, d.Kind, helpLine(&d))
		if v, ok := d.Lookup(w.lookup); ok {
			if strings.ContainsAny(v, " \t") {
				v = `"` + v + `"`
			}
			fmt.Fprintf(w.stdout, "%s=%s\n", d.Name, v)
		}
		fmt.Fprintln(w.stdout)
	}
	return exitOK
}

// helpLine is the help with the provider in front, the values and the default behind.
func helpLine(d *envknob.Definition) string {
	s := d.Help
	if d.Owner != "" && d.Owner != "core" {
		s = d.Owner + ": " + s
	}
	// what is accepted, unless the help or the type says it
	if d.Accepts != "a text" && d.Kind != envknob.KindBool && !strings.Contains(d.Help, strings.TrimPrefix(d.Accepts, "one of ")) {
		s += "; " + d.Accepts
	}
	if d.Default != "" {
		s += " (default: " + d.Default + ")"
	}
	return s
}
