package faults

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// refuse expects that a message to an address fails with an error, not before least and not after most.
func (r *remote) refuse(t *testing.T, at string, want []string, text string, least, most time.Duration) {
	t.Helper()
	_, raw, err := fi.ParseAddr(at)
	check(t, err)
	var to fi.Addr
	r.call("Insert", raw, &to)
	d := r.begin(Work{Peer: to, Send: 3, Size: 100, Limit: 2 * patient}).report()
	n := 0
	for _, w := range want {
		n += d.Errors[w]
	}
	if n != 3 || !strings.Contains(d.Text, text) || d.Took < least || d.Took > most {
		t.Errorf("%s: %+v, wanted %v and a text with %q", at, d, want, text)
	}
}

// TestAbsentPeers sends to peers that are not there, each in another way.
func TestAbsentPeers(t *testing.T) {
	wanted(t)
	a, _, w := wired(t, harm{})
	const timeout = 4 * time.Second // longer than a busy machine keeps the wire, which is this process, from its work
	x := a.start(t, Setup{At: text(addrA, 0), Env: map[string]string{"FI_TCP_CONNECT_TIMEOUT": "4000"}})
	x.refuse(t, text("10.118.1.1", 7), []string{"FI_ENETUNREACH"}, "cannot connect to 10.118.1.1:7", 0, patient)
	x.refuse(t, text(addrB, 7), []string{"FI_ECONNREFUSED"}, "nobody listens", timeout/2, patient)
	w.set(harm{cut: true})
	x.refuse(t, text(addrB, 8), []string{"FI_ETIMEDOUT"}, "no answer", timeout/2, patient)
}

// TestSilentListeners connects to a listener that takes no connections: its backlog is full, or it is not.
func TestSilentListeners(t *testing.T) {
	wanted(t)
	a, b := cabled(t)
	const port = 7471
	b.listenSilently(t, addrB, port)
	x := a.start(t, Setup{At: text(addrA, 0), Env: map[string]string{"FI_TCP_CONNECT_TIMEOUT": "1000"}})
	x.refuse(t, text(addrB, port), []string{"FI_ETIMEDOUT"}, "no answer", time.Second/2, patient) // the kernel has taken it
	for range 3 {
		a.dialSilently(t, addrB, port)
	}
	x.refuse(t, text(addrB, port), []string{"FI_ETIMEDOUT"}, "no answer", time.Second/2, patient)
}

// TestStoppedPeer stops a peer for longer than a peer may be dead: what goes on meanwhile waits, and then arrives.
func TestStoppedPeer(t *testing.T) {
	wanted(t)
	a, b := cabled(t)
	x, y := pair(t, a, b, map[string]string{"FI_TCP_USER_TIMEOUT": "400", "FI_TCP_KEEPALIVE": "1"})
	both(x, y, 8)
	y.stop()
	j := x.begin(Work{Send: 100, First: 100, Size: 200_000, Window: 100})
	select {
	case <-j.c.Done:
		t.Fatalf("with the peer stopped: %+v", j.done)
	case <-time.After(3 * time.Second):
	}
	y.signal(syscall.SIGCONT)
	k := y.begin(Work{Recv: 100, First: 100, Size: 200_000, Window: 100})
	j.well()
	k.well()
	both(x, y, 8)
}

// TestKilledPeer kills a peer under traffic and starts it again at its address.
func TestKilledPeer(t *testing.T) {
	wanted(t)
	a, b := cabled(t)
	env := map[string]string{"FI_TCP_CONNECT_TIMEOUT": "500"}
	x := a.start(t, Setup{At: text(addrA, 0), Env: env})
	var port int
	for round := range 3 {
		y := b.launch(t)
		y.open(Setup{At: text(addrB, port), Env: env})
		if round == 0 {
			x.insert(y)
			p, err := fi.DecodeSockaddr(y.name)
			check(t, err)
			port = int(p.Port())
		}
		y.insert(x)
		both(x, y, 8)
		j := x.begin(Work{Send: 100, Write: 100, First: 100, Size: 100_000, Remote: y.at, Delivered: true, Limit: 2 * patient})
		y.kill()
		if d := j.report(); d.failed() == 0 || d.Took > patient {
			t.Errorf("with the peer killed: %+v", d)
		}
	}
}

// TestSlowReader sends much more than a receiver is willing to keep: it keeps no more, and then everything arrives.
func TestSlowReader(t *testing.T) {
	wanted(t)
	for _, ext := range []string{"1", "0"} {
		t.Run("extension="+ext, func(t *testing.T) {
			a, b := cabled(t)
			env := map[string]string{"FI_TCP_UNEXPECTED": "1M", "FI_TCP_TX_SIZE": "4096", "FI_TCP_EXTENSION": ext}
			x, y := pair(t, a, b, env)
			before := y.stats()
			const n, size = 2000, 32 << 10
			j := x.begin(Work{Send: n, Size: size, Window: n, Limit: 2 * patient})
			for range 20 {
				if s := y.stats(); s.Heap > before.Heap+16<<20 {
					t.Fatalf("%d bytes of memory, %d before", s.Heap, before.Heap)
				}
				<-time.After(20 * time.Millisecond)
			}
			k := y.begin(Work{Recv: n, Size: size, Window: n, Limit: 2 * patient})
			j.well()
			k.well()
		})
	}
}
