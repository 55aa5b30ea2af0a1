package conformance

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
)

// agentVar tells a process that it is the second one.
const agentVar = "GOFABRIC_CONFORMANCE_AGENT"

var mainCalled bool

// Main is a TestMain for packages that use [TwoProcess]: it runs the tests, or, in the second process, serves the
// first. Unless GOGC is set the garbage collector runs less often than usual. It does not return.
func Main(m *testing.M, p driver.Provider) {
	mainCalled = true
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // the cases make and drop buffers all the time: a sixth of the time was the collector's
	}
	if os.Getenv(agentVar) == "" {
		os.Exit(m.Run())
	}
	out := os.Stdout
	os.Stdout = os.Stderr // the pipe is for answers only
	if err := serveAgent(p, os.Stdin, out); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "conformance: second process:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serveAgent answers until the input ends.
func serveAgent(p driver.Provider, in io.Reader, out io.Writer) error {
	warmUp()
	reg := fabric.NewRegistry(p)
	dec, enc := gob.NewDecoder(in), gob.NewEncoder(out)
	nodes := map[int]*node{}
	var before *state
	for {
		q := new(request)
		if err := dec.Decode(q); err != nil {
			return err
		}
		var a *response
		switch q.Verb {
		case vBaseline:
			before, a = snapshot(), &response{}
			clear(nodes)
		case vLeaks:
			a = &response{Trouble: before.leaks(30 * time.Second)}
		default:
			n := nodes[q.Node]
			if n == nil {
				n = &node{}
				nodes[q.Node] = n
			}
			a = n.serve(reg, q)
		}
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
}

// agent is a second process.
type agent struct {
	cmd  *exec.Cmd
	mu   sync.Mutex // one request at a time
	enc  *gob.Encoder
	dec  *gob.Decoder
	in   io.WriteCloser
	dead error
	next int
}

// startAgent starts the test binary again.
func startAgent() (*agent, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), agentVar+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &agent{cmd: cmd, in: in, enc: gob.NewEncoder(in), dec: gob.NewDecoder(out)}, nil
}

// do sends a request and waits for the answer.
func (a *agent) do(q *request) (*response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead != nil {
		return nil, a.dead
	}
	p := new(response)
	err := a.enc.Encode(q)
	if err == nil {
		err = a.dec.Decode(p)
	}
	if err != nil {
		a.dead = fmt.Errorf("the second process is gone: %w", err)
		return nil, a.dead
	}
	return p, nil
}

// stop ends the process.
func (a *agent) stop() {
	a.in.Close()
	timer := time.AfterFunc(20*time.Second, func() { a.cmd.Process.Kill() })
	a.cmd.Wait()
	timer.Stop()
}

// kill ends it at once, as kill -9 does, and waits until it is gone.
func (a *agent) kill() {
	a.cmd.Process.Kill()
	a.cmd.Wait()
	a.in.Close()
}

// theAgent is the suite's second process, started when it is first needed.
func (s *suite) theAgent() (*agent, error) {
	if s.agent != nil {
		return s.agent, nil
	}
	a, err := startAgent()
	s.agent = a
	return a, err
}

// dropAgent kills a second process that does not answer.
func (s *suite) dropAgent() {
	if s.agent != nil {
		s.agent.kill()
		s.agent = nil
	}
}
