package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gofabric/gofabric/pmi/server"
)

// remote is a host of the job, this one among them, as mpirun sees it.
type remote struct {
	launch *launch
	name   string
	here   bool // the agent is started without -launcher-exec
	part   part
	ranks  map[int]bool

	cmd *exec.Cmd
	in  io.WriteCloser
	out *sender
	r   *bufio.Reader

	// Guarded by the launch's mu.
	connected bool
	arrived   bool // all its ranks are in the fence
	left      bool // none takes part in fences any more
	ended     bool
}

// noAgent is the error of a host whose agent did not greet.
type noAgent struct {
	status int
	err    error
}

func (e *noAgent) Error() string { return e.err.Error() }

// run starts the agent and serves it until it has ended.
func (h *remote) run() {
	l := h.launch
	defer l.gone(h)
	if err := h.connect(); err != nil {
		l.fail(server.Failure{Rank: -1, Status: exitLost, Text: fmt.Sprintf("host %s: %v", h.name, err)}, true)
		return
	}
	orderly, err := h.serve()
	h.out.close()
	if !orderly {
		h.in.Close()
		h.cmd.Process.Kill() //nolint:errcheck // it may be gone
	}
	<-h.out.done
	h.in.Close()
	h.cmd.Wait() //nolint:errcheck // what it has to say is in its frames
	if !orderly {
		l.fail(server.Failure{Rank: -1, Status: exitLost, Text: fmt.Sprintf("host %s: its agent is lost, and its ranks with it (%v)", h.name, err)}, !l.c.keep)
	}
}

// connect starts the agent, on other hosts several times: names may not be known yet when a cluster comes up.
func (h *remote) connect() error {
	l := h.launch
	end := time.Now().Add(l.c.patience)
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 4*time.Second) {
		err := h.try()
		failed, again := errors.AsType[*noAgent](err)
		if !again || h.here || failed.status != 255 || time.Now().Add(wait).After(end) { // 255 is ssh's own failure
			return err
		}
		l.say(fmt.Sprintf("host %s: %v; trying again", h.name, err))
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-l.stopping:
			t.Stop()
			return err
		}
	}
}

// try starts the agent once.
func (h *remote) try() error {
	l := h.launch
	cmd, err := l.agentCommand(h)
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	l.mu.Lock()
	if l.ending { // what is started now would be overlooked
		l.mu.Unlock()
		return errors.New("the job has ended")
	}
	if err := cmd.Start(); err != nil {
		l.mu.Unlock()
		return fmt.Errorf("the agent cannot be started: %w", err)
	}
	h.cmd = cmd
	l.mu.Unlock()
	s := newSender(in)
	s.send([]byte(l.token + "\n"))
	s.send(jsonFrame(kindStart, h.part))
	r := bufio.NewReaderSize(out, 64<<10)
	if err := h.greeted(r); err != nil {
		s.close()
		in.Close()
		cmd.Process.Kill() //nolint:errcheck // it may be gone
		<-s.done
		cmd.Wait() //nolint:errcheck // the status is looked at below
		return &noAgent{cmd.ProcessState.ExitCode(), fmt.Errorf("%s did not start the agent (status %d, %w)", cmd.Path, cmd.ProcessState.ExitCode(), err)}
	}
	h.in, h.out, h.r = in, s, r
	l.joined(h)
	return nil
}

// greeted waits for the token. What a login shell says before is shown, and never taken for an agent's.
func (h *remote) greeted(r *bufio.Reader) error {
	want := greeting + h.launch.token
	for range 10_000 {
		line, err := r.ReadString('\n')
		if text, ok := strings.CutSuffix(line, want+"\n"); ok {
			if text != "" {
				h.launch.say(fmt.Sprintf("host %s says: %s", h.name, text))
			}
			return nil
		}
		if strings.TrimSpace(line) != "" {
			h.launch.say(fmt.Sprintf("host %s says: %s", h.name, strings.TrimSpace(line)))
		}
		if err != nil {
			return err
		}
	}
	return errors.New("too much text before the agent's")
}

// serve hears the agent out; orderly says that it came to its end.
func (h *remote) serve() (orderly bool, err error) {
	l := h.launch
	for {
		k, body, err := readFrame(h.r)
		if err != nil {
			return false, err
		}
		switch k {
		case kindStarted:
			if h.part.Input {
				go l.feed(h)
			}
		case kindFence:
			puts := map[string]string{}
			if err := json.Unmarshal(body, &puts); err != nil {
				return false, err
			}
			l.fence(h, puts)
		case kindLeft:
			l.leave(h)
		case kindOutput:
			rank, stream, text, err := splitOutput(body)
			if err == nil && !h.ranks[rank] {
				err = fmt.Errorf("output of rank %d, which is not there", rank)
			}
			if err != nil {
				return false, err
			}
			l.outputs.write(rank, stream, text)
		case kindWant:
			select {
			case l.wanted <- struct{}{}:
			default: // nobody asked
			}
		case kindNote:
			l.say(string(body))
		case kindFailed, kindEnd:
			var f failure
			if err := json.Unmarshal(body, &f); err != nil {
				return false, err
			}
			if f.NotFound {
				f.Status = exitNotFound
			}
			if f.Status != 0 {
				l.fail(f.Failure, !l.c.keep || f.Abort || f.Rank < 0)
			}
			if k == kindEnd {
				return true, nil
			}
		default:
			return false, fmt.Errorf("frame of unknown kind %q", k)
		}
	}
}
