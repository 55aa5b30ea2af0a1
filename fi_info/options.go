package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/internal/envknob"
)

// config is what the options say.
type config struct {
	hints         fi.Hints
	hinted        bool // an option gave a hint; else nil hints are passed
	node, service string
	flags         fi.InfoFlags

	verbose, list, env, explain, doctor bool
	json, dedup, version, help          bool
	getenv, filter                      string // substrings, of -g and -i
	filtered                            bool
}

// wordError is a word that an option does not know.
type wordError struct{ kind, word, advice string }

func (e *wordError) Error() string { return "unrecognized " + e.kind + ": " + e.word }

// newCommand makes the table of options, which set c.
func newCommand(c *config) *cli.Command {
	c.hints = fi.Hints{Mode: ^fi.Mode(0),
		EP:     &fi.EPAttr{},
		Domain: &fi.DomainAttr{Mode: ^fi.Mode(0), MRMode: ^(fi.MRModeBasic | fi.MRModeScalable)},
		Fabric: &fi.FabricAttr{}}
	flag := func(to *bool) func(string) error {
		return func(string) error { *to = true; return nil }
	}
	last := func(to *bool) func(string) error {
		return func(string) error { *to = true; return cli.Stop }
	}
	hint := func(to *string) func(string) error {
		return func(v string) error { *to, c.hinted = v, true; return nil }
	}
	return &cli.Command{
		Name:        "fi_info",
		Summary:     "show fabrics, domains and endpoints, and why others are missing",
		Usage:       []string{"fi_info [OPTION]...", "fi_info completion bash|zsh|fish", "fi_info man [markdown]"},
		Examples:    examples,
		Parts:       manual,
		Operands:    []string{"completion", "man"},
		SubOperands: map[string][]string{"completion": cli.Shells, "man": {"markdown"}},
		Options: []cli.Option{
			{Group: "Hints, which an entry must meet", Short: 'n', Long: "node", Arg: "NAME",
				Help: "host or address of the peer", Set: func(v string) error { c.node = v; return nil }},
			{Short: 'P', Long: "port", Arg: "PNUM", Help: "service or port number",
				Set: func(v string) error { c.service = v; return nil }},
			{Short: 's', Long: "src_addr", Arg: "ADDR", Help: "own host or address, in place of a peer's",
				Text: "It replaces a node given before it, as a later `--node` replaces it; either then is an own address (`FI_SOURCE`).",
				Set: func(v string) error {
					c.node = v
					c.flags |= fi.InfoSource
					return nil
				}},
			{Short: 'c', Long: "caps", Arg: "CAP1|CAP2...", Help: "capabilities, such as FI_MSG or rma",
				Text: "Upper or lower case, with or without `FI_`; blanks round the bar do not matter, and a comma does as well.",
				Values: names(func(i int) string {
					text, _ := fi.Caps(1 << i).MarshalText()
					return string(text)
				}), Joined: true,
				Set: parse(c, &c.hints.Caps, fi.ParseCaps)},
			{Short: 'm', Long: "mode", Arg: "MODE1|...", Help: "what the application can live with (default: all)",
				Values: names(func(i int) string {
					text, _ := fi.Mode(1 << i).MarshalText()
					return string(text)
				}), Joined: true,
				Set: parse(c, &c.hints.Mode, fi.ParseMode)},
			{Short: 't', Long: "ep_type", Arg: "TYPE", Help: "endpoint type, such as FI_EP_RDM or msg",
				Text:   "Types: `FI_EP_RDM`, `FI_EP_MSG`, `FI_EP_DGRAM`, `FI_EP_UNSPEC` (any).",
				Values: names(func(i int) string { return fi.EPType(i).String() }),
				Set:    parse(c, &c.hints.EP.Type, fi.ParseEPType)},
			{Short: 'a', Long: "addr_format", Arg: "FORMAT", Help: "address format, such as FI_ADDR_STR",
				Text:   "Formats: `" + strings.Join(addrFormats, "` `") + "`.",
				Values: addrFormats, Set: parse(c, &c.hints.AddrFormat, fi.ParseAddrFormat)},
			{Short: 'p', Long: "provider", Arg: "PROV", Help: "provider; mem, for tests, is shown only when named",
				Text: "A list such as `shm,tcp`, or with `^` in front those that are not wanted. `mem` reaches its own " +
					"process only; it is listed when `--provider`, `--domain`, `--fabric` or FI_PROVIDER names it.",
				Values: providerNames(), Set: hint(&c.hints.Fabric.ProvName)},
			{Short: 'd', Long: "domain", Arg: "DOMAIN", Help: "domain name", Set: hint(&c.hints.Domain.Name)},
			{Short: 'f', Long: "fabric", Arg: "FABRIC", Help: "fabric name", Set: hint(&c.hints.Fabric.Name)},

			{Group: "What is shown", Short: 'v', Long: "verbose", Help: "everything about each entry", Set: flag(&c.verbose)},
			{Short: 'l', Long: "list", Help: "providers and their versions", Set: flag(&c.list)},
			{Short: 'i', Long: "info", Arg: "SUBSTR", Help: "verbose, only entries whose text has SUBSTR in it",
				Text: "Upper and lower case are the same.",
				Set:  func(v string) error { c.filter, c.filtered = v, true; return nil }},
			{Short: 'e', Long: "env", Help: "environment variables", Set: flag(&c.env)},
			{Short: 'g', Long: "getenv", Arg: "SUBSTR", Help: "environment variables with SUBSTR in the name",
				Text: "Upper and lower case are the same.", Values: variableNames(),
				Set: func(v string) error { c.getenv, c.env = v, true; return nil }},
			{Long: "explain", Help: "for each provider: does it match, and why not", Set: flag(&c.explain)},
			{Long: "doctor", Help: "limits and settings of this machine, with cures", Set: flag(&c.doctor)},
			{Long: "dedup", Help: "entries that would look the same only once", Set: flag(&c.dedup)},
			{Long: "json", Help: "any of these as one JSON object", Set: flag(&c.json)},
			{Long: "version", Help: "versions of the tool and of the API", Set: last(&c.version)},
			{Short: 'h', Long: "help", Help: "this text", Set: last(&c.help)},
		},
	}
}

// parse makes the setter of a hint with words of its own.
func parse[T interface {
	comparable
	MarshalText() ([]byte, error)
}](c *config, to *T, read func(string) (T, error)) func(string) error {
	return func(v string) error {
		x, err := read(v)
		var word *fi.WordError
		if errors.As(err, &word) {
			return unrecognized(word)
		}
		// A number stands for itself in the library; here it is no word.
		if text, _ := x.MarshalText(); err == nil && hasNumber(string(text)) {
			var none T
			_, err = read("?") // for the kind of word
			if errors.As(err, &word) {
				return unrecognized(&fi.WordError{Kind: word.Kind, Word: v})
			}
			x = none
		}
		*to, c.hinted = x, true
		return err
	}
}

// hasNumber tells whether the text of a set or an enumeration has a part without a name.
func hasNumber(text string) bool {
	return slices.ContainsFunc(strings.Split(text, "|"), func(w string) bool {
		return w != "" && (w[0] >= '0' && w[0] <= '9' || w[0] == '-')
	})
}

func unrecognized(w *fi.WordError) error {
	e := &wordError{kind: w.Kind, word: w.Word, advice: "fi_info man lists the words"}
	if w.Nearest != "" {
		e.advice = "did you mean " + w.Nearest + "?"
	}
	return e
}

// names lists those of the first 64 words that are words.
func names(word func(int) string) []string {
	var list []string
	for i := range 64 {
		if w := word(i); w != "" && !hasNumber(w) && !strings.HasPrefix(w, "Unknown") {
			list = append(list, w)
		}
	}
	return list
}

var addrFormats = names(func(i int) string { return fi.AddrFormat(i).String() })

// noEnv is an empty environment.
func noEnv(string) (string, bool) { return "", false }

// providerNames lists the providers that are linked in, best first.
func providerNames() []string {
	infos, _, err := fabric.Explain(context.Background(), nil, fabric.WithFlags(fi.InfoProvAttrOnly), fabric.WithEnv(noEnv))
	if err != nil {
		return nil
	}
	var list []string
	for _, i := range infos {
		list = append(list, i.Fabric.ProvName)
	}
	return list
}

func variableNames() []string {
	var list []string
	for _, d := range envknob.All() {
		list = append(list, d.Name)
	}
	return list
}
