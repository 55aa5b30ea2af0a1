package shm

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/awake"
	"github.com/gofabric/gofabric/internal/testx/standstill"
	"github.com/gofabric/gofabric/mr"
)

// roles are what this program does when a test starts it again.
var roles = map[string]func(c *child){}

const (
	roleVar = "GOFABRIC_SHM_ROLE"
	argsVar = "GOFABRIC_SHM_ARGS"
)

func init() { RunChild = runChild }

func runChild() {
	role := roles[os.Getenv(roleVar)]
	if role == nil {
		return
	}
	c := &child{in: bufio.NewReader(os.Stdin)}
	if a := os.Getenv(argsVar); a != "" {
		c.args = strings.Split(a, "\n")
	}
	role(c)
	os.Exit(0)
}

// child is the child's side of a conversation in lines.
type child struct {
	args []string
	in   *bufio.Reader
}

func (c *child) say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// hear waits for a line; the process ends with its parent.
func (c *child) hear() string {
	l, err := c.in.ReadString('\n')
	if err != nil {
		os.Exit(0)
	}
	return strings.TrimSuffix(l, "\n")
}

func (c *child) arg(i int) string {
	if i < len(c.args) {
		return c.args[i]
	}
	return ""
}

func (c *child) must(err error) {
	if err != nil {
		c.say("failed: %v", err)
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

// proc is a child as its parent sees it.
type proc struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// spawn starts this program in a role. It is killed at the end of the test.
func spawn(t testing.TB, role string, env []string, args ...string) *proc {
	t.Helper()
	p := &proc{t: t, cmd: exec.Command("/proc/self/exe")}
	p.cmd.Env = append(append(os.Environ(), roleVar+"="+role, argsVar+"="+strings.Join(args, "\n")), env...)
	p.cmd.Stderr = os.Stderr
	return p.start()
}

func (p *proc) start() *proc {
	p.t.Helper()
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		p.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(p.kill)
	return p
}

func (p *proc) signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Error(err)
	}
}

// kill ends the process and waits for it.
func (p *proc) kill() {
	p.cmd.Process.Kill()
	p.in.Close()
	p.cmd.Wait()
}

func (p *proc) say(format string, args ...any) { fmt.Fprintf(p.in, format+"\n", args...) }

// hear gives the next line that the child says.
func (p *proc) hear() string {
	p.t.Helper()
	l, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("child: %q, %v", l, err)
	}
	l = strings.TrimSuffix(l, "\n")
	if strings.HasPrefix(l, "failed: ") {
		p.t.Fatal("child ", l)
	}
	return l
}

const (
	sharedKey = 1 // memory of mr.Alloc
	heapKey   = 2
	peerMem   = 8 << 20
)

// The peer opens an endpoint (argument 1: its name, or none) and two regions, and says its address. What it does then
// is argument 0: "idle" never touches the library again, "sink" receives and forgets, "echo" sends back to whoever has
// said its address in a message of tag 1, "close" sinks until it is told to close.
func init() {
	roles["peer"] = func(c *child) {
		env := map[string]string{}
		for _, v := range os.Environ() {
			if k, v, _ := strings.Cut(v, "="); strings.HasPrefix(k, "FI_SHM_") {
				env[k] = v
			}
		}
		n, err := open(opt{name: c.arg(1), env: env, manual: c.arg(2) == "manual"})
		c.must(err)
		shared, err := mr.Alloc(peerMem)
		c.must(err)
		const rights = fi.AccessRemoteRead | fi.AccessRemoteWrite
		_, err = n.d.RegisterMR(shared.Bytes(), rights, &fi.MRAttr{Key: sharedKey})
		c.must(err)
		_, err = n.d.RegisterMR(make([]byte, peerMem), rights, &fi.MRAttr{Key: heapKey})
		c.must(err)
		c.say("%s", n.addr)
		switch c.arg(0) {
		case "idle":
			for {
				c.hear()
			}
		case "sink", "echo", "close":
			go n.serve(c.arg(0) == "echo")
			for {
				switch c.hear() {
				case "close":
					n.ep.Close()
					os.Exit(0)
				}
			}
		}
	}
}

// serve receives for ever.
func (n *node) serve(echo bool) {
	type slot struct {
		buf []byte
	}
	post := func(s *slot) { n.ep.TRecv(s.buf, fi.AddrUnspec, 0, ^uint64(0), s) }
	for range 16 {
		post(&slot{make([]byte, 2<<20)})
	}
	to := fi.AddrUnspec
	var es [16]cq.Entry
	for {
		k, err := n.q.SRead(context.Background(), es[:])
		if err == fi.ErrAvail { //nolint:errorlint // documented: a bare value
			var ee cq.ErrEntry
			n.q.ReadErr(&ee)
			if s, ok := ee.Context.(*slot); ok && ee.Flags&fi.CompRecv != 0 {
				post(s)
			}
		}
		for _, e := range es[:k] {
			s, ok := e.Context.(*slot)
			if !ok || e.Flags&fi.CompRecv == 0 {
				if ok { // the echo has left
					post(s)
				}
				continue
			}
			switch {
			case echo && e.Tag == 1:
				var out [1]fi.Addr
				n.av.Insert([][]byte{append([]byte(nil), s.buf[:e.Len]...)}, out[:], 0)
				to = out[0]
				post(s)
			case echo:
				for n.ep.TSend(s.buf[:e.Len], to, e.Tag, s) == fi.ErrAgain {
					n.q.Read(nil) //nolint:errcheck // only drives
				}
			default:
				post(s)
			}
		}
	}
}

// peer starts a peer and gives it and its address.
func peer(t testing.TB, env []string, args ...string) (*proc, []byte) {
	t.Helper()
	p := spawn(t, "peer", env, args...)
	return p, []byte(p.hear())
}

// stop stops the process, and returns when it stands still.
func (p *proc) stop() {
	p.t.Helper()
	standstill.Stop(p.t, p.cmd.Process)
}

// within fails the test when f took longer.
func within(t testing.TB, what string, limit time.Duration, f func()) {
	t.Helper()
	took := awake.Watch()
	defer func() {
		t.Helper()
		if took := took(); took > limit {
			t.Errorf("%s took %v, at most %v is right", what, took, limit)
		}
	}()
	f()
}
