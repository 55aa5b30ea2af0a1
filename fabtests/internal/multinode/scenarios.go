package multinode

import (
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// rankPort is where the rank server listens: libfabric's program has 8228, in the order of bytes of little endian machines.
const rankPort = "9248"

// choice is what the options say.
type choice struct {
	program  string // its name
	rma      bool
	pattern  *pattern // nil: all
	timing   bool
	launcher string // the variable in which it gives the rank
}

// Scenarios lists the programs.
func Scenarios() []scenario.Scenario {
	return []scenario.Scenario{
		{Name: "multinode", Kind: scenario.Functional, Sides: scenario.Group, OneByOne: true, OOB: true,
			Summary: "several processes: patterns of messages or writes", Options: choices, Caps: caps, Run: run},
		{Name: "multinode_coll", Kind: scenario.Functional, Sides: scenario.Group, OneByOne: true, OOB: true,
			Summary: "several processes: collectives; -v: with every operation and type", Options: collChoices, Caps: collCaps, Run: runColl},
	}
}

func collCaps(*options.Options) fi.Caps { return fi.CapMsg | fi.CapCollective }

func caps(o *options.Options) fi.Caps {
	c := fi.CapMsg | fi.CapTagged
	if own, ok := o.Own.(*choice); ok && own.rma {
		c |= fi.CapRMA
	}
	return c
}

func choices(o *options.Options) []cli.Option {
	own := &choice{program: "multinode"}
	o.Own, o.OOBPort = own, rankPort
	methods := []string{"msg", "rma"}
	return append(ranked(o, own),
		cli.Option{Short: 'x', Long: "transfer", Arg: "METHOD", Help: "msg or rma (msg)", Values: methods,
			Set: word("method of transfer", methods, func(i int) { own.rma = i == 1 })},
		cli.Option{Short: 'z', Long: "pattern", Arg: "PATTERN", Help: "full_mesh, ring, gather or broadcast (all of them)", Values: names(),
			Set: word("pattern", names(), func(i int) { own.pattern = &patterns[i] })},
		cli.Option{Short: 'T', Long: "timing", Help: "print how long transfers take", Set: options.On(&own.timing)})
}

// collChoices are the options of collectives: libfabric's program takes all those of the other one.
func collChoices(o *options.Options) []cli.Option {
	own := &choice{program: "multinode_coll"}
	o.Own, o.OOBPort = own, rankPort
	ignored := func(string) error { return nil }
	return append(ranked(o, own),
		cli.Option{Short: 'x', Long: "transfer", Arg: "METHOD", Help: "accepted; collectives have no method of transfer", Set: ignored},
		cli.Option{Short: 'z', Long: "pattern", Arg: "PATTERN", Help: "accepted; collectives have no pattern", Set: ignored},
		cli.Option{Short: 'T', Long: "timing", Help: "accepted; barrier measures", Set: ignored})
}

// ranked are the options of ranks.
func ranked(o *options.Options, own *choice) []cli.Option {
	launchers := []string{"pmi", "pmix"}
	return []cli.Option{
		{Short: 'n', Long: "procs", Arg: "N", Help: "number of ranks (4)", Set: options.Number(&o.Procs, 1, 64)},
		{Short: 'u', Long: "launcher", Arg: "KIND", Help: "who says which rank a process is: pmi (PMI_RANK) or pmix (PMIX_RANK)", Values: launchers,
			Set: word("launcher", launchers, func(i int) { own.launcher = []string{"PMI_RANK", "PMIX_RANK"}[i] })},
	}
}

// word takes one of a few words.
func word(what string, words []string, set func(i int)) func(string) error {
	return func(v string) error {
		i := slices.Index(words, strings.ToLower(v))
		if i < 0 {
			return &cli.UsageError{Text: "no " + what + " " + v + ": " + strings.Join(words, ", ")}
		}
		set(i)
		return nil
	}
}
