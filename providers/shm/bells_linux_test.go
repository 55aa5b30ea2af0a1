package shm

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// early is how often a good peer may have rung before somebody reads what it has said first: once for each time that
// threads have gone to sleep meanwhile, which is more often than two.
const early = 100

// TestEarlyBells rings for times of sleep that were over when the other side began to count, as who calls and as who is
// called: the pair lives.
func TestEarlyBells(t *testing.T) {
	leaves(t)
	t.Run("called", func(t *testing.T) {
		v := newVictim(t, nil)
		h := attack(t, v.drv.name, nil)
		defer h.close()
		ringEarly(t, h.conn)
		h.lives(v.node)
		v.unharmed(t)
	})
	t.Run("calling", func(t *testing.T) {
		peer := fmt.Sprintf("bells-%d-%d", os.Getpid(), rand.Uint32())
		l, err := shmem.Listen((&config{}).socketAddr(peer))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		n := newNode(t, opt{manual: true}) // it does not sleep meanwhile
		if err := n.ep.TInject([]byte("hello"), n.insert(t, []byte(prefix+peer)), 1); err != nil {
			t.Fatal(err)
		}
		h := &hostile{t: t}
		eventually(t, "a call", func() bool { h.conn, err = l.Accept(); return err == nil }, n)
		defer h.conn.Close()
		h.listen(peer, n)
		ringEarly(t, h.conn)
		h.lives(n)
	})
}

func ringEarly(t *testing.T, c *shmem.Conn) {
	t.Helper()
	for range early {
		if err := c.Ring(); err != nil {
			t.Fatal(err)
		}
	}
}

// listen answers a call as a good peer does.
func (h *hostile) listen(name string, n *node) {
	h.t.Helper()
	var m *shmem.Message
	eventually(h.t, "a hello", func() bool { m = h.recv(); return m != nil }, n)
	hi, err := parseHello(m.Bytes())
	if err != nil {
		h.t.Fatal(err)
	}
	fds, err := m.Take(2)
	if err != nil {
		h.t.Fatal(err)
	}
	rings, err := shmem.MapPeer(fds[0], ring.PairBytes, shmem.ReadWrite, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	if h.them, err = mapTable(fds[1]); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { rings.Unmap(); h.them.m.Unmap() })
	shmem.CloseFD(fds[0])
	shmem.CloseFD(fds[1])
	if h.table, err = newTable(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(h.table.close)
	if h.ring, err = ring.Layout(rings.Bytes(), ring.Config{Side: ring.Taker, First: uint8(hi.first)}); err != nil {
		h.t.Fatal(err)
	}
	if err := h.conn.Send((&hello{name: name, incarnation: 1, features: featurePlain}).marshal(), h.table.file.FD()); err != nil {
		h.t.Fatal(err)
	}
}

// lives checks that the pair does what it is asked to, and that the bells have not ended it.
func (h *hostile) lives(n *node) {
	h.t.Helper()
	h.put(opHold, 1, 7, 0, nil)
	eventually(h.t, "it obeys", func() bool { return *h.ring.TheirWord == 7 || h.thrownOut() }, n)
	for range 2000 { // all bells are read
		n.read()
	}
	if h.thrownOut() {
		h.t.Error("a peer that has rung before anybody counted is thrown out")
	}
}
