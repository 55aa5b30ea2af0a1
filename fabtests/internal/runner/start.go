package runner

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strconv"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/freeport"
)

// slot is what one of several tests at a time has for itself.
type slot struct {
	number int
	cores  []int // one for each side; nil: no pinning
}

// start runs the processes of a test until they end or ctx does.
func (r *Runner) start(ctx context.Context, t *Test, sl slot) ([]Ended, error) {
	switch {
	case t.scenario.Sides == scenario.Alone || t.Negative:
		p := r.side(&r.Server, "", t.Name, append(r.common(t), r.pin(sl, 0)...), nil)
		return one(ctx, p), nil
	case t.inProcess() || t.scenario.Sides == scenario.Group:
		return one(ctx, r.side(&Host{}, "", t.Name, r.together(t, sl), nil)), nil
	}
	return r.apart(ctx, t, sl)
}

// common are the options of every process of a test: what, over what, and for how long.
func (r *Runner) common(t *Test) []string {
	args := []string{"-p", t.Provider}
	if r.Limit > 0 { // before ours, so that it says what it waits for
		args = append(args, "--timeout", strconv.FormatFloat((r.Limit*9/10).Seconds(), 'f', -1, 64))
	}
	return append(args, t.Args...)
}

// together are the options of a process that runs all sides.
func (r *Runner) together(t *Test, sl slot) []string {
	args := append([]string{"--local", "--both"}, r.common(t)...)
	if t.scenario.Kind == scenario.Benchmark {
		args = append(args, "--starts", "1")
	}
	if r.OOB && !t.scenario.OOB {
		args = append(args, "-E")
	}
	if sl.cores == nil {
		return append(args, "--no-pin")
	}
	return append(args, "--pin-core", fmt.Sprintf("%d,%d", sl.cores[0], sl.cores[1]))
}

// pin are the options that bind a side to its processor.
func (r *Runner) pin(sl slot, side int) []string {
	if sl.cores == nil {
		return nil
	}
	return []string{"--pin-core", strconv.Itoa(sl.cores[side])}
}

// ports of a test: of the fabric, and of the connection beside it.
type ports struct{ fabric, oob string }

// ports gives numbers that nobody uses here; on other hosts those of libfabric's programs, with the slot's number added.
func (r *Runner) ports(sl slot) ports {
	if r.Remote {
		return ports{strconv.Itoa(9228 + sl.number), strconv.Itoa(3000 + sl.number)}
	}
	return ports{freeport.Find(), freeport.Find()}
}

// apart runs server and client as processes, here or on two hosts.
func (r *Runner) apart(ctx context.Context, t *Test, sl slot) ([]Ended, error) {
	port := r.ports(sl)
	args := r.common(t)
	if r.Peer != nil && (t.scenario.Kind == scenario.Benchmark || t.Name == "unmap_mem") && !slices.Contains(args, "-S") {
		size := peerSize
		if t.opt.EPType == fi.EPDgram {
			size = peerDatagram
		}
		args = append(args, "-S", size)
	}
	switch {
	case r.Peer != nil && t.Name == "cm_data": // C's has a letter of its own, and ours knows it
		args = append(args, "-q", port.oob)
	case r.Peer != nil:
	case t.Name == "pingpong": // its control channel is at the port that it is told
	case r.OOB || t.scenario.OOB:
		name := "--oob-address="
		if t.scenario.OOB {
			name = "--oob="
		}
		args = append(args, name+port.oob)
	}
	serverArgs := append(append([]string{}, args...), r.pin(sl, 0)...)
	clientArgs := append(append([]string{}, args...), r.pin(sl, 1)...)
	own := t.Name == "msg_sockets" // both sides of it want to be told their address
	if own || r.Server.Iface != "" || r.Peer != nil {
		serverArgs = append(serverArgs, "-s", r.Server.address())
	}
	serverArgs = append(serverArgs, "-B", port.fabric)
	if t.configured() { // else it would wait for the next client
		serverArgs = append(serverArgs, "-x")
	}
	if own || r.Client.Iface != "" {
		clientArgs = append(clientArgs, "-s", r.Client.address())
	}
	clientArgs = append(clientArgs, "-P", port.fabric)
	serverArgs = append(serverArgs, r.Server.Args...)
	clientArgs = append(append(clientArgs, r.Client.Args...), r.Server.address())
	if t.CServes || t.CJoins {
		return r.withC(ctx, t, serverArgs, clientArgs, port)
	}
	return pair(ctx, r.side(&r.Server, "server", t.Name, serverArgs, nil), r.side(&r.Client, "client", t.Name, clientArgs, nil), saysReady), nil
}

// side is a process of ours on a host.
func (r *Runner) side(h *Host, who, name string, args, env []string) *program {
	env = append(append([]string{supervisedVar + "=1"}, r.Env...), env...)
	if !r.Remote || h.Name == "" {
		if runtime.GOMAXPROCS(0) == 1 {
			env = append(env, "GOMAXPROCS=2") // a side polls, and the runtime has work of its own
		}
		return &program{who: who, argv: append([]string{r.Program, name}, args...), env: env}
	}
	there := append([]string{"env"}, env...)
	there = append(there, path.Join(r.Folder, "fabtests"), name)
	return &program{who: who, argv: append(append([]string{}, r.SSH...), h.Name, fail.CommandLine(append(there, args...))), remote: true}
}

// saysReady waits for the word of one of ours; false when it did not come.
func saysReady(ctx context.Context, s *running) bool {
	select {
	case <-s.out.ready:
		return true
	case <-s.done:
	case <-ctx.Done():
		return false
	}
	select {
	case <-s.out.ready: // and then it ended
		return true
	default:
		return false
	}
}

// ask tells whether the provider offers what a test needs, as fi_info would.
func (r *Runner) ask(ctx context.Context, t *Test) offer {
	if r.Remote || t.Negative || t.scenario.NoInfo {
		return offer{}
	}
	has, command := local.Offers(ctx, t.scenario, t.opt)
	return offer{known: true, has: has, ask: command}
}
