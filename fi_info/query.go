package main

import (
	"context"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// memName is the provider that a search gives only when it is named: it reaches its own process only.
const memName = "mem"

// memHidden is what is said of it then.
var memHidden = fi.Rejection{Provider: memName, Have: "left out: reaches its own process only (for tests)",
	Fix: "name it to see it: -p " + memName}

// answer is what a search gave.
type answer struct {
	infos    []*fi.Info
	rejected []fi.Rejection
}

// ask searches with the hints of the command line.
func (w *world) ask(c *config) (*answer, error) {
	hints := &c.hints
	if !c.hinted {
		hints = nil
	}
	return w.search(hints, c.options(w)...)
}

func (c *config) options(w *world) []fabric.Option {
	flags := c.flags
	if c.list {
		flags |= fi.InfoProvAttrOnly
	}
	return []fabric.Option{fabric.WithNode(c.node, c.service), fabric.WithFlags(flags), fabric.WithEnv(w.lookup)}
}

func (w *world) search(hints *fi.Hints, opts ...fabric.Option) (*answer, error) {
	infos, rejected, err := fabric.Explain(context.Background(), hints, opts...)
	return &answer{infos, rejected}, err
}

// named tells whether the command line or FI_PROVIDER asks for a provider by its name.
func (w *world) named(c *config, prov string) bool {
	env, _ := w.lookup("FI_PROVIDER")
	return slices.Contains(wantedNames(env), prov) || slices.Contains(wantedNames(c.hints.Fabric.ProvName), prov) ||
		c.hints.Domain.Name == prov || c.hints.Fabric.Name == prov
}

// wantedNames takes a list of providers apart; none when it says which are not wanted.
func wantedNames(list string) []string {
	list = strings.TrimSpace(list)
	if strings.HasPrefix(list, "^") {
		return nil
	}
	var names []string
	for n := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ';' }) {
		names = append(names, strings.ToLower(strings.TrimSpace(n)))
	}
	return names
}
