package shm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// spy is the provider; it keeps the domain that was opened last.
type spy struct {
	*Provider
	dom *domain
}

func (s *spy) OpenFabric(info *fi.Info) (driver.Fabric, error) {
	f, err := s.Provider.OpenFabric(info)
	return &spyFabric{f, s}, err
}

type spyFabric struct {
	driver.Fabric
	s *spy
}

func (f *spyFabric) OpenDomain(info *fi.Info) (driver.Domain, error) {
	d, err := f.Fabric.OpenDomain(info)
	if err == nil {
		f.s.dom = d.(*domain)
	}
	return d, err
}

// opt says how a node is opened.
type opt struct {
	env     map[string]string
	name    string
	manual  bool
	domain  bool // FI_THREAD_DOMAIN
	cq      *fi.CQAttr
	caps    fi.Caps
	dgram   bool  // FI_EP_DGRAM
	sharing *node // open the endpoint in the domain of this one
}

const allCaps = fi.CapMsg | fi.CapTagged | fi.CapRMA | fi.CapAtomic

// node is what a process of an application has.
type node struct {
	f    *fabric.Fabric
	d    *fabric.Domain
	q    *fabric.CQ
	av   *fabric.AV
	ep   *fabric.Endpoint
	dom  *domain
	drv  *endpoint
	addr []byte

	share bool
	ents  [64]cq.Entry
}

// open opens a node, or says why not.
func open(o opt) (*node, error) {
	env := func(k string) (string, bool) { v, ok := o.env[k]; return v, ok }
	s := &spy{Provider: NewEnv(env)}
	opts := []fabric.Option{fabric.WithRegistry(fabric.NewRegistry(s)), fabric.WithEnv(env)}
	if o.name != "" {
		opts = append(opts, fabric.WithNode("", o.name), fabric.WithFlags(fi.InfoSource))
	}
	h := &fi.Hints{Caps: o.caps, Domain: &fi.DomainAttr{Threading: fi.ThreadSafe, Progress: fi.ProgressAuto}}
	if h.Caps == 0 {
		h.Caps = allCaps
	}
	if o.dgram {
		h.Caps, h.EP = fi.CapMsg|fi.CapTagged, &fi.EPAttr{Type: fi.EPDgram}
	}
	if o.domain {
		h.Domain.Threading = fi.ThreadDomain
	}
	if o.manual {
		h.Domain.Progress = fi.ProgressManual
	}
	infos, err := fabric.GetInfo(context.Background(), h, opts...)
	if err != nil {
		return nil, err
	}
	n := &node{}
	if o.sharing != nil {
		n.f, n.d, n.dom, n.share = o.sharing.f, o.sharing.d, o.sharing.dom, true
	} else {
		if n.f, err = fabric.Open(infos[0], opts...); err != nil {
			return nil, err
		}
		if n.d, err = n.f.OpenDomain(infos[0]); err != nil {
			return nil, errors.Join(err, n.f.Close())
		}
		n.dom = s.dom
	}
	if n.q, err = n.d.OpenCQ(o.cq); err == nil {
		if n.av, err = n.d.OpenAV(nil); err == nil {
			n.ep, err = n.d.OpenEndpoint(infos[0])
		}
	}
	if err == nil {
		err = errors.Join(n.ep.BindCQ(n.q, fi.BindTransmit|fi.BindRecv), n.ep.BindAV(n.av), n.ep.Enable())
	}
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	n.addr, _ = n.ep.Name()
	n.dom.eng.Lock()
	for e := range n.dom.endpoints {
		if prefix+e.name == string(n.addr) {
			n.drv = e
		}
	}
	n.dom.eng.Unlock()
	return n, nil
}

func (n *node) close() error {
	var errs []error
	if n.ep != nil {
		errs = append(errs, n.ep.Close())
	}
	if n.av != nil {
		errs = append(errs, n.av.Close())
	}
	if n.q != nil {
		errs = append(errs, n.q.Close())
	}
	if !n.share {
		errs = append(errs, n.d.Close(), n.f.Close())
	}
	return errors.Join(errs...)
}

// closeEndpoint closes the endpoint only, before the rest.
func (n *node) closeEndpoint() error {
	ep := n.ep
	n.ep = nil
	return ep.Close()
}

// newNode opens a node that is closed at the end of the test.
func newNode(t testing.TB, o opt) *node {
	t.Helper()
	n, err := open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		within(t, "closing, with the state:"+n.state(), soon, func() {
			if err := n.close(); err != nil {
				t.Error("closing a node:", err)
			}
		})
	})
	return n
}

// insert makes an address known.
func (n *node) insert(t testing.TB, raw []byte) fi.Addr {
	t.Helper()
	var out [1]fi.Addr
	if _, err := n.av.Insert([][]byte{raw}, out[:], 0); err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// comp is a completion of any kind.
type comp struct {
	cq.Entry
	err  fi.Errno
	text string
}

// read takes one completion if there is one.
func (n *node) read() (c comp, ok bool) {
	var e [1]cq.Entry
	k, err := n.q.Read(e[:])
	return n.got(e[0], k, err)
}

func (n *node) got(e cq.Entry, k int, err error) (c comp, ok bool) {
	if k == 1 {
		return comp{Entry: e}, true
	}
	if err == fi.ErrAvail { //nolint:errorlint // documented: a bare value
		var ee cq.ErrEntry
		if n.q.ReadErr(&ee) == nil {
			return comp{ee.Entry, ee.Err, ee.Text}, true
		}
	}
	return c, false
}

const patient = 30 * time.Second

// wait blocks until a completion comes.
func (n *node) wait(t testing.TB) comp {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), patient)
	defer stop()
	for {
		var e [1]cq.Entry
		k, err := n.q.SRead(ctx, e[:])
		if c, ok := n.got(e[0], k, err); ok {
			return c
		}
		if ctx.Err() != nil {
			t.Fatal("no completion came; state:", n.state())
		}
	}
}

// waitOK is wait for a success.
func (n *node) waitOK(t testing.TB) comp {
	t.Helper()
	c := n.wait(t)
	if c.err != 0 {
		t.Fatalf("completion in error: %v: %s (flags %v)", c.err, c.text, c.Flags)
	}
	return c
}

// must retries a post as long as it says fi.ErrAgain, driving the node meanwhile.
func (n *node) must(t testing.TB, post func() error) {
	t.Helper()
	end := time.Now().Add(patient)
	for i := 0; ; i++ {
		err := post()
		if err == nil {
			return
		}
		if err != fi.ErrAgain || i%1024 == 0 && time.Now().After(end) { //nolint:errorlint // documented: a bare value
			t.Fatal("post:", err)
		}
		n.q.Read(nil) //nolint:errcheck // only drives
		if i%256 == 0 {
			runtime.Gosched()
		}
	}
}

// pairWith gives our pair with a peer, with the lock held for f.
func (n *node) locked(f func()) {
	n.dom.eng.Lock()
	defer n.dom.eng.Unlock()
	f()
}

// state describes what is not finished.
func (n *node) state() string {
	var out string
	n.locked(func() { out = busy(n.dom) })
	return out
}

// idle drives the node until nothing is unfinished and says what is if that does not happen: the counters by which the
// provider decides whether there is work are all exact, or they would not come back to zero.
func (n *node) idle(t testing.TB) {
	t.Helper()
	end := time.Now().Add(patient)
	for {
		n.q.Read(nil) //nolint:errcheck // only drives
		s := n.state()
		if s == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatal("not idle:", s)
		}
		runtime.Gosched()
	}
}

// busy says what is unfinished in a domain, or out of balance. With the lock.
func busy(d *domain) string {
	var b bytes.Buffer
	say := func(what string, n int) {
		if n != 0 {
			fmt.Fprintf(&b, " %s %d", what, n)
		}
	}
	out := 0
	for _, p := range d.pairs {
		fmt.Fprintf(&b, "")
		say("inFlight", p.inFlight)
		say("blocking", p.blocking)
		say("waiting", p.waiting)
		say("accesses", p.accesses)
		say("deferred", p.deferred.Len())
		say("outbox", p.outbox.Len())
		say("sending", p.sending.Len())
		say("fetching", p.fetching.Len())
		say("unmapped", len(p.unmapped))
		say("inbound", len(p.inbound))
		say("early", len(p.early))
		say("blocksOut", p.blocksOut)
		say("blocks out", len(p.out))
		say("announced", p.announced)
		say("asked", int(p.asked.Load()))
		say("lanes", int(p.lanes))
		if p.stalled || p.paused || p.resuming || p.holding || p.state != ready {
			fmt.Fprintf(&b, " stalled %v paused %v resuming %v holding %v state %d", p.stalled, p.paused, p.resuming, p.holding, p.state)
		}
		out += p.blocksOut
	}
	for e := range d.endpoints {
		say("liveOps", e.liveOps)
		say("callers", len(e.callers))
		say("unexpected", e.Rx.Msg.Unexpected()+e.Rx.Tag.Unexpected())
		e.calls.mu.Lock()
		say("calls", len(e.calls.to))
		e.calls.mu.Unlock()
		for _, o := range e.ops {
			if o.state != opFree || o.pushing || o.held != nil {
				fmt.Fprintf(&b, " op %d state %d", o.id, o.state)
			}
		}
	}
	say("copying", int(atomic.LoadUint32(&d.src.work.copying)))
	say("stuck", int(atomic.LoadUint32(&d.src.work.stuck)))
	if d.bulk != nil {
		say("lost blocks", poolBlocks-out-len(d.bulk.free))
	}
	return b.String()
}

// pattern fills b so that each place and each seed differ.
func pattern(b []byte, seed int) []byte {
	for i := range b {
		b[i] = byte(i*7 + i>>8*13 + seed*31 + 1)
	}
	return b
}

func alloc(t testing.TB, n int) *mr.Memory {
	t.Helper()
	m, err := mr.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Free(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// region registers memory for everything.
func (n *node) region(t testing.TB, mem []byte, key uint64) *fabric.MR {
	t.Helper()
	r, err := n.d.RegisterMR(mem, fi.AccessRemoteRead|fi.AccessRemoteWrite, &fi.MRAttr{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// held counts what a process holds of the system.
type held struct{ fds, maps, goroutines int }

func holds() held {
	var h held
	if l, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.fds = len(l)
	}
	if m, err := os.ReadFile("/proc/self/maps"); err == nil {
		h.maps = bytes.Count(m, []byte("memfd:gofabric"))
	}
	h.goroutines = runtime.NumGoroutine()
	return h
}

// leaves checks, when the test and what it opened have ended, that nothing is left. Call it first.
func leaves(t testing.TB) {
	t.Helper()
	if r, w, err := os.Pipe(); err == nil { // the runtime's poller
		r.Close()
		w.Close()
	}
	before := holds()
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		end := time.Now().Add(patient)
		for {
			now := holds()
			if now.fds <= before.fds && now.maps <= before.maps && now.goroutines <= before.goroutines {
				return
			}
			if time.Now().After(end) {
				maps, _ := os.ReadFile("/proc/self/maps")
				t.Errorf("left behind: %+v, before %+v", now, before)
				if now.goroutines > before.goroutines {
					buf := make([]byte, 1<<20)
					t.Logf("%s", buf[:runtime.Stack(buf, true)])
				}
				_ = maps
				return
			}
			runtime.Gosched()
		}
	})
}

// eventually drives the nodes until f holds.
func eventually(t testing.TB, what string, f func() bool, nodes ...*node) {
	t.Helper()
	end := time.Now().Add(patient)
	for !f() {
		for _, n := range nodes {
			n.q.Read(nil) //nolint:errcheck // only drives
		}
		runtime.Gosched()
		if time.Now().After(end) {
			var s strings.Builder
			for _, n := range nodes {
				s.WriteString(n.state() + ";")
			}
			t.Fatal("did not happen: ", what, " ", s.String())
		}
	}
}

func remote(key uint64) mr.Remote { return mr.Remote{Key: key} }
