package shm

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

func init() {
	// The gull opens an endpoint for datagrams (argument 0: its name, or none) and receives: it sends back what has a tag
	// below 1<<32 to whoever has said its address in a message of tag 0.
	roles["gull"] = func(c *child) {
		n, err := open(opt{name: c.arg(0), dgram: true, cq: &fi.CQAttr{Format: fi.CQFormatTagged}})
		c.must(err)
		for range 16 {
			b := make([]byte, dgramSize)
			c.must(n.ep.TRecv(b, fi.AddrUnspec, 0, ^uint64(0), &b))
		}
		c.say("%s", n.addr)
		go func() {
			for c.hear() != "close" {
			}
			n.ep.Close()
			c.say("closed")
		}()
		to := fi.AddrUnspec
		for {
			cm, ok := n.read()
			if !ok {
				runtime.Gosched()
				continue
			}
			b, ours := cm.Context.(*[]byte)
			if !ours || cm.err != 0 {
				continue
			}
			var out [1]fi.Addr
			switch {
			case cm.Tag == 0:
				if _, err := n.av.Insert([][]byte{(*b)[:cm.Len]}, out[:], 0); err == nil {
					to = out[0]
				}
			case to != fi.AddrUnspec && cm.Tag < 1<<32:
				for n.ep.TInject((*b)[:min(cm.Len, injectSize)], to, cm.Tag) == fi.ErrAgain { //nolint:errorlint // documented: a bare value
					n.q.Read(nil) //nolint:errcheck // only drives
				}
			}
			n.ep.TRecv(*b, fi.AddrUnspec, 0, ^uint64(0), b)
		}
	}
}

// gull starts a gull and gives it and its address.
func gull(t testing.TB, name string) (*proc, []byte) {
	t.Helper()
	p := spawn(t, "gull", nil, name)
	return p, []byte(p.hear())
}

// echoes sends a datagram until it comes back, as who uses datagrams does.
func (n *node) echoes(t testing.TB, to fi.Addr, tag uint64) {
	t.Helper()
	in, ctx := make([]byte, 64), new(int)
	if err := n.ep.TRecv(in, fi.AddrUnspec, tag, 0, ctx); err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(patient)
	for next := time.Now(); ; runtime.Gosched() {
		if now := time.Now(); now.After(next) {
			next = now.Add(20 * time.Millisecond)
			n.must(t, func() error { return n.ep.TInject(n.addr, to, 0) })
			n.must(t, func() error { return n.ep.TInject(pattern(make([]byte, 40), int(tag)), to, tag) })
			if now.After(end) {
				t.Fatal("no echo")
			}
		}
		if c, ok := n.read(); ok && c.Context == any(ctx) {
			if c.err != 0 || string(in[:c.Len]) != string(pattern(make([]byte, 40), int(tag))) {
				t.Fatalf("the echo has %d bytes, error %v", c.Len, c.err)
			}
			return
		}
	}
}

// rest is idle of a node that may have got more echoes than it waited for; those who send them have ended.
func (n *node) rest(t testing.TB) {
	t.Helper()
	in := make([]byte, dgramSize)
	eventually(t, "nothing is left", func() bool {
		var waits int
		n.locked(func() { waits = n.drv.Rx.Tag.Unexpected() })
		for range waits {
			if err := n.ep.TRecv(in, fi.AddrUnspec, 0, ^uint64(0), nil); err != nil {
				t.Fatal(err)
			}
			n.waitOK(t)
		}
		return n.state() == ""
	}, n)
}

// many sends datagrams of all lengths and sees each complete, once and well. It gives how often that said FI_EAGAIN.
func (n *node) many(t testing.TB, to fi.Addr, count int) (again int) {
	t.Helper()
	ops := &posted{n: n}
	buf := make([]byte, dgramSize)
	for i := range count {
		size := []int{0, 8, 41, 64, 65, 1000, 4096, dgramSize}[i%8]
		if i%256 == 0 {
			ops.reap(t) // its queue has an end, too
		}
		for !ops.post(t, func(ctx any) error {
			if i%3 == 0 {
				return n.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{buf[:size/2], buf[size/2 : size]}, Addr: to, Tag: 1 << 40, Context: ctx, Data: 9}, fi.OpCompletion|fi.OpRemoteCQData)
			}
			return n.ep.TSend(buf[:size], to, 1<<40, ctx)
		}) {
			again++
			ops.reap(t)
		}
	}
	ops.settle(t, "datagrams", soon)
	if ops.errs != 0 || ops.oks != count {
		t.Fatalf("%d of %d are well, %d failed: %s", ops.oks, count, ops.errs, ops.text)
	}
	return again
}

// TestDatagramsToNobody sends to a name that nobody has: each is done at once, nothing is kept of it, and when somebody comes
// the next one gets there.
func TestDatagramsToNobody(t *testing.T) {
	leaves(t)
	n := newNode(t, opt{dgram: true})
	name := fmt.Sprintf("nobody-%d", rand.Uint32())
	to := n.insert(t, []byte(prefix+name))
	before := holds()
	if again := n.many(t, to, 5000); again != 0 {
		t.Errorf("FI_EAGAIN %d times: there is nobody to wait for", again)
	}
	n.locked(func() {
		if e := n.drv; len(e.byName)+len(e.callers)+len(e.ops)+len(n.dom.pairs) != 0 {
			t.Errorf("left: %d names, %d callers, %d operations, %d pairs", len(e.byName), len(e.callers), len(e.ops), len(n.dom.pairs))
		}
	})
	if now := holds(); now.fds > before.fds || now.maps > before.maps {
		t.Errorf("left: %+v, before %+v", now, before)
	}
	late := newNode(t, opt{name: name, dgram: true})
	if err := late.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, nil); err != nil {
		t.Fatal(err)
	}
	n.must(t, func() error { return n.ep.TInject([]byte("at last"), to, 1) })
	if c := late.waitOK(t); c.Len != 7 {
		t.Error(c.Len)
	}
}

// TestDatagramsToStopped stops the receiver, before it is connected with and in the middle. Every datagram completes, who sends
// is held up once, for the time of FI_SHM_DGRAM_WAIT, others are served, and when it runs again it is reached again.
func TestDatagramsToStopped(t *testing.T) {
	leaves(t)
	n, other := newNode(t, opt{dgram: true}), newNode(t, opt{dgram: true})
	toOther := n.insert(t, other.addr)
	for _, met := range []bool{true, false} {
		p, addr := gull(t, "")
		to := n.insert(t, addr)
		if met {
			n.echoes(t, to, 5)
		}
		p.stop()
		within(t, "3000 datagrams to who is stopped", soon, func() { n.many(t, to, 3000) })
		if again := n.many(t, to, 1000); again != 0 {
			t.Errorf("met %v: FI_EAGAIN %d times after it had its time", met, again)
		}
		ctx := new(int)
		if err := other.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 9, 0, ctx); err != nil {
			t.Fatal(err)
		}
		n.must(t, func() error { return n.ep.TInject([]byte("others"), toOther, 9) })
		other.waitOK(t)
		p.signal(syscall.SIGCONT)
		n.echoes(t, to, 6)
		p.stop()
		extra, err := open(opt{dgram: true})
		if err != nil {
			t.Fatal(err)
		}
		toStopped := extra.insert(t, addr)
		extra.many(t, toStopped, 100)
		within(t, "closing an endpoint that has sent to who is stopped", time.Second, func() {
			if err := extra.close(); err != nil {
				t.Error(err)
			}
		})
		p.kill()
	}
	n.rest(t)
}

// TestDatagramsToKilled kills the receiver in the middle: every datagram completes well, and nothing is left.
func TestDatagramsToKilled(t *testing.T) {
	leaves(t)
	n := newNode(t, opt{dgram: true})
	name := fmt.Sprintf("gull-%d", rand.Uint32())
	to := n.insert(t, []byte(prefix+name))
	for i := range 8 {
		p, _ := gull(t, name)
		if i%2 == 0 {
			n.echoes(t, to, 5)
		}
		killed := make(chan struct{})
		time.AfterFunc(time.Duration(rand.IntN(20))*time.Millisecond, func() { p.cmd.Process.Signal(syscall.SIGKILL); close(killed) })
		for over := false; !over; {
			n.many(t, to, 100)
			select {
			case <-killed:
				over = true
			default:
			}
		}
		n.many(t, to, 500)
		p.kill()
		n.rest(t)
	}
}

// TestDatagramsToTheNext has receivers of one name close and come again, as endpoints of this process and as processes: each
// is reached.
func TestDatagramsToTheNext(t *testing.T) {
	leaves(t)
	n := newNode(t, opt{dgram: true})
	name := fmt.Sprintf("next-%d", rand.Uint32())
	to := n.insert(t, []byte(prefix+name))
	for i := range uint64(20) {
		m, err := open(opt{name: name, dgram: true})
		if err != nil {
			t.Fatal(err)
		}
		ctx := new(int)
		if err := m.ep.TRecv(make([]byte, 8), fi.AddrUnspec, i, 0, ctx); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a datagram comes", func() bool {
			n.must(t, func() error { return n.ep.TInject([]byte("next"), to, i) })
			c, ok := m.read()
			return ok && c.err == 0 && c.Tag == i
		}, n)
		if err := m.close(); err != nil {
			t.Fatal(err)
		}
		n.must(t, func() error { return n.ep.TInject([]byte("gone"), to, i) })
	}
	for i := range uint64(3) {
		p, _ := gull(t, name)
		n.echoes(t, to, i+5)
		p.say("close")
		if l := p.hear(); l != "closed" {
			t.Fatal(l)
		}
		n.many(t, to, 100)
		p.kill()
	}
	n.rest(t)
}

// TestDatagramsBounds: what is too long is refused, what nobody receives is kept up to a bound, also of no bytes, and the
// messages that were kept are whole.
func TestDatagramsBounds(t *testing.T) {
	leaves(t)
	n, m := newNode(t, opt{dgram: true}), newNode(t, opt{dgram: true})
	to := n.insert(t, m.addr)
	long := make([]byte, dgramSize+1)
	for what, err := range map[string]error{
		"send":   n.ep.Send(long, to, nil),
		"tsend":  n.ep.TSend(long, to, 1, nil),
		"parts":  n.ep.SendMsg(&fi.Msg{Iov: [][]byte{long[:dgramSize], long[dgramSize:]}, Addr: to}, 0),
		"inject": n.ep.Inject(long[:injectSize+1], to),
	} {
		if err != fi.ErrMsgSize { //nolint:errorlint // documented: a bare value
			t.Errorf("%s: %v, want FI_EMSGSIZE", what, err)
		}
	}
	if err := n.ep.TInject(nil, to+1, 1); err != fi.ErrInvalid { //nolint:errorlint // documented: a bare value
		t.Errorf("an address that nobody has inserted: %v", err)
	}
	for _, size := range []int{dgramSize, 100, 0} {
		for range dgramKept/(size+50) + 200 {
			n.must(t, func() error { return n.ep.TSend(pattern(long[:size], 3), to, 4, nil) })
			m.q.Read(nil) //nolint:errcheck // only drives
			n.waitOK(t)
		}
		kept := 0
		m.locked(func() { kept = m.drv.Rx.Tag.Bytes() })
		if kept > dgramKept+256 || kept < dgramKept-2*dgramSize {
			t.Errorf("%d bytes of datagrams of %d bytes are kept, the bound is %d", kept, size, dgramKept)
		}
		count, in := 0, make([]byte, dgramSize)
		for waits := 1; waits > 0; count++ {
			if err := m.ep.TRecv(in, fi.AddrUnspec, 4, 0, nil); err != nil {
				t.Fatal(err)
			}
			if c := m.waitOK(t); c.Len != size || string(in[:size]) != string(pattern(long[:size], 3)) {
				t.Fatalf("%d bytes of %d, or others", c.Len, size)
			}
			m.locked(func() { waits = m.drv.Rx.Tag.Unexpected() })
		}
		t.Log(count, "of", size, "bytes")
	}
}

// TestDatagramsToAnotherType sends datagrams to an endpoint of FI_EP_RDM, and the other way round. Datagrams are lost; a
// message hears why.
func TestDatagramsToAnotherType(t *testing.T) {
	leaves(t)
	n, m := newNode(t, opt{dgram: true}), newNode(t, opt{})
	to := n.insert(t, m.addr)
	within(t, "datagrams to an endpoint of another type", soon, func() { n.many(t, to, 300) })
	ctx := new(int)
	if err := m.ep.TSend([]byte("hello"), m.insert(t, n.addr), 1, ctx); err != nil {
		t.Fatal(err)
	}
	if c := m.wait(t); c.err == 0 || !strings.Contains(c.text, "another type (FI_EP_DGRAM)") {
		t.Errorf("%v: %s", c.err, c.text)
	}
	n.idle(t)
	m.idle(t)
}

// TestDatagramsThatCross has two endpoints send to each other at the same moment, each for the first time: two calls become
// one, and what waited for either of them is not lost.
func TestDatagramsThatCross(t *testing.T) {
	leaves(t)
	for range 40 {
		o := opt{dgram: true, env: map[string]string{"FI_SHM_DGRAM_WAIT": "20000"}}
		a, b := newNode(t, o), newNode(t, o)
		toB, toA := a.insert(t, b.addr), b.insert(t, a.addr)
		start := make(chan struct{})
		var wg sync.WaitGroup
		for _, x := range []struct {
			n  *node
			to fi.Addr
		}{{a, toB}, {b, toA}} {
			if err := x.n.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 2, 0, nil); err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				<-start
				if err := x.n.ep.TSend([]byte("to you"), x.to, 2, nil); err != nil {
					t.Error(err)
				}
			})
		}
		close(start)
		wg.Wait()
		for _, n := range []*node{a, b} {
			if one, two := n.waitOK(t), n.waitOK(t); one.Len != 6 || two.Len != 6 || one.Flags&fi.CompSend == two.Flags&fi.CompSend {
				t.Fatalf("%+v and %+v, want one that was sent and one that came", one, two)
			}
			n.idle(t)
		}
	}
}

// TestDatagramsToTheSlow sends more than the ring holds to a peer that reads slower: FI_EAGAIN paces, and nothing is lost.
func TestDatagramsToTheSlow(t *testing.T) {
	leaves(t)
	o := opt{dgram: true, manual: true, env: map[string]string{"FI_SHM_DGRAM_WAIT": "20000"}}
	n, m := newNode(t, o), newNode(t, o)
	to := n.insert(t, m.addr)
	const count = 2000 // all of them together are less than is kept
	again, took, buf := 0, 0, make([]byte, 64)
	take := func() {
		if err := m.ep.TRecv(buf, fi.AddrUnspec, uint64(took), 0, nil); err != nil {
			t.Fatal(err)
		}
		if c := m.waitOK(t); c.Len != took%65 || string(buf[:c.Len]) != string(pattern(make([]byte, took%65), took)) {
			t.Fatalf("datagram %d has %d bytes, or others", took, c.Len)
		}
		took++
	}
	for i := range count {
		n.must(t, func() error {
			err := n.ep.TInject(pattern(make([]byte, i%65), i), to, uint64(i))
			if err == fi.ErrAgain { //nolint:errorlint // documented: a bare value
				again++
				take()
			}
			return err
		})
		if i == 0 { // the others find a connection
			eventually(t, "the first comes", func() bool {
				waits := 0
				m.locked(func() { waits = m.drv.Rx.Tag.Unexpected() })
				return waits == 1
			}, n, m)
		}
	}
	for took < count {
		take()
	}
	if again == 0 {
		t.Error("the ring was never full: the test shows nothing")
	}
	n.idle(t)
	m.idle(t)
}

// TestDatagramsAtOnce: with no time to wait at all, what finds no room is lost at once, and FI_EAGAIN never comes.
func TestDatagramsAtOnce(t *testing.T) {
	leaves(t)
	n := newNode(t, opt{dgram: true, env: map[string]string{"FI_SHM_DGRAM_WAIT": "0"}})
	p, addr := gull(t, "")
	to := n.insert(t, addr)
	n.echoes(t, to, 5)
	p.stop()
	if again := n.many(t, to, 2000); again != 0 {
		t.Errorf("FI_EAGAIN %d times", again)
	}
	p.signal(syscall.SIGCONT)
	n.echoes(t, to, 6)
	p.kill()
	n.rest(t)
}

// TestDatagramsDoNotAllocate: the fast path is that of messages, and what is sent to nobody leaves no work behind.
func TestDatagramsDoNotAllocate(t *testing.T) {
	n, m := newNode(t, opt{dgram: true}), newNode(t, opt{dgram: true})
	to := n.insert(t, m.addr)
	buf, in, ctx := make([]byte, 100), make([]byte, 100), new(int)
	msg := &fi.TaggedMsg{Iov: [][]byte{buf[:40], buf[40:]}, Addr: to, Tag: 1, Context: ctx}
	var e [1]cq.Entry
	round := func() {
		m.ep.TRecv(in, fi.AddrUnspec, 1, 0, ctx)
		m.ep.TRecv(in, fi.AddrUnspec, 1, 0, ctx)
		n.must(t, func() error { return n.ep.TSend(buf, to, 1, ctx) })
		n.must(t, func() error { return n.ep.TSendMsg(msg, fi.OpCompletion) })
		for sent, got := 0, 0; sent < 2 || got < 2; {
			k, _ := n.q.Read(e[:])
			sent += max(k, 0)
			k, _ = m.q.Read(e[:])
			got += max(k, 0)
		}
	}
	for range 500 {
		round()
	}
	if a := testing.AllocsPerRun(500, round); a > 0 {
		t.Errorf("%v allocations a round", a)
	}
}
