package figures

import (
	"os"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// Scenarios lists the figures.
func Scenarios() []scenario.Scenario {
	caps := func(c fi.Caps) func(*options.Options) fi.Caps {
		return func(*options.Options) fi.Caps { return c }
	}
	list := []scenario.Scenario{
		{Name: "floor", Sides: scenario.Pair, Summary: "a cache line handed over between two processes that spin, or bytes by a bare socket",
			NoInfo: true, Shared: os.Getpagesize(), Options: floorOptions, Run: runFloor},
		{Name: "memcpy", Sides: scenario.Alone, Summary: "a plain copy in one process", NoInfo: true, Run: runCopy},
		{Name: "match_depth", Sides: scenario.Alone, Summary: "matching the first and the last of many posted tagged receives", Caps: caps(fi.CapTagged),
			Options: depthOptions, Run: runDepth},
		{Name: "cq_empty", Sides: scenario.Pair, Summary: "an empty read of a completion queue, in every threading and progress mode", Caps: caps(fi.CapTagged), Run: runEmpty},
		{Name: "wakeup", Sides: scenario.Pair, Summary: "processor time of an idle endpoint, and how fast it wakes up", Caps: caps(fi.CapTagged), Run: runWakeup},
		{Name: "barrier", Sides: scenario.Group, Summary: "several processes that poll: barrier, fi_barrier, and ping-pong of each two", Caps: caps(fi.CapTagged | fi.CapCollective),
			Options: barrierOptions, Run: runBarrier},
		{Name: "crowd", Sides: scenario.Pair, Summary: "a ping-pong beside many connections that say nothing", Caps: caps(fi.CapTagged), Options: crowdOptions, Run: runCrowd},
		{Name: "memory", Sides: scenario.Alone, Summary: "memory for each connected pair", Caps: caps(fi.CapTagged), Options: memoryOptions, Run: runMemory},
	}
	for i := range list {
		list[i].Kind = scenario.Figure
	}
	return list
}

func depthOptions(o *options.Options) []cli.Option {
	o.Window = 100000
	return []cli.Option{{Short: 'n', Long: "posted", Arg: "N", Help: "receives that are posted (100000)", Set: options.Number(&o.Window, 1, 1<<24)}}
}

func barrierOptions(o *options.Options) []cli.Option {
	return []cli.Option{{Short: 'n', Long: "procs", Arg: "N", Help: "processes (4)", Set: options.Number(&o.Procs, 2, 64)}}
}

func memoryOptions(o *options.Options) []cli.Option {
	o.Window = 16
	return []cli.Option{{Short: 'n', Long: "pairs", Arg: "N", Help: "pairs that are connected (16)", Set: options.Number(&o.Window, 1, 1000)}}
}

func crowdOptions(o *options.Options) []cli.Option {
	o.Window = 1000
	return []cli.Option{{Short: 'n', Long: "connections", Arg: "N", Help: "connections beside that of the ping-pong (1000)", Set: options.Number(&o.Window, 1, 4000)}}
}
