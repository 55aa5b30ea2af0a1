package interop_test

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
)

func portOf(raw []byte) uint16 { return binary.BigEndian.Uint16(raw[2:]) }

// hello sends a message each way and checks both.
func (l *link) hello(tagged bool, seed uint64) {
	l.n.t.Helper()
	l.toPeer(100, tagged, form{}, seed)
	l.fromPeer(100, tagged, false, form{}, seed+1)
}

// TestSimultaneousConnect has both sides connect at the same moment, with the greater address now here and now there.
// Each message arrives, once.
func TestSimultaneousConnect(t *testing.T) {
	t.Parallel()
	c := startPeer(t, "rdm", "net", "0", "offset", "FI_NET_PORT_LOW_RANGE=21000", "FI_NET_PORT_HIGH_RANGE=21999")
	for _, low := range []int{20000, 22000} {
		t.Run(map[int]string{20000: "C-is-greater", 22000: "we-are-greater"}[low], func(t *testing.T) {
			for round := range 12 {
				c.t = t
				n := newNode(t, setup{env: map[string]string{"FI_TCP_PORT_LOW_RANGE": strconv.Itoa(low), "FI_TCP_PORT_HIGH_RANGE": strconv.Itoa(low + 999)}})
				l := known(n, c)
				l.bothAtOnce(round)
				l.hello(true, uint64(round))
				n.close()
			}
		})
	}
	c.t = t
}

// bothAtOnce has each side send its first message, within a moment that differs from round to round.
func (l *link) bothAtOnce(round int) {
	l.n.t.Helper()
	in := l.c.start("trecv", "len=5000 seed=%d tag=%d", round, 1000+round)
	b, x, y := make([]byte, 6000), new(int), new(int)
	l.n.must(l.n.ep.TRecv(b, fi.AddrUnspec, 7, 0, y))
	out := l.c.begin("tsend", "to=%d len=6000 seed=%d tag=7", l.atC, round+40)
	if round%3 > 0 { // C needs a moment until it dials
		l.n.take(time.Duration(round%3)*200*time.Microsecond, func() bool { return false })
	}
	l.send(pattern(5000, uint64(round)), true, uint64(1000+round), form{}, x)
	l.n.good(x)
	l.n.good(y)
	l.n.same("message", b, uint64(round+40))
	l.c.done(in)
	l.c.want("posted", out)
	l.c.done(out)
}

// TestManyAtOnce has several endpoints of ours and several of C send to each other, all for the first time.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	const count = 3
	var links [count][count]*link
	var nodes [count]*node
	var peers [count]*cPeer
	for i := range count {
		nodes[i] = newNode(t, setup{})
		peers[i] = startPeer(t, "rdm", "net", "0", "offset")
	}
	ids := map[*link][2]int{}
	for i, n := range nodes {
		for j, c := range peers {
			l := known(n, c)
			links[i][j] = l
			ids[l] = [2]int{c.start("trecv", "len=2000 seed=%d tag=%d", i, i), 0}
		}
	}
	buffers, ctx := map[*link][]byte{}, map[*link][2]*int{}
	for i := range count {
		for j := range count {
			l := links[i][j]
			ids[l] = [2]int{ids[l][0], l.c.begin("tsend", "to=%d len=3000 seed=%d tag=%d", l.atC, j+50, j)}
			buffers[l], ctx[l] = make([]byte, 3000), [2]*int{new(int), new(int)}
			l.n.must(l.n.ep.TRecv(buffers[l], fi.AddrUnspec, uint64(j), 0, ctx[l][0]))
			l.send(pattern(2000, uint64(i)), true, uint64(i), form{}, ctx[l][1])
		}
	}
	for i := range count {
		for j := range count {
			l := links[i][j]
			l.n.good(ctx[l][0])
			l.n.good(ctx[l][1])
			l.n.same(fmt.Sprint(i, j), buffers[l], uint64(j+50))
			l.c.done(ids[l][0])
			l.c.done(ids[l][1])
		}
	}
}

// TestPeerRestarts ends C and starts it again at the same address.
func TestPeerRestarts(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"quit", "killed"} {
		t.Run(how, func(t *testing.T) {
			l := newLink(t, setup{}, "offset")
			l.hello(true, 1)
			port := strconv.Itoa(int(portOf(l.c.name())))
			if how == "quit" {
				l.c.end()
			} else {
				l.c.kill()
			}
			l.c = startPeer(t, "rdm", "net", port, "offset")
			l.atC = l.c.insert(l.n.name())
			l.toPeer(100, true, form{}, 3)
			l.fromPeer(100, true, false, form{}, 4)
			l.c.end()
			l.c = startPeer(t, "rdm", "net", port, "offset")
			l.atC = l.c.insert(l.n.name())
			l.fromPeer(100, true, false, form{}, 5) // now it speaks first
			l.toPeer(100, true, form{}, 6)
		})
	}
}

// TestWeRestart closes our endpoint and opens it again at the same address.
func TestWeRestart(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{}, "offset")
	l.hello(true, 1)
	name := l.n.name()
	for i, first := range []string{"here", "at-C", "here"} {
		l.n.close()
		l.n = newNode(t, setup{name: name})
		l.toC = l.n.insert(l.c.name())
		l.from = l.toC
		if first == "here" {
			l.toPeer(100, true, form{}, uint64(i))
			l.fromPeer(100, true, false, form{}, uint64(i))
		} else {
			l.fromPeer(100, true, false, form{}, uint64(i))
			l.toPeer(100, true, form{}, uint64(i))
		}
	}
}

// TestUnknownSenders: messages of who is in no address vector are received, and say so.
func TestUnknownSenders(t *testing.T) {
	t.Parallel()
	t.Run("C", func(t *testing.T) {
		n := newNode(t, setup{})
		c := startPeer(t, "rdm", "net", "0", "offset")
		to := c.insert(n.name())
		b, x := make([]byte, 100), new(int)
		n.must(n.ep.Recv(b, fi.AddrUnspec, x))
		c.done(c.start("send", "to=%d len=100 seed=1", to))
		if e := n.good(x); e.Src != fi.AddrNotAvail {
			t.Errorf("the source of an unknown sender is %v", e.Src)
		}
		n.same("message", b, 1)
		l := known(n, c) // now it is known, on the connection that is there
		l.hello(true, 2)
	})
	t.Run("C-with-source-err", func(t *testing.T) {
		n := newNode(t, setup{caps: fi.CapSourceErr})
		c := startPeer(t, "rdm", "net", "0", "offset")
		to := c.insert(n.name())
		b, x := make([]byte, 100), new(int)
		n.must(n.ep.Recv(b, fi.AddrUnspec, x))
		c.done(c.start("send", "to=%d len=100 seed=1", to))
		e := n.bad(x)
		if e.Err != fi.ErrAddrNotAvail || string(e.ErrData) != string(c.name()) {
			t.Errorf("an unknown sender: %+v, want its address %x", e, c.name())
		}
		n.same("message", b, 1)
		l := known(n, c)
		l.hello(true, 2)
	})
	t.Run("we", func(t *testing.T) {
		n := newNode(t, setup{})
		c := startPeer(t, "rdm", "net", "0", "offset")
		l := &link{n: n, c: c, toC: n.insert(c.name()), atC: -1}
		l.toPeer(100, false, form{}, 1)
		l.toPeer(100, true, form{}, 2)
		l.atC, l.from = c.insert(n.name()), l.toC
		l.fromPeer(100, true, false, form{}, 3)
	})
}

// TestManualProgress has only our own calls drive our side.
func TestManualProgress(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{manual: true}, "offset")
	l.hello(true, 1)
	l.toPeer(1<<20, true, form{flags: fi.OpDeliveryComplete}, 2)
	l.fromPeer(1<<20, true, false, form{c: "d"}, 3)
}
