package stress

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// Scenarios lists the one that there is.
func Scenarios() []scenario.Scenario {
	return []scenario.Scenario{{Name: "stress", Kind: scenario.Functional, Sides: scenario.Group, OOB: true,
		Summary: "random operations between several processes, all of them verified; a seed gives them again",
		Caps:    func(*options.Options) fi.Caps { return 0 }, Options: stressOptions, Run: run}}
}

func stressOptions(o *options.Options) []cli.Option {
	o.Timeout, o.Steps = 30*time.Second, mostSteps
	return []cli.Option{
		{Short: 'n', Long: "procs", Arg: "N", Help: "processes; goroutines with -p mem (4)", Set: options.Number(&o.Procs, 2, 64)},
		{Long: "seed", Arg: "N", Help: "what the operations follow from (a random number, which is printed)", Set: func(v string) error {
			n, err := strconv.ParseUint(v, 0, 64)
			if err != nil {
				return options.Bad(v, "a number from 0 to 2^64-1")
			}
			o.Seed = n
			return nil
		}},
		{Long: "time", Arg: "DURATION", Help: "begin rounds for so long, as 10s or 10m (10s)", Set: func(v string) error {
			d, err := time.ParseDuration(v)
			if n, bad := strconv.Atoi(v); bad == nil {
				d, err = time.Duration(n)*time.Second, nil
			}
			if err != nil || d < 0 || d > 1000*time.Hour {
				return options.Bad(v, "a duration, as 10s")
			}
			o.Time = d
			return nil
		}},
		{Long: "round", Arg: "N", Help: "this round of the seed only, twice or for --time", Set: options.Number(&o.Round, 0, 1<<30)},
		{Long: "steps", Arg: "N", Help: "operations of a phase, at most (300)", Set: options.Number(&o.Steps, 1, 100000)},
		{Long: "ops", Arg: "LIST", Help: "what may be done, of msg, tagged, inject, vector, data, level, multi, unexpected, directed, cancel, peek, rma, atomic, av, reopen, threads; -peek for all but that (all)",
			Set: func(v string) error {
				if _, err := parseMask(v); err != nil {
					return &cli.UsageError{Text: err.Error()}
				}
				o.OpsMask = v
				return nil
			}},
	}
}

// run is one rank.
func run(env *scenario.Env) error {
	o := env.Opt
	j := &job{Seed: o.Seed, Round: -1, Time: 10 * time.Second, Patience: o.Timeout, Ranks: o.Child.Count, Ops: opAll, Steps: o.Steps, Type: o.EPType, Provider: o.Provider,
		Road: o.Road, Shared: env.Links != nil || env.Link != nil}
	if !o.Given("seed") {
		j.Seed = rand.Uint64() >> 32 // short enough to be typed
	}
	if o.Given("round") {
		j.Round, j.Time = o.Round, 0
	}
	if o.Given("time") {
		j.Time = o.Time
	}
	if j.Patience == 0 {
		j.Patience = 1000 * time.Hour
	}
	if o.OpsMask != "" {
		j.Ops, _ = parseMask(o.OpsMask) //nolint:errcheck // it was parsed before
	}
	if env.Rank == 0 {
		to := env.Out
		if o.JSON {
			to = env.Err
		}
		fmt.Fprintf(to, "seed %d\n", j.Seed)
	}
	links, err := meet(env)
	if err != nil {
		return err
	}
	res, err := j.run(env.Ctx, env.Rank, links)
	if env.Rank > 0 {
		return err
	}
	return show(env.Out, o.JSON, res, err)
}

// show prints what a run has done.
func show(out io.Writer, asJSON bool, res *result, err error) error {
	if err == nil && !asJSON {
		_, err := fmt.Fprintf(out, "%d rounds of %s operations, %s bytes verified, in %.1f s\n", res.Rounds, perf.CountString(res.Operations), perf.SizeString(res.Bytes), res.Seconds)
		return err
	}
	if !asJSON {
		return err
	}
	var what any = res
	if err != nil {
		f, ok := faultOf(err)
		if !ok {
			return err
		}
		what = struct {
			Fault *fault `json:"fault"`
		}{f}
	}
	if e := json.NewEncoder(out).Encode(what); e != nil {
		return e
	}
	return err
}

// meet connects the ranks: by what the environment has, or over TCP.
func meet(env *scenario.Env) ([]net.Conn, error) {
	switch {
	case env.Links != nil:
		return env.Links, nil
	case env.Link != nil:
		return []net.Conn{env.Link}, nil
	}
	addr := net.JoinHostPort("127.0.0.1", env.Opt.OOBPort)
	if env.Rank == 0 {
		return accept(env, addr)
	}
	end := time.Now().Add(time.Minute)
	for {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_, err = c.Write(binary.LittleEndian.AppendUint32(nil, uint32(env.Rank)))
			return []net.Conn{c}, err
		}
		select {
		case <-env.Ctx.Done():
			return nil, fail.Call("connect", err)
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(end) {
			return nil, fail.Call("connect", fmt.Errorf("rank 0 at %s: %w", addr, err))
		}
	}
}

// accept waits for all other ranks; they are there, for one parent has started all.
func accept(env *scenario.Env, addr string) ([]net.Conn, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fail.Call("listen", err)
	}
	defer l.Close()                                               //nolint:errcheck // those that have come are all
	l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Minute)) //nolint:errcheck // it is one
	conns := make([]net.Conn, env.Opt.Child.Count-1)
	for range conns {
		c, err := l.Accept()
		if err != nil {
			return nil, fail.Call("accept", err)
		}
		var who [4]byte
		if _, err := io.ReadFull(c, who[:]); err != nil {
			return nil, fail.Call("accept", err)
		}
		n := int(binary.LittleEndian.Uint32(who[:]))
		if n < 1 || n > len(conns) || conns[n-1] != nil {
			return nil, fail.Call("accept", fmt.Errorf("somebody says to be rank %d of %d", n, len(conns)+1))
		}
		conns[n-1] = c
	}
	return conns, nil
}
