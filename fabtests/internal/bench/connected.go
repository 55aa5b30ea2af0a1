package bench

import (
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
func connectedNeed(env *scenario.Env) session.Need {
	return session.Need{Caps: connectedCaps(env.Opt), Connects: true, SharedRx: env.Opt.Op == "tagged"}
}

func runConnectedPingPong(env *scenario.Env) error { return runPingPong(connectedNeed(env))(env) }

func runConnectedBandwidth(env *scenario.Env) error { return runBandwidth(connectedNeed(env))(env) }
