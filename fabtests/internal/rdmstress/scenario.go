package rdmstress

import (
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// Defaults of libfabric's program.
const (
	clients     = 16
	mostClients = 128
	callTimeout = 2 * time.Second
)

// choice is what the options say.
type choice struct {
	script  string
	clients int
}

// Scenarios lists the one program.
func Scenarios() []scenario.Scenario {
	return []scenario.Scenario{{Name: "rdm_stress", Kind: scenario.Functional, Sides: scenario.Pair, OOB: true,
		Summary: "clients that run a script, and leave a server that goes on", Options: choices, Caps: func(*options.Options) fi.Caps { return caps }, Run: run}}
}

const caps = fi.CapMsg | fi.CapTagged | fi.CapRMA

func choices(o *options.Options) []cli.Option {
	own := &choice{clients: clients}
	o.Own, o.Threading, o.Wait = own, fi.ThreadSafe, options.WaitSRead
	return []cli.Option{
		{Short: 'u', Long: "script", Arg: "FILE", Help: "client: what to do, a JSON array of objects with op, size, offset, ms, count",
			Text: "Operations: msg_req, msg_inject_req, tag_req, read_req, write_req, each with its msg_resp, tag_resp, read_resp, write_resp; noop, hello, goodbye, sleep, exit.",
			Set:  options.Text(&own.script)},
		{Short: 'C', Long: "connections", Arg: "N", Help: "number of clients, each a process (16, at most 128)", Set: options.Number(&own.clients, 1, mostClients)},
	}
}

// need is what a side opens. The sides do not exchange addresses: clients tell the server theirs with a hello.
func need(env *scenario.Env) session.Need {
	return session.Need{Caps: caps, Size: helloSize, NoExchange: true, NoRecv: true, NoRegion: true, ManyPeers: true, OOBSync: env.Opt.Child.On,
		OneCQ: !env.Client, TxCQSize: queueSize}
}

// queueSize is the number of entries of a completion queue.
const queueSize = 1024

// run is a side: the server, the parent of the clients or, as a process that the parent has started, a client.
func run(env *scenario.Env) error {
	own := env.Opt.Own.(*choice)
	side, opt := *env, *env.Opt
	side.Opt = &opt
	if !opt.Given("timeout") {
		opt.Timeout = callTimeout
	}
	switch {
	case opt.Counters:
		return &fail.Usage{Text: "rdm_stress: it needs completions, not counts: leave -t counter out", Next: "fabtests rdm_stress --help"}
	case !env.Client:
		return serve(&side)
	case own.script == "":
		return &fail.Hint{Err: fail.Call("fopen", &fi.Error{Op: "open", Err: fi.ErrNoEnt, Hint: "a client needs a script"}), Next: "-u FILE: see fabtests rdm_stress --help"}
	}
	steps, err := readScript(own.script)
	if err != nil {
		return fail.Call("fopen", err)
	}
	if id, is := clientNumber(&opt); is {
		return runClient(&side, uint32(id), steps, false)
	}
	return parent(&side, steps)
}
