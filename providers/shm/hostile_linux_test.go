package shm

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// hostile is a peer that has completed the hello and then does what it likes.
type hostile struct {
	t     testing.TB
	conn  *shmem.Conn
	file  *shmem.File // the pair's memory
	ring  *ring.Pair
	table *table     // its own
	them  *peerTable // the victim's
	rung  uint32
	msg   shmem.Message
}

// attack connects with the endpoint of a name. change may spoil the hello. As a good peer would it calls again when it
// was too slow to say hello and was sent away.
func attack(t testing.TB, name string, change func(*hello)) *hostile {
	t.Helper()
	h := &hostile{t: t}
	var err error
	if h.file, err = shmem.Create("gofabric-hostile", ring.PairBytes, 0); err != nil {
		t.Fatal(err)
	}
	if h.table, err = newTable(); err != nil {
		t.Fatal(err)
	}
	hi := &hello{incarnation: rand.Uint64(), name: fmt.Sprintf("hostile-%d-%d", os.Getpid(), rand.Uint32()), features: featurePlain}
	if change != nil {
		change(hi)
	}
	var m *shmem.Message
	for end := time.Now().Add(patient); ; {
		if m = h.call(name, hi); m != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no answer to the hello")
		}
	}
	a, err := parseHello(m.Bytes())
	if err != nil || a.status != 0 {
		t.Fatal("the hello was refused: ", err, a)
	}
	fds, err := m.Take(1)
	if err != nil {
		t.Fatal(err)
	}
	if h.them, err = mapTable(fds[0]); err != nil {
		t.Fatal(err)
	}
	shmem.CloseFD(fds[0])
	if h.ring, err = ring.Layout(h.file.Bytes(), ring.Config{Side: ring.Maker, First: uint8(hi.first)}); err != nil {
		t.Fatal(err)
	}
	return h
}

// call says hello once and gives the answer; nil when the victim has hung up.
func (h *hostile) call(name string, hi *hello) *shmem.Message {
	h.t.Helper()
	var err error
	if h.conn, err = shmem.Connect((&config{}).socketAddr(name)); err != nil {
		h.t.Fatal(err)
	}
	if err = h.conn.Send(hi.marshal(), h.file.FD(), h.table.file.FD()); err == nil {
		if m := h.recv(); m != nil {
			return m
		}
	}
	h.conn.Close()
	if err != nil && !hungUp(err) {
		h.t.Fatal(err)
	}
	return nil
}

// recv waits for a message that is no bell; nil when the victim has hung up.
func (h *hostile) recv() *shmem.Message {
	h.t.Helper()
	end := time.Now().Add(patient)
	for {
		switch err := h.conn.Recv(&h.msg); {
		case err == nil && !h.msg.IsBell():
			return &h.msg
		case err == shmem.ErrAgain:
			if time.Now().After(end) {
				h.t.Fatal("the victim does not answer")
			}
			yield()
		case err != nil:
			return nil
		}
	}
}

// refused waits for an answer that refuses, with some words in its reason, and for the end.
func (h *hostile) refused(want string) {
	h.t.Helper()
	m := h.recv()
	if m == nil {
		h.t.Fatal("the connection ended without a word")
	}
	a, err := parseHello(m.Bytes())
	if err != nil {
		h.t.Fatal(err)
	}
	if a.status == 0 || !strings.Contains(a.reason, want) {
		h.t.Errorf("status %v, reason %q, want %q in it", a.status, a.reason, want)
	}
	if h.recv() != nil {
		h.t.Error("and it goes on")
	}
}

// thrownOut tells whether the victim has closed the connection.
func (h *hostile) thrownOut() bool {
	for {
		switch err := h.conn.Recv(&h.msg); {
		case err == nil:
			h.msg.Close()
		case err == shmem.ErrAgain:
			return false
		default:
			return true
		}
	}
}

// bell wakes the victim as a good peer would.
func (h *hostile) bell() {
	if v := atomic.LoadUint32(h.them.asleep); v&1 != 0 && v != h.rung {
		h.rung = v
		h.conn.Ring()
	}
}

// put sends a message, and reads what comes so that the victim's ring does not fill up. False: thrown out.
func (h *hostile) put(op uint8, aux uint16, tag, data uint64, payload []byte) bool {
	for i := 0; !h.ring.Tx.Put(op, aux, tag, data, payload); i++ {
		h.read(nil)
		h.bell()
		if i%256 == 255 && h.thrownOut() {
			return false
		}
		yield()
	}
	h.bell()
	return true
}

// read takes what the victim has sent.
func (h *hostile) read(f func(op uint8, aux uint16, tag, data uint64, payload []byte)) {
	for range ring.Lines {
		op, aux, tag, data, payload, st := h.ring.Rx.Next()
		if st != ring.Message {
			return
		}
		if f != nil {
			f(op, aux, tag, data, payload)
		}
		h.ring.Rx.Advance()
	}
}

func (h *hostile) close() {
	h.conn.Close()
	h.file.Close()
	h.table.close()
	h.them.m.Unmap()
}

// victim is a node with a good peer, whose exchange goes on during the attacks, and with memory around which nobody may
// write.
type victim struct {
	*node
	good         *node
	to, from     fi.Addr // the good peer, and the victim as the good one sees it
	shared, heap []byte
	canary       [][]byte
	seen         map[any]int // completions by context
}

func (v *victim) read() (comp, bool) {
	c, ok := v.node.read()
	if ok && c.Context != nil {
		v.seen[c.Context]++
	}
	return c, ok
}

func newVictim(t testing.TB, env map[string]string) *victim {
	t.Helper()
	v := &victim{node: newNode(t, opt{env: env}), good: newNode(t, opt{env: env})}
	v.seen = map[any]int{}
	v.to, v.from = v.insert(t, v.good.addr), v.good.insert(t, v.addr)
	m := alloc(t, 64<<10)
	big := make([]byte, 48<<10)
	v.shared, v.heap = m.Bytes(), big[16<<10:32<<10]
	v.canary = [][]byte{big[:16<<10], big[32<<10:], v.shared[:16<<10], v.shared[48<<10:]}
	for i, c := range v.canary {
		pattern(c, i)
	}
	v.region(t, v.shared[16<<10:48<<10], 1)
	v.region(t, v.heap, 2)
	ro, err := v.d.RegisterMR(make([]byte, 4096), fi.AccessRemoteRead, &fi.MRAttr{Key: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ro.Close() })
	v.exchange(t)
	return v
}

// exchange is a ping-pong with the good peer.
func (v *victim) exchange(t testing.TB) {
	t.Helper()
	ctx, in, out := new(int), make([]byte, 100), pattern(make([]byte, 100), 5)
	if err := v.good.ep.TRecv(in, fi.AddrUnspec, 99, 0, ctx); err != nil {
		t.Fatal(err)
	}
	v.must(t, func() error { return v.ep.TSend(out, v.to, 99, ctx) })
	for done := false; !done; { // completions of what the hostile one caused come in between
		done = v.node.wait(t).Context == any(ctx)
	}
	if c := v.good.waitOK(t); c.Len != 100 || string(in) != string(out) {
		t.Fatal("the exchange with the good peer is spoiled")
	}
}

// unharmed checks that nothing outside the regions has changed and that the good peer is served.
func (v *victim) unharmed(t testing.TB) {
	t.Helper()
	v.exchange(t)
	for i, c := range v.canary {
		if want := pattern(make([]byte, len(c)), i); string(c) != string(want) {
			t.Fatal("memory outside the regions has changed")
		}
	}
}

// drive polls until f holds or patience ends.
func (v *victim) drive(t testing.TB, what string, f func() bool) {
	t.Helper()
	end := time.Now().Add(patient)
	for !f() {
		if _, ok := v.read(); !ok {
			yield()
		}
		if time.Now().After(end) {
			t.Fatal("did not happen: " + what)
		}
	}
}

func (v *victim) pairs() (n int) {
	v.locked(func() { n = len(v.dom.pairs) })
	return n
}
