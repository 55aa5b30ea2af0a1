package unit

import (
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// Scenarios lists the programs.
func Scenarios() []scenario.Scenario {
	list := []scenario.Scenario{
		{Name: "getinfo_test", Summary: "what getinfo returns for hints and addresses", Address: "a peer's", Run: runGetInfo},
		{Name: "av_test", Summary: "address vectors: insert, lookup, remove, good and bad", Options: avOptions, Run: runAV},
		{Name: "eq_test", Summary: "event queues: open, write and read, peek, wait", Run: runEQ},
		{Name: "cq_test", Summary: "completion queues: open, many at a time, signal", Options: cqOptions, Run: runCQ},
		{Name: "cntr_test", Summary: "counters: open, set, add, read", Run: runCounter},
		{Name: "mr_test", Summary: "memory regions: all access rights, vectors, attributes", Hints: memoryHints, Run: runMR},
		{Name: "dom_test", Summary: "domains: several at a time", Options: domainOptions, Run: runDomain},
		{Name: "mr_cache_evict", Summary: "memory regions: none is a former one at the same address", Options: evictOptions, Hints: memoryHints, Run: runEvict},
		{Name: "setopt_test", Summary: "options of endpoints: set, get, refuse", Run: runSetOpt},
	}
	for i := range list {
		list[i].Kind, list[i].Sides = scenario.Unit, scenario.Alone
	}
	return list
}

// memoryHints ask for what regions are made for.
func memoryHints(_ *options.Options, h *fi.Hints) { h.Caps |= fi.CapRMA }

// most is the number of objects that the scenario's own option names; Window holds it.
func count(o *options.Options, short byte, long, help string, def int) []cli.Option {
	o.Window = def
	return []cli.Option{{Short: short, Long: long, Arg: "N", Help: help, Set: options.Number(&o.Window, 1, 1<<20)}}
}

func cqOptions(o *options.Options) []cli.Option {
	return count(o, 'L', "limit", "most queues to open at a time (32768)", 1<<15)
}

func domainOptions(o *options.Options) []cli.Option {
	return count(o, 'n', "domains", "number of domains to open (1)", 1)
}
