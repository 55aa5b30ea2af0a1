package shm

import (
	"bytes"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestAnotherProgramsMemory takes the sender's nonce away, as exec or another process of the same number would, and has
// it announce memory: what lies there is not the message. It comes by blocks, because this sender is still there.
func TestAnotherProgramsMemory(t *testing.T) {
	for _, size := range []int{20000, 1 << 20} {
		leaves(t)
		env := map[string]string{"FI_SHM_ROAD": "cma"}
		n, p := newNode(t, opt{env: env}), newNode(t, opt{env: env})
		to := n.insert(t, p.addr)
		exchangeOnce(t, n, p)
		readable := false
		p.locked(func() { readable = p.dom.pairs[0].cmaIn })
		if !readable {
			t.Skip("this machine does not let processes read each other")
		}
		clear(n.dom.nonce.value[:])
		msg, in := pattern(make([]byte, size), 1), make([]byte, size)
		rx, tx := &posted{n: p}, &posted{n: n}
		rx.post(t, func(ctx any) error { return p.ep.TRecv(in, fi.AddrUnspec, 7, 0, ctx) })
		tx.post(t, func(ctx any) error { return n.ep.TSend(msg, to, 7, ctx) })
		eventually(t, "the message", func() bool { rx.reap(t); tx.reap(t); return rx.open+tx.open == 0 })
		if rx.oks != 1 || !bytes.Equal(in, msg) {
			t.Error("the message did not arrive: ", rx.text)
		}
		made := false
		n.locked(func() { made = n.dom.bulk != nil })
		if !made {
			t.Error("memory of nobody knows whom was taken for the message")
		}
	}
}
