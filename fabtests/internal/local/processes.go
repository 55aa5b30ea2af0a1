package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/internal/freeport"
)

// sideVar tells a child which side of which count it is: "0/2" is the server of a pair.
const sideVar = "FABTESTS_SIDE"

// commandVar tells a child the command line of the process that started it.
const commandVar = "FABTESTS_COMMAND"

// Command is the command line to run again: that of the parent, when another fabtests started this process, else our own.
func Command() string {
	if c := os.Getenv(commandVar); c != "" && os.Getenv(sideVar) != "" {
		return c
	}
	return fail.CommandLine(append([]string{"fabtests"}, os.Args[1:]...))
}

// grace is how long the other sides get to end by themselves when one has ended.
const grace = 2 * time.Second

// ChildOf reads from the environment which side this process is, when another fabtests started it.
func ChildOf() (options.Child, error) {
	v := os.Getenv(sideVar)
	if v == "" {
		return options.Child{}, nil
	}
	c := options.Child{On: true}
	if _, err := fmt.Sscanf(v, "%d/%d", &c.Rank, &c.Count); err != nil || c.Rank < 0 || c.Rank >= c.Count {
		return c, &fail.Usage{Text: sideVar + " is for processes that fabtests starts itself", Next: "unset " + sideVar}
	}
	return c, nil
}

type child struct {
	cmd  *exec.Cmd
	rank int
	done chan struct{} // closed when all output has been read and the process has ended
	err  error
}

func (c *child) kill() { KillGroup(c.cmd.Process) }

// processes starts each side as a process of its own.
func (j *Job) processes(ctx context.Context, row func(perf.Row)) error {
	runtime.LockOSThread() // children die with the thread that started them
	defer runtime.UnlockOSThread()
	self, err := os.Executable()
	if err != nil {
		return fail.Call("exec", err)
	}
	memory, err := j.share()
	if err != nil {
		return err
	}
	defer memory.close()
	port := freeport.Find()
	common, err := j.commonArgs()
	if err != nil {
		return err
	}
	var children []*child
	errOut := &shared{w: j.Err}
	defer func() {
		if ctx.Err() != nil { // what one side says of the end of another is no news
			errOut.mute()
		}
		for _, c := range children {
			c.kill()
		}
		for _, c := range children {
			<-c.done
		}
	}()
	host := j.host(ctx)
	cpus := j.processors()
	ready := make(chan struct{})
	isReady := sync.OnceFunc(func() { close(ready) })
	for rank := range j.sides() {
		args := append([]string{j.Scenario.Name}, common...)
		if cpus != nil {
			args = append(args, "--pin-core", strconv.Itoa(cpus[rank]))
		}
		if j.Scenario.Sides == scenario.Pair && rank == 1 {
			args = append(args, "--dst-port", port, host)
		} else {
			args = append(args, "--src-port", port)
			if host != loopback { // a server at any address is one of IPv4
				args = append(args, "--source", host)
			}
		}
		c, err := j.start(self, args, rank, memory, errOut, row, isReady)
		if err != nil {
			return err
		}
		children = append(children, c)
		if j.Scenario.Sides == scenario.Pair && rank == 0 && !j.Scenario.NoInfo {
			select {
			case <-ready:
			case <-c.done: // it failed; its error is the one to report
				return j.verdict(children)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return j.await(ctx, children)
}

// commonArgs are the arguments of all children.
func (j *Job) commonArgs() ([]string, error) {
	args := append([]string{}, j.Args...)
	if j.Provider != "" {
		args = append(args, "--provider", j.Provider)
	}
	if j.Opt.OOBAddr || j.Scenario.OOB {
		name := "--oob-address="
		if j.Opt.OOBSync || j.Scenario.OOB {
			name = "--oob="
		}
		args = append(args, name+freeport.Find(), "--oob-host", "127.0.0.1")
	}
	return args, nil
}

func (j *Job) start(self string, args []string, rank int, memory *sharedMemory, errOut io.Writer, row func(perf.Row), ready func()) (*child, error) {
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d/%d", sideVar, rank, j.sides()))
	if len(j.Command) > 0 {
		cmd.Env = append(cmd.Env, commandVar+"="+fail.CommandLine(j.Command))
	}
	if os.Getenv("GOMAXPROCS") == "" || os.Getenv("GOMAXPROCS") == "1" {
		cmd.Env = append(cmd.Env, "GOMAXPROCS=2")
	}
	if j.Opt.Road != "" {
		cmd.Env = append(cmd.Env, "FI_SHM_ROAD="+j.Opt.Road)
	}
	cmd.ExtraFiles = memory.files()
	cmd.SysProcAttr = Attributes()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fail.Call("pipe", err)
	}
	shown := rank == j.sides()-1
	if j.Scenario.Sides == scenario.Group {
		shown = rank == 0
	}
	out := j.Out
	if !shown {
		row = func(perf.Row) {}
		errOut = &prefixer{w: errOut, prefix: j.side(rank) + ": "}
		out = io.Discard
		if j.Opt.Both {
			out = &prefixer{w: j.Out, prefix: j.side(rank) + ": "}
		}
	}
	cmd.Stderr = errOut
	if err := cmd.Start(); err != nil {
		return nil, fail.Call("exec", err)
	}
	c := &child{cmd: cmd, rank: rank, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		follow(stdout, out, row, ready)
		c.err = cmd.Wait()
	}()
	return c, nil
}

// await waits until all have ended. When one has failed, or the client is done, the others get a moment.
func (j *Job) await(ctx context.Context, children []*child) error {
	ended := make(chan *child, len(children))
	for _, c := range children {
		go func() {
			<-c.done
			ended <- c
		}()
	}
	var limit <-chan time.Time
	for range children {
		select {
		case <-ended:
			if limit == nil {
				limit = time.After(grace)
			}
		case <-limit:
			late := ""
			for _, c := range children {
				select {
				case <-c.done:
				default:
					late = j.side(c.rank)
					c.kill()
				}
			}
			if err := j.verdict(children); err != nil {
				return err
			}
			return fmt.Errorf("the %s did not end", late)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return j.verdict(children)
}

// verdict is the error of the client, else of another side that has ended.
func (j *Job) verdict(children []*child) error {
	for i := len(children) - 1; i >= 0; i-- {
		c := children[i]
		select {
		case <-c.done:
		default:
			continue
		}
		if c.err == nil {
			continue
		}
		code := 1
		if e, ok := errors.AsType[*exec.ExitError](c.err); ok && e.ExitCode() > 0 {
			code = e.ExitCode()
		} else {
			fmt.Fprintf(j.Err, "fabtests: the %s: %v\n", j.side(c.rank), c.err)
		}
		return &Exit{Who: "the " + j.side(c.rank), Code: code}
	}
	return nil
}
