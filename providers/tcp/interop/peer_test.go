package interop_test

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// patience bounds every wait of these tests.
const patience = 30 * time.Second

// cPeer is a process of C libfabric.
type cPeer struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     chan string
	pending []string // lines that nobody has wanted yet
	errors  strings.Builder
	ended   bool
	ids     int
	stop    sync.Once
}

// startPeer starts one: kind is rdm, msg or msg-shared; at a port of 127.0.0.1, or host:port; mode offset or virtual.
func startPeer(t *testing.T, kind, provider, at, mode string, env ...string) *cPeer {
	t.Helper()
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		host, port = "127.0.0.1", at
	}
	p := &cPeer{t: t, cmd: exec.Command(peerProgram(t), kind, provider, host, port, mode), out: make(chan string, 1024)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = &p.errors
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.out)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<16)
		for lines.Scan() {
			p.out <- lines.Text()
		}
	}()
	t.Cleanup(p.end)
	p.want("ready")
	return p
}

// end ends the process, by force if it does not go by itself.
func (p *cPeer) end() {
	p.stop.Do(func() {
		io.WriteString(p.in, "quit\n") //nolint:errcheck // it may have gone
		p.in.Close()                   //nolint:errcheck // it may have gone
		late := time.AfterFunc(patience, func() { p.cmd.Process.Kill() })
		for range p.out { // until it closes its output
		}
		late.Stop()
		err := p.cmd.Wait()
		if p.t.Failed() || err != nil && !p.ended {
			last := p.pending[max(0, len(p.pending)-10):]
			p.t.Logf("C peer: %v\n%s\nnot asked for, the last ones: %q", err, p.errors.String(), last)
		}
		if err != nil && !p.ended {
			p.t.Errorf("the C peer ended with %v", err)
		}
	})
}

// kill ends the process at once.
func (p *cPeer) kill() {
	p.ended = true
	p.cmd.Process.Kill() //nolint:errcheck // it may have gone
	p.end()
}

// do gives the peer a command.
func (p *cPeer) do(format string, args ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		p.t.Fatalf("C peer: %v\n%s", err, p.errors.String())
	}
}

// id numbers an operation.
func (p *cPeer) id() int {
	p.ids++
	return p.ids
}

// want waits for the next line that begins with these words and gives those behind them.
func (p *cPeer) want(words ...any) []string {
	p.t.Helper()
	return p.wantWithin(patience, words...)
}

func (p *cPeer) wantWithin(d time.Duration, words ...any) []string {
	p.t.Helper()
	rest, ok := p.within(d, words...)
	if !ok {
		p.t.Fatalf("C peer: no line %q\n%s", strings.Trim(fmt.Sprintln(words...), "\n"), p.errors.String())
	}
	return rest
}

// within is want that may fail.
func (p *cPeer) within(d time.Duration, words ...any) ([]string, bool) {
	p.t.Helper()
	start := strings.TrimSuffix(fmt.Sprintln(words...), "\n")
	for i, line := range p.pending {
		if line == start || strings.HasPrefix(line, start+" ") {
			p.pending = append(p.pending[:i:i], p.pending[i+1:]...)
			return strings.Fields(line[len(start):]), true
		}
	}
	late := time.After(d)
	for {
		select {
		case line, ok := <-p.out:
			switch {
			case !ok:
				p.t.Fatalf("C peer: it has ended; it was to say %q\n%s", start, p.errors.String())
			case line == start || strings.HasPrefix(line, start+" "):
				return strings.Fields(line[len(start):]), true
			case strings.HasPrefix(line, "fatal") || strings.HasPrefix(line, "refused"):
				p.t.Fatalf("C peer: %s", line)
			}
			p.pending = append(p.pending, line)
		case <-late:
			return nil, false
		}
	}
}

// name is the peer's address.
func (p *cPeer) name() []byte {
	p.t.Helper()
	p.do("name")
	raw, err := hex.DecodeString(p.want("name")[0])
	if err != nil {
		p.t.Fatal(err)
	}
	return raw
}

// insert makes an address known to the peer and gives its number there.
func (p *cPeer) insert(raw []byte) int {
	p.t.Helper()
	p.do("insert hex=%x", raw)
	n, err := strconv.Atoi(p.want("addr")[0])
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// start gives a command that posts an operation, and waits until it is accepted.
func (p *cPeer) start(verb, format string, args ...any) int {
	p.t.Helper()
	id := p.begin(verb, format, args...)
	p.want("posted", id)
	return id
}

// begin is start that does not wait: what is sent first is accepted only when the peer is connected.
func (p *cPeer) begin(verb, format string, args ...any) int {
	p.t.Helper()
	id := p.id()
	p.do("%s %d %s", verb, id, fmt.Sprintf(format, args...))
	return id
}

// completion is what the peer tells of an operation.
type completion struct {
	flags     fi.CompFlags
	n         int
	data, tag uint64
	src       int64
	wrong     int // the first byte that is not as it was sent; -1 for none
	at        int // in a multi-receive buffer
}

// done waits for a completion without error, and checks the data.
func (p *cPeer) done(id int) completion {
	p.t.Helper()
	w := p.want("done", id)
	var c completion
	if _, err := fmt.Sscanf(strings.Join(w, " "), "%x %d %x %x %d %d %d", &c.flags, &c.n, &c.data, &c.tag, &c.src, &c.wrong, &c.at); err != nil {
		p.t.Fatalf("%q: %v", w, err)
	}
	if c.wrong >= 0 {
		p.t.Fatalf("C peer: byte %d of %d is wrong", c.wrong, c.n)
	}
	return c
}

// failed waits for a completion in error and gives its number.
func (p *cPeer) failed(id int) fi.Errno {
	p.t.Helper()
	n, err := strconv.Atoi(p.want("failed", id)[0])
	if err != nil {
		p.t.Fatal(err)
	}
	return fi.Errno(n)
}

// region registers memory at the peer: its number, and what others call it.
func (p *cPeer) region(n int, seed, key uint64, virtual bool) (id int, addr, realKey uint64) {
	p.t.Helper()
	id = p.id()
	p.do("mr %d len=%d seed=%d key=%d access=rw", id, n, seed, key)
	w := p.want("region", id)
	var at uint64
	if _, err := fmt.Sscanf(strings.Join(w, " "), "%x %x", &realKey, &at); err != nil {
		p.t.Fatal(err)
	}
	if virtual {
		addr = at
	}
	return id, addr, realKey
}

// check looks whether a part of a region is as it should be.
func (p *cPeer) check(id, off, n int, seed uint64) {
	p.t.Helper()
	p.do("check %d off=%d len=%d seed=%d", id, off, n, seed)
	if w := p.want("checked", id); w[0] != "-1" {
		p.t.Fatalf("C peer: byte %s of %d at %d of its region is wrong", w[0], n, off)
	}
}
