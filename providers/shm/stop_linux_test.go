package shm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// TestStopped stops the peer in the middle of operations of each kind. What has nothing to do with it goes on, and when
// it runs again everything completes.
func TestStopped(t *testing.T) {
	leaves(t)
	n, other := newNode(t, opt{}), newNode(t, opt{})
	toOther := n.insert(t, other.addr)
	mem := alloc(t, 1<<20)
	p, addr := peer(t, nil, "sink")
	to := n.insert(t, addr)
	ops := &posted{n: n}
	ops.post(t, kinds(n, to, mem)["matched"])
	ops.settle(t, "the first", patient)
	for kind, post := range kinds(n, to, mem) {
		stopped := make(chan struct{})
		time.AfterFunc(3*time.Millisecond, func() { p.signal(syscall.SIGSTOP); close(stopped) })
		ops.storm(t, time.Now().Add(10*time.Millisecond), 40, post)
		for i := range 50 {
			ctx := new(int)
			if err := other.ep.TRecv(make([]byte, 60000), fi.AddrUnspec, 9, 0, ctx); err != nil {
				t.Fatal(err)
			}
			size := []int{8, 5000, 60000}[i%3]
			var o oneOp
			o.p = &posted{n: n, open: 1}
			for n.ep.TSend(make([]byte, size), toOther, 9, &o) != nil {
				ops.reap(t)
			}
			within(t, kind+": the exchange with somebody else", soon, func() {
				other.waitOK(t)
				eventually(t, "the send", func() bool { ops.reap(t); return o.seen == 1 })
			})
		}
		<-stopped // the other way round it would stay so
		p.signal(syscall.SIGCONT)
		ops.settle(t, kind, patient)
		if ops.errs > 0 {
			t.Fatal(kind, ops.text)
		}
	}
	n.idle(t)
}

// TestStoppedPeersAndBlocks: peers that are stopped keep their blocks; others still get some.
func TestStoppedPeersAndBlocks(t *testing.T) {
	leaves(t)
	env := map[string]string{"FI_SHM_ROAD": "bulk"}
	n, other := newNode(t, opt{env: env}), newNode(t, opt{env: env})
	toOther := n.insert(t, other.addr)
	big := make([]byte, 2<<20)
	var ops posted
	ops.n = n
	var stopped []*proc
	for range 4 {
		p, addr := peer(t, nil, "sink")
		to := n.insert(t, addr)
		first := &posted{n: n}
		first.post(t, func(ctx any) error {
			return n.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{big[:8]}, Addr: to, Tag: 1, Context: ctx}, fi.OpCompletion|fi.OpMatchComplete)
		})
		first.settle(t, "the first", patient)
		for range 8 {
			ops.post(t, func(ctx any) error { return n.ep.TSend(big, to, 1, ctx) })
		}
		ops.reap(t)
		p.stop()
		stopped = append(stopped, p)
	}
	for range 20 {
		ctx := new(int)
		other.ep.TRecv(big[:1<<20], fi.AddrUnspec, 9, 0, ctx)
		o := &oneOp{p: &posted{n: n, open: 1}}
		n.must(t, func() error { return n.ep.TSend(big[1<<20:], toOther, 9, o) })
		other.waitOK(t)
		eventually(t, "the send", func() bool { ops.reap(t); return o.seen == 1 })
	}
	for _, p := range stopped {
		p.signal(syscall.SIGCONT)
	}
	ops.settle(t, "the rest", patient)
	n.idle(t)
}

func init() {
	// The writer writes argument 2 bytes to the address in argument 0 and key (argument 1), over and over, whether there
	// is such a key or not.
	roles["writer"] = func(c *child) {
		n, err := open(opt{})
		c.must(err)
		var out [1]fi.Addr
		n.av.Insert([][]byte{[]byte(c.arg(0))}, out[:], 0)
		var key uint64
		var size int
		fmt.Sscan(c.arg(1), &key)
		fmt.Sscan(c.arg(2), &size)
		buf := make([]byte, size)
		for i := range buf {
			buf[i] = 0xEE
		}
		c.say("ready")
		for {
			if err := n.ep.Write(buf, out[0], mr.Remote{Key: key}, nil); err != nil {
				c.must(err)
			}
			cm, ok := n.read()
			for !ok {
				cm, ok = n.read()
			}
			if cm.err == fi.ErrConnReset || cm.err == fi.ErrConnRefused {
				return
			}
		}
	}
}

// closeRounds has a writer write to a region that is opened again and again under one key. Each time it is closed while the writer is at it, cleared, and
// looked at some time later: nothing may be written any more. It gives the number of rounds in which that happened.
func closeRounds(t *testing.T, rounds int, end func(n *node, r *fabric.MR)) (stray int) {
	const size = 4 << 20
	n := newNode(t, opt{})
	m := alloc(t, size)
	p := spawn(t, "writer", nil, string(n.addr), "100", fmt.Sprint(size))
	p.hear()
	b := m.Bytes()
	for range rounds {
		clear(b)
		r, err := n.d.RegisterMR(b, fi.AccessRemoteWrite, &fi.MRAttr{Key: 100})
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the writer writes", func() bool { return volatile(b, size/2) }, n)
		for until := time.Now().Add(time.Duration(rand.IntN(2000)) * time.Microsecond); time.Now().Before(until); {
			n.q.Read(nil) //nolint:errcheck // only drives
		}
		end(n, r)
		clear(b)
		for until := time.Now().Add(3 * time.Millisecond); time.Now().Before(until); {
			n.q.Read(nil) //nolint:errcheck // only drives
		}
		for j := 0; j < size; j += 512 {
			if volatile(b, j) {
				stray++
				break
			}
		}
		r.Close()
	}
	p.kill()
	return stray
}

//go:noinline
func volatile(b []byte, i int) bool { return b[i] != 0 }

// TestCloseRegion closes regions in the middle of a peer's writes. The control leaves the waiting out, and finds bytes.
func TestCloseRegion(t *testing.T) {
	leaves(t)
	rounds := 40
	if n := closeRounds(t, rounds, func(_ *node, r *fabric.MR) {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("in %d of %d rounds something was written after Close", n, rounds)
	}
	n := 0
	for end := time.Now().Add(patient); n == 0 && time.Now().Before(end); { // a busy machine may leave the writer no time to be seen
		n = closeRounds(t, rounds, func(n *node, r *fabric.MR) {
			n.dom.eng.Lock()
			defer n.dom.eng.Unlock()
			for reg := range n.dom.table.mine {
				n.dom.regions.Kill(reg)
				n.dom.table.withdraw(reg)
			}
		})
	}
	t.Logf("without the waiting: in %d of %d", n, rounds)
	if n == 0 {
		t.Error("the control finds nothing: the test proves nothing")
	}
}

// TestCloseRegionStopped closes a region that a stopped peer is inside of: that returns.
func TestCloseRegionStopped(t *testing.T) {
	leaves(t)
	const size = 4 << 20
	n := newNode(t, opt{})
	m := alloc(t, size)
	p := spawn(t, "writer", nil, string(n.addr), "100", fmt.Sprint(size))
	p.hear()
	inside, rounds := 0, 0
	for ; inside < 3 && rounds < 20; rounds++ { // a round with the peer inside takes a second
		clear(m.Bytes())
		r, err := n.d.RegisterMR(m.Bytes(), fi.AccessRemoteWrite, &fi.MRAttr{Key: 100})
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the writer writes", func() bool { return volatile(m.Bytes(), size/2) }, n)
		p.signal(syscall.SIGSTOP)
		n.locked(func() {
			for reg, slot := range n.dom.table.mine {
				_ = reg
				for _, q := range n.dom.pairs {
					if _, _, in := q.ring.Theirs.Inside(0); in && slot > 0 {
						inside++
					}
				}
			}
		})
		within(t, "closing", soon, func() {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
		p.signal(syscall.SIGCONT)
	}
	t.Log("the peer was inside in", inside, "of", rounds, "rounds")
}

// TestMapAndDeath maps a peer's region, uses it after the peer was killed, and gives it back.
func TestMapAndDeath(t *testing.T) {
	leaves(t)
	n := newNode(t, opt{})
	for range 5 {
		p, addr := peer(t, nil, "idle")
		to := n.insert(t, addr)
		mem, unmap, err := n.ep.Map(context.Background(), to, remote(sharedKey), peerMem)
		if err != nil {
			t.Fatal(err)
		}
		mem[5] = 7
		p.kill()
		eventually(t, "the pair ends", func() bool {
			left := 0
			n.locked(func() { left = len(n.dom.pairs) })
			return left == 0
		}, n)
		pattern(mem, 1)
		if mem[5] != pattern(make([]byte, 6), 1)[5] {
			t.Error("the memory is gone")
		}
		if err := unmap(); err != nil {
			t.Error(err)
		}
		if err := unmap(); err != nil {
			t.Error("twice:", err)
		}
		if _, _, err := n.ep.Map(context.Background(), to, remote(sharedKey), 8); !errors.Is(err, fi.ErrConnReset) && !errors.Is(err, fi.ErrConnRefused) {
			t.Errorf("memory of a dead peer: %v", err)
		}
		eventually(t, "the call ends", func() bool { return n.state() == "" }, n)
	}
}
