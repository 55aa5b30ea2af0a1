package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
)

// jsonSchema is the version of the document. It grows when a field changes its meaning or goes; schema.json describes it.
const jsonSchema = 1

// document is what --json prints. Which of the lists there are depends on the other options.
type document struct {
	Schema    int            `json:"schema"`
	Tool      string         `json:"fi_info"`
	API       fi.Version     `json:"api"`
	Infos     []*fi.Info     `json:"infos,omitzero"`
	Providers []providerJSON `json:"providers,omitzero"`
	Rejected  []reasonJSON   `json:"rejections,omitzero"`
	Variables []variableJSON `json:"variables,omitzero"`
	Unknown   []strayJSON    `json:"unknown_variables,omitzero"`
	Findings  []findingJSON  `json:"findings,omitzero"`
	Module    *moduleJSON    `json:"module,omitzero"`
	Error     *errorJSON     `json:"error,omitzero"`
}

type providerJSON struct {
	Name    string     `json:"name"`
	Version fi.Version `json:"version,omitzero"`
	Matches *int       `json:"matches,omitempty"` // entries; only with --explain
}

type reasonJSON struct {
	Provider string `json:"provider"`
	Domain   string `json:"domain"`
	Attr     string `json:"attr"`
	Option   string `json:"option"`
	Want     string `json:"want"`
	Have     string `json:"have"`
	Fix      string `json:"fix"`
	Text     string `json:"text"`
}

type variableJSON struct {
	Name    string  `json:"name"`
	Owner   string  `json:"owner"`
	Type    string  `json:"type"`
	Help    string  `json:"help"`
	Accepts string  `json:"accepts"`
	Default string  `json:"default"`
	Value   *string `json:"value"` // null: not set
}

type strayJSON struct {
	Name    string `json:"name"`
	Nearest string `json:"nearest"`
	Text    string `json:"text"`
}

type findingJSON struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Value string `json:"value"`
	Need  string `json:"need"`
	Cure  string `json:"cure"`
}

type errorJSON struct {
	Errno int    `json:"errno"`
	Name  string `json:"name"`
	Text  string `json:"text"`
}

func newErrorJSON(code fi.Errno, err error) *errorJSON {
	return &errorJSON{Errno: int(code), Name: code.Name(), Text: err.Error()}
}

// writeJSON completes the document and prints it.
func (w *world) writeJSON(d document) int {
	d.Schema, d.API = jsonSchema, fi.APIVersion
	d.Tool, _ = buildVersion()
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		fmt.Fprintln(w.stderr, "error:", err)
		return exitUsage
	}
	fmt.Fprintln(w.stdout, string(data))
	return exitOK
}

func (w *world) entriesJSON(c *config, a *answer) int {
	if len(a.infos) == 0 {
		list, err := w.verdicts(c)
		if err != nil {
			return w.failed(c, err)
		}
		return w.explainJSON(list)
	}
	var d document
	if c.list {
		d.Providers = []providerJSON{}
	} else {
		d.Infos = []*fi.Info{}
	}
	for _, i := range a.infos {
		switch {
		case c.list:
			d.Providers = append(d.Providers, providerJSON{Name: i.Fabric.ProvName, Version: i.Fabric.ProvVersion})
		case !c.filtered || contains(i.Dump(fi.DetailVerbose), c.filter):
			d.Infos = append(d.Infos, i)
		}
	}
	return w.writeJSON(d)
}

// explainJSON gives the entries of each provider and every reason.
func (w *world) explainJSON(list []verdict) int {
	d := document{Infos: []*fi.Info{}, Providers: []providerJSON{}, Rejected: []reasonJSON{}}
	for _, v := range list {
		n := len(v.infos)
		d.Infos = append(d.Infos, v.infos...)
		p := providerJSON{Name: v.provider, Matches: &n}
		if n > 0 {
			p.Version = v.infos[0].Fabric.ProvVersion
		}
		d.Providers = append(d.Providers, p)
		for _, r := range v.reasons {
			d.Rejected = append(d.Rejected, reasonJSON{Provider: r.Provider, Domain: r.Domain, Attr: r.Attr, Option: r.Option,
				Want: r.Want, Have: r.Have, Fix: r.Fix, Text: r.line()})
		}
	}
	if len(d.Infos) > 0 {
		return w.writeJSON(d)
	}
	d.Error = newErrorJSON(fi.ErrNoData, fi.ErrNoData)
	w.writeJSON(d)
	w.status(fi.ErrNoData)
	return int(fi.ErrNoData)
}

func (w *world) variablesJSON(defs []envknob.Definition) int {
	d := document{Variables: []variableJSON{}, Unknown: []strayJSON{}}
	for _, def := range defs {
		v := variableJSON{Name: def.Name, Owner: def.Owner, Help: def.Help, Accepts: def.Accepts, Default: def.Default}
		v.Type, _, _ = strings.Cut(def.Kind.String(), " ")
		if text, ok := def.Lookup(w.lookup); ok {
			v.Value = &text
		}
		d.Variables = append(d.Variables, v)
	}
	for _, s := range envknob.Unknown(w.environ) {
		d.Unknown = append(d.Unknown, strayJSON{Name: s.Name, Nearest: s.Nearest, Text: s.String()})
	}
	return w.writeJSON(d)
}
