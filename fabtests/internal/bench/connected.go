package bench

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// connectedCaps is what -o asks for.
func connectedCaps(o *options.Options) fi.Caps {
	if o.Op == "tagged" {
		return fi.CapTagged
	}
	return fi.CapMsg
}

// connectedNeed is what the benchmarks of connected endpoints open. Tagged receives are posted on a shared context, as
// the programs of libfabric do.
func connectedNeed(env *scenario.Env, name string) (session.Need, error) {
	need := session.Need{Caps: connectedCaps(env.Opt), Connects: true}
	switch env.Opt.Op {
	case "", "msg":
	case "tagged":
		need.SharedRx = true
	default:
		return need, &fail.Usage{Text: name + ": no operation " + env.Opt.Op + ": msg or tagged", Next: "fabtests " + name + " -o tagged"}
	}
	return need, nil
}

func runConnectedPingPong(env *scenario.Env) error {
	need, err := connectedNeed(env, "msg_pingpong")
	if err != nil {
		return err
	}
	return runPingPong(need)(env)
}

func runConnectedBandwidth(env *scenario.Env) error {
	need, err := connectedNeed(env, "msg_bw")
	if err != nil {
		return err
	}
	return runBandwidth(need)(env)
}
