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
	rma      bool
	pattern  *pattern // nil: all
	timing   bool
	launcher string // the variable in which it gives the rank
}

// Scenarios lists the programs.
func Scenarios() []scenario.Scenario {
	return []scenario.Scenario{{Name: "multinode", Kind: scenario.Functional, Sides: scenario.Group, OneByOne: true, OOB: true,
		Summary: "several processes: patterns of messages or writes", Options: choices, Caps: caps, Run: run}}
}

func caps(o *options.Options) fi.Caps {
	c := fi.CapMsg | fi.CapTagged
	if own, ok := o.Own.(*choice); ok && own.rma {
		c |= fi.CapRMA
	}
	return c
}

func choices(o *options.Options) []cli.Option {
	own := &choice{}
	o.Own, o.OOBPort = own, rankPort
	word := func(what string, words []string, set func(i int)) func(string) error {
		return func(v string) error {
			i := slices.Index(words, strings.ToLower(v))
			if i < 0 {
				return &cli.UsageError{Text: "no " + what + " " + v + ": " + strings.Join(words, ", ")}
			}
			set(i)
			return nil
		}
	}
	methods, launchers := []string{"msg", "rma"}, []string{"pmi", "pmix"}
	return []cli.Option{
		{Short: 'n', Long: "procs", Arg: "N", Help: "number of ranks (4)", Set: options.Number(&o.Procs, 1, 64)},
		{Short: 'x', Long: "transfer", Arg: "METHOD", Help: "msg or rma (msg)", Values: methods,
			Set: word("method of transfer", methods, func(i int) { own.rma = i == 1 })},
		{Short: 'z', Long: "pattern", Arg: "PATTERN", Help: "full_mesh, ring, gather or broadcast (all of them)", Values: names(),
			Set: word("pattern", names(), func(i int) { own.pattern = &patterns[i] })},
		{Short: 'T', Long: "timing", Help: "print how long transfers take", Set: options.On(&own.timing)},
		{Short: 'u', Long: "launcher", Arg: "KIND", Help: "who says which rank a process is: pmi (PMI_RANK) or pmix (PMIX_RANK)", Values: launchers,
			Set: word("launcher", launchers, func(i int) { own.launcher = []string{"PMI_RANK", "PMIX_RANK"}[i] })},
	}
}
