package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/gofabric/gofabric/internal/topo"
	"github.com/gofabric/gofabric/pmi/server"
)

// greeting is what an agent says first, with the token behind it and a line end. What a login shell says before is not
// taken for frames.
const greeting = "gofabric-mpirun-agent-1 "

// agent serves the ranks of one host until they have ended or nobody listens any more.
type agent struct {
	out   *sender
	job   *server.Job
	input *io.PipeWriter // of rank 0; nil when it is not here
}

// runAgent is the program that mpirun starts on each host. Its input is a line with the token, then frames.
func runAgent(in io.Reader, out io.Writer) int {
	// Ctrl-C reaches every process of the terminal: mpirun decides. A lost reader is an error of the write.
	quiet := make(chan os.Signal, 1)
	signal.Notify(quiet, agentSignals...)
	defer signal.Stop(quiet)

	r := bufio.NewReader(in)
	token, err := r.ReadString('\n')
	if err != nil || len(token) < 16 {
		fmt.Fprintln(os.Stderr, "mpirun: the agent is started by mpirun itself, with a token on its input")
		return exitUsage
	}
	a := &agent{out: newSender(out)}
	a.out.send([]byte(greeting + token))
	status := a.serve(r)
	a.out.close()
	select {
	case <-a.out.done:
	case <-time.After(5 * time.Second): // whoever should read does not
	}
	return status
}

func (a *agent) serve(r io.Reader) int {
	k, body, err := readFrame(r)
	var p part
	if err == nil && k == kindStart {
		err = json.Unmarshal(body, &p)
	}
	if err != nil || k != kindStart || len(p.Procs) == 0 {
		return exitLost
	}
	if p.Scratch != "" {
		defer os.RemoveAll(p.Scratch)
	}
	ready := make(chan struct{}) // a fence may be complete before the job is known
	spec := a.spec(&p, ready)
	a.job, err = server.Start(context.Background(), spec)
	close(ready)
	if err != nil {
		f := failure{Failure: server.Failure{Rank: -1, Status: exitCannot, Text: err.Error()}}
		f.NotFound = errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound)
		a.out.send(jsonFrame(kindEnd, f))
		return exitOK
	}
	a.out.send(appendFrame(nil, kindStarted))
	go a.listen(r)
	_, err = a.job.Wait()
	if a.input != nil {
		a.input.CloseWithError(io.ErrClosedPipe)
	}
	var end failure
	if f, ok := errors.AsType[*server.Failure](err); ok {
		end.Failure = *f
	}
	a.out.send(jsonFrame(kindEnd, end))
	return exitOK
}

// listen does what mpirun says. When it is gone the ranks end.
func (a *agent) listen(r io.Reader) {
	for {
		k, body, err := readFrame(r)
		if err != nil {
			a.job.Stop(exitLost, "mpirun is gone")
			return
		}
		switch k {
		case kindRelease:
			puts := map[string]string{}
			if json.Unmarshal(body, &puts) == nil {
				a.job.Release(puts)
			}
		case kindStop:
			var s stop
			json.Unmarshal(body, &s) //nolint:errcheck // what is not said is zero
			a.job.Stop(s.Status, s.Text)
			if s.Force {
				a.job.Kill()
			}
		case kindInput:
			if a.input == nil {
				continue
			}
			if len(body) == 0 {
				a.input.Close()
				continue
			}
			go func() { // one at a time: the next comes when this one was wanted
				a.input.Write(body) //nolint:errcheck // a rank need not read
				a.out.send(appendFrame(nil, kindWant))
			}()
		}
	}
}

// spec says what to start.
func (a *agent) spec(p *part, ready <-chan struct{}) server.Spec {
	s := server.Spec{ID: p.ID, Size: p.Size, Universe: p.Universe, Mapping: p.Mapping, KeepGoing: p.Keep}
	s.Exchange = func(puts map[string]string) {
		<-ready
		a.out.send(jsonFrame(kindFence, puts))
	}
	s.Left = func() { a.out.send(appendFrame(nil, kindLeft)) }
	s.Failed = func(f server.Failure) {
		if f.Rank >= 0 {
			a.out.send(jsonFrame(kindFailed, failure{Failure: f}))
		}
	}
	s.Note = func(_ int, text string) { a.out.send(appendFrame(nil, kindNote, []byte(text))) }
	var cpus []int
	if p.Bind {
		cpus = topo.New(os.DirFS("/")).Spread(len(p.Procs))
	}
	for i, q := range p.Procs {
		sp := server.Proc{Rank: q.Rank, AppNum: q.App, Path: q.Args[0], Args: q.Args, Dir: q.Dir,
			Env:    append(os.Environ(), q.Env...),
			Stdout: &channel{a.out, outputHead(q.Rank, 1)}, Stderr: &channel{a.out, outputHead(q.Rank, 2)}}
		if !q.MustDir {
			if st, err := os.Stat(q.Dir); err != nil || !st.IsDir() {
				sp.Dir = ""
			}
		}
		if p.Bind {
			sp.Pin, sp.CPU = true, cpus[i]
		}
		if q.Rank == 0 && p.Input {
			r, w := io.Pipe()
			sp.Stdin, a.input = r, w
		}
		s.Procs = append(s.Procs, sp)
	}
	return s
}

// channel is an output of a rank.
type channel struct {
	out  *sender
	head []byte
}

func (c *channel) Write(text []byte) (int, error) {
	if err := c.out.sendSlow(appendFrame(nil, kindOutput, c.head, text)); err != nil {
		return 0, err
	}
	return len(text), nil
}
