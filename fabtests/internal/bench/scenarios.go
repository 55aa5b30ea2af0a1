package bench

import (
	"strconv"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// Scenarios lists the benchmarks.
func Scenarios() []scenario.Scenario {
	caps := func(c fi.Caps) func(*options.Options) fi.Caps {
		return func(*options.Options) fi.Caps { return c }
	}
	b := scenario.Scenario{Kind: scenario.Benchmark, Sides: scenario.Pair}
	with := func(name, summary string, c fi.Caps, run func(*scenario.Env) error) scenario.Scenario {
		s := b
		s.Name, s.Summary, s.Caps, s.Run = name, summary, caps(c), run
		return s
	}
	connected := func(name, summary string, run func(*scenario.Env) error) scenario.Scenario {
		s := with(name, summary, 0, run)
		s.EPType, s.Caps, s.Ops = fi.EPMsg, connectedCaps, []string{"msg", "tagged"}
		return s
	}
	remote := func(name, summary string, run func(*scenario.Env) error, ops ...string) scenario.Scenario {
		s := with(name, summary, fi.CapMsg|fi.CapRMA, run)
		s.Ops = ops
		return s
	}
	datagrams := func(s scenario.Scenario) scenario.Scenario {
		s.EPType, s.Options = fi.EPDgram, timeoutOption
		return s
	}
	threads := with("rdm_bw_mt", "bandwidth of messages of several endpoints, a goroutine for each", fi.CapMsg, runThreads)
	threads.OOB, threads.Options = true, threadsOptions
	return []scenario.Scenario{
		connected("msg_pingpong", "latency of messages over a connection: -o msg or tagged", runConnectedPingPong),
		connected("msg_bw", "bandwidth of messages over a connection: -o msg or tagged", runConnectedBandwidth),
		with("rdm_pingpong", "latency of messages", fi.CapMsg, runPingPong(session.Need{Caps: fi.CapMsg})),
		datagrams(with("dgram_pingpong", "latency of datagrams", fi.CapMsg, runPingPong(session.Need{Caps: fi.CapMsg}))),
		with("rdm_tagged_pingpong", "latency of tagged messages", fi.CapTagged, runPingPong(session.Need{Caps: fi.CapTagged})),
		with("rdm_cntr_pingpong", "latency of messages, completions by counters", fi.CapMsg, runPingPong(session.Need{Caps: fi.CapMsg, Counters: true, Connects: true})),
		with("rdm_bw", "bandwidth of messages", fi.CapMsg, runBandwidth(session.Need{Caps: fi.CapMsg})),
		with("rdm_tagged_bw", "bandwidth of tagged messages", fi.CapTagged, runBandwidth(session.Need{Caps: fi.CapTagged})),
		remote("rma_bw", "bandwidth of RMA: -o write, read or writedata", runRMABandwidth, "write", "read", "writedata"),
		remote("rma_pingpong", "latency of RMA: -o write, writedata or read", runRMAPingPong, "write", "writedata", "read"),
		remote("rma_tx_completion", "rate of writes, each waited for: -o write or writedata", runRMATxCompletion, "write", "writedata"),
		threads,
	}
}

// timeoutOption has the letter of C's program for the option that all of ours have.
func timeoutOption(o *options.Options) []cli.Option {
	return []cli.Option{{Short: 'T', Long: "receive-timeout", Arg: "SECONDS", Help: "give up waiting for a datagram: one was lost (120)", Set: func(v string) error {
		s, err := strconv.ParseFloat(v, 64)
		if err != nil || s <= 0 || s > 1e6 {
			return options.Bad(v, "a number of seconds")
		}
		o.Timeout = time.Duration(s * float64(time.Second))
		return nil
	}}}
}
