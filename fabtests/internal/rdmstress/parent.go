package rdmstress

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
)

// firstClient is the rank of the first client among the processes of a run, behind the server and the parent.
const firstClient = 2

// clientNumber tells which client this process is, if it is one.
func clientNumber(o *options.Options) (int, bool) {
	return o.Child.Rank - firstClient, o.Child.On && o.Child.Rank >= firstClient
}

// parent runs the clients: as many at a time as -C says, as often as -I says.
func parent(env *scenario.Env, steps []step) error {
	fmt.Fprintln(env.Out, "Starting rpc client(s)")
	need := need(env)
	s, err := session.Prepare(env, need)
	if err == nil {
		err = s.AwaitStatus() // the server is there
	}
	if err == nil {
		if s.Info.Fabric.ProvName == session.InProcess {
			err = goroutines(env, steps)
		} else {
			err = processes(env)
		}
	}
	for range 2 { // it may end; it has no answer on its way
		if err == nil {
			err = s.AwaitStatus()
		}
	}
	if s != nil {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}
	return err
}

// rounds is how often each client is started.
func rounds(o *options.Options) int { return max(o.Iterations, 1) }

// processes runs each client as a process. They all run to their end, and the first error counts.
func processes(env *scenario.Env) error {
	runtime.LockOSThread() // they die with the thread that started them
	defer runtime.UnlockOSThread()
	n := env.Opt.Own.(*choice).clients
	running := make([]*local.Side, n)
	defer func() {
		for _, c := range running {
			if c != nil {
				c.End()
			}
		}
	}()
	var first error
	wait := func(c *local.Side) {
		if c == nil {
			return
		}
		if err := c.Wait(env.Ctx); err != nil && first == nil {
			first = fmt.Errorf("a client: %w", err)
		}
	}
	out, errOut := &together{w: env.Out}, &together{w: env.Err}
	for range rounds(env.Opt) {
		for i := range running {
			wait(running[i])
			if cause := context.Cause(env.Ctx); cause != nil {
				return cause
			}
			var err error
			if running[i], err = local.StartSide("rdm_stress", clientArgs(os.Args[2:]), firstClient+i, firstClient+n, out, errOut); err != nil {
				return err
			}
		}
	}
	for _, c := range running {
		wait(c)
	}
	if cause := context.Cause(env.Ctx); cause != nil {
		return cause
	}
	return first
}

// clientArgs are the arguments of a client: ours, without what is for one process only.
func clientArgs(args []string) []string {
	var out []string
	args = slices.Clone(args)
	for i := 0; i < len(args); i++ {
		switch name, _, whole := strings.Cut(args[i], "="); name {
		case "--pin-core", "-b", "-E", "--oob", "--oob-address", "--oob-host", "-O":
			if !whole && name != "-b" && name != "-E" && name != "--oob" && name != "--oob-address" { // those have their value in the same word, or none
				i++
			}
		default:
			out = append(out, args[i])
		}
	}
	return out
}

// goroutines runs each client as a goroutine.
func goroutines(env *scenario.Env, steps []step) error {
	var wg sync.WaitGroup
	errs := make(chan error, env.Opt.Own.(*choice).clients)
	for i := range cap(errs) {
		wg.Go(func() {
			for range rounds(env.Opt) {
				side := *env
				side.Link = nil
				if err := runClient(&side, uint32(i), steps, true); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}
