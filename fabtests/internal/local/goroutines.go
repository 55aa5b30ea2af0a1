package local

import (
	"context"
	"io"
	"net"
	"runtime"
	"sync"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/internal/freeport"
	"github.com/gofabric/gofabric/internal/osx"
)

// goroutines runs the sides in this process, each on a thread of its own.
func (j *Job) goroutines(ctx context.Context, row func(perf.Row)) error {
	if n := j.sides(); runtime.GOMAXPROCS(0) < n { // each side polls: none must wait until another one is preempted
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	n := j.sides()
	var links [2]net.Conn
	var star []net.Conn // in a Group: of rank 0 to the others, then of the others to it
	oob := ""           // in a Group: a port at which rank 0 may listen
	switch {
	case j.Scenario.OOB && j.Scenario.Sides == scenario.Group:
		oob = freeport.Find()
		star = make([]net.Conn, 2*(n-1))
		for i := range n - 1 {
			star[i], star[n-1+i] = net.Pipe()
		}
	case j.Scenario.OOB:
		links[0], links[1] = net.Pipe()
	}
	ready := make(chan struct{})
	var once sync.Once
	var errs []error
	var mu sync.Mutex
	var wg sync.WaitGroup
	cpus := j.processors()
	out := &shared{w: j.Out}
	last := n - 1 // the side whose rows and lines count: the client
	if j.Scenario.Sides == scenario.Group {
		last = 0
	}
	for rank := range n {
		env := &scenario.Env{Ctx: ctx, Opt: j.options(rank), Client: j.Scenario.Sides == scenario.Pair && rank == 1, Rank: rank,
			Out: io.Discard, Err: io.Discard, Report: perf.Func(func(perf.Row) {}), Ready: func() { once.Do(func() { close(ready) }) },
			Link: links[rank%2]}
		if oob != "" {
			env.Opt.OOBPort, env.Opt.OOBHost = oob, "127.0.0.1"
		}
		if star != nil && rank == 0 {
			env.Link, env.Links = nil, star[:n-1]
		} else if star != nil {
			env.Link = star[n-1+rank-1]
		}
		switch {
		case rank == last:
			env.Out, env.Err, env.Report = out, j.Err, perf.Func(row)
			if j.Opt.Both { // whole lines, between those of the others
				lines := &prefixer{w: out}
				defer lines.flush()
				env.Out = lines
			}
		case j.Opt.Both:
			lines := &prefixer{w: out, prefix: j.side(rank) + ": "}
			defer lines.flush()
			env.Out = lines
		}
		wg.Go(func() {
			runtime.LockOSThread() // and never unlocked: the thread ends with its pinning
			if cpus != nil {
				osx.PinThread(cpus[rank]) //nolint:errcheck // a machine that cannot pin measures unpinned
			}
			if j.Scenario.Sides == scenario.Pair && rank == 1 {
				select {
				case <-ready:
				case <-ctx.Done():
				}
			}
			if err := j.Scenario.Run(env); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
				end(errOtherSide)
			}
		})
	}
	wg.Wait()
	return first(errs)
}

// options gives a side its own copy, with what a child process would be told on its command line.
func (j *Job) options(rank int) *options.Options {
	o := *j.Opt
	o.Child.On, o.Child.Rank, o.Child.Count = true, rank, j.Count
	o.Provider = j.Provider
	if j.Scenario.Sides == scenario.Pair && rank == 1 {
		o.Server = "localhost"
	}
	return &o
}
