package faults

import (
	"io"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/standstill"
	"github.com/gofabric/gofabric/mr"
)

// remote is an agent as a test sees it.
type remote struct {
	t      *testing.T
	cmd    *exec.Cmd
	c      *rpc.Client
	name   []byte
	at     mr.Remote
	killed bool
}

// text is the address of a side for Setup.
func text(addr string, port int) string { return "fi_sockaddr_in://" + addr + ":" + strconv.Itoa(port) }

// start runs an agent in the namespace and opens its endpoint. It ends with the test; what it then has left is an error.
func (n *namespace) start(t *testing.T, s Setup) *remote {
	t.Helper()
	r := n.launch(t)
	r.open(s)
	return r
}

func (n *namespace) launch(t *testing.T) *remote {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	cmd := exec.Command("nsenter", "-t", strconv.Itoa(n.pid), "-n", "--", self)
	cmd.Env = append(os.Environ(), agentVariable+"=peer")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	r := &remote{t: t, cmd: cmd, c: jsonrpc.NewClient(struct {
		io.Reader
		io.WriteCloser
	}{out, in})}
	t.Cleanup(r.end)
	return r
}

func (r *remote) open(s Setup) {
	r.t.Helper()
	var o Opened
	r.call("Open", s, &o)
	r.name, r.at = o.Name, o.Remote
}

// end closes the agent, and looks at what it has left.
func (r *remote) end() {
	if !r.killed {
		r.signal(syscall.SIGCONT) // a test that has failed may have left it stopped
		var left Stats
		r.call("Close", struct{}{}, &left)
		if left.Descriptors > 2 || left.Goroutines > 2 { // the runtime keeps its poller
			r.t.Errorf("an agent leaves %d descriptors and %d goroutines", left.Descriptors, left.Goroutines)
		}
	}
	r.c.Close()
	r.cmd.Wait() //nolint:errcheck // it has ended, however
}

// call calls a method, and does not wait for ever.
func (r *remote) call(method string, in, out any) {
	r.t.Helper()
	r.wait(r.c.Go("Agent."+method, in, out, nil), 4*patient)
}

func (r *remote) wait(c *rpc.Call, most time.Duration) {
	r.t.Helper()
	select {
	case <-c.Done:
		if c.Error != nil {
			r.t.Fatalf("%s: %v", c.ServiceMethod, c.Error)
		}
	case <-time.After(most):
		r.kill()
		r.t.Fatalf("%s: no answer in %v", c.ServiceMethod, most)
	}
}

func (r *remote) insert(of *remote) (a fi.Addr) {
	r.t.Helper()
	r.call("Insert", of.name, &a)
	return a
}

func (r *remote) stats() (s Stats) {
	r.t.Helper()
	r.call("Stats", struct{}{}, &s)
	return s
}

// job is work under way.
type job struct {
	r    *remote
	c    *rpc.Call
	w    Work
	done Report
}

// begin starts some work.
func (r *remote) begin(w Work) *job {
	if w.Limit == 0 {
		w.Limit = patient
	}
	j := &job{r: r, w: w}
	j.c = r.c.Go("Agent.Run", w, &j.done, nil)
	return j
}

// report waits for its end: every operation must have completed, once, with the right data.
func (j *job) report() *Report {
	j.r.t.Helper()
	j.r.wait(j.c, j.w.Limit+patient)
	d := &j.done
	if d.Twice > 0 || d.Wrong > 0 || d.open() > 0 {
		j.r.t.Fatalf("%d operations are open after %v, %d completed twice, %d have wrong data: %+v", d.open(), d.Took, d.Twice, d.Wrong, d)
	}
	return d
}

// well is report of work that must not fail.
func (j *job) well() {
	j.r.t.Helper()
	if d := j.report(); d.failed() > 0 {
		j.r.t.Fatalf("%v: %s", d.Errors, d.Text)
	}
}

func (r *remote) signal(s syscall.Signal) {
	r.t.Helper()
	check(r.t, r.cmd.Process.Signal(s))
}

// stop stops the agent, and returns when it stands still.
func (r *remote) stop() {
	r.t.Helper()
	standstill.Stop(r.t, r.cmd.Process)
}

// kill ends the agent without a word.
func (r *remote) kill() {
	r.killed = true
	r.cmd.Process.Signal(syscall.SIGKILL) //nolint:errcheck // it has ended already
	r.cmd.Wait()                          //nolint:errcheck // it was killed
}

func peerOf(i int) fi.Addr { return fi.Addr(i) }

// busy measures what part of a processor the agent takes meanwhile.
func (r *remote) busy(d time.Duration) float64 {
	r.t.Helper()
	start, before := time.Now(), r.stats().CPU
	<-time.After(d)
	used := r.stats().CPU - before
	return float64(used) / float64(time.Since(start))
}
