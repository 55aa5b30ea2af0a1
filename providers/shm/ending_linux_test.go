package shm

import (
	"bytes"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestClosedSenderDamagesNothing closes an endpoint whose message the receiver has not copied yet. The blocks or the
// buffer that it lies in are used for something else then; the receiver must not take that for the message.
func TestClosedSenderDamagesNothing(t *testing.T) {
	for _, road := range []string{"bulk", "map", "cma"} {
		t.Run(road, func(t *testing.T) {
			leaves(t)
			env := map[string]string{"FI_SHM_ROAD": road, "FI_SHM_LINGER": "0"}
			n, p := newNode(t, opt{env: env, manual: true}), newNode(t, opt{env: env, manual: true})
			to := n.insert(t, p.addr)
			const size = 60000
			m := alloc(t, size)
			msg := pattern(m.Bytes(), 1)
			want := bytes.Clone(msg)
			in := make([]byte, size)
			for range 2 { // everything is mapped, and known to be possible
				exchangeOnce(t, n, p)
				rx, tx := &posted{n: p}, &posted{n: n}
				rx.post(t, func(ctx any) error { return p.ep.TRecv(in, fi.AddrUnspec, 6, 0, ctx) })
				tx.post(t, func(ctx any) error { return n.ep.TSend(msg, to, 6, ctx) })
				eventually(t, "a large message", func() bool { rx.reap(t); tx.reap(t); return rx.open+tx.open == 0 })
			}
			clear(in)
			ctx := new(int)
			if err := p.ep.TRecv(in, fi.AddrUnspec, 7, 0, ctx); err != nil {
				t.Fatal(err)
			}
			n.must(t, func() error { return n.ep.TSend(msg, to, 7, nil) })
			if road == "bulk" {
				p.q.Read(nil) //nolint:errcheck // only drives: START
				n.q.Read(nil) //nolint:errcheck // only drives: two blocks
			}
			if err := n.closeEndpoint(); err != nil {
				t.Fatal(err)
			}
			clear(msg)
			n.locked(func() {
				if n.dom.bulk != nil {
					for i := range 4 {
						clear(n.dom.bulk.block(i))
					}
				}
			})
			got := p.wait(t)
			if got.Context != any(ctx) {
				t.Fatal(got)
			}
			if got.err == 0 && !bytes.Equal(in, want) {
				t.Error("the receive completed as a success with other bytes")
			}
		})
	}
}

// TestClosingTargetServesReads closes an endpoint that has just counted a peer's read: the bytes have left, but lie in
// blocks that the peer has not copied yet.
func TestClosingTargetServesReads(t *testing.T) {
	leaves(t)
	env := map[string]string{"FI_SHM_LINGER": "60000"}
	n, p := newNode(t, opt{env: env, manual: true}), newNode(t, opt{env: env, manual: true})
	const size = 60000
	want := pattern(make([]byte, size), 1)
	n.region(t, bytes.Clone(want), 1)
	to := p.insert(t, n.addr)
	exchangeOnce(t, n, p)
	in := make([]byte, size)
	ops := &posted{n: p}
	ops.post(t, func(ctx any) error { return p.ep.Read(in, to, remote(1), ctx) })
	n.q.Read(nil) //nolint:errcheck // only drives: all of it is on its way
	closed := make(chan error)
	go func() { closed <- n.closeEndpoint() }()
	ops.settle(t, "the read", patient)
	if err := <-closed; err != nil || ops.oks != 1 || !bytes.Equal(in, want) {
		t.Error("the read was cut off:", ops.text, err)
	}
}

// TestClosedTargetDamagesNoRead closes the endpoint that a peer reads from, with the bytes on their way.
func TestClosedTargetDamagesNoRead(t *testing.T) {
	leaves(t)
	env := map[string]string{"FI_SHM_LINGER": "0"}
	n, p := newNode(t, opt{env: env, manual: true}), newNode(t, opt{env: env, manual: true})
	const size = 60000
	n.region(t, pattern(make([]byte, size), 1), 1)
	want := pattern(make([]byte, size), 1)
	to := p.insert(t, n.addr)
	exchangeOnce(t, n, p)
	in := make([]byte, size)
	read := func(ctx any) error { return p.ep.Read(in, to, remote(1), ctx) }
	first := &posted{n: p}
	first.post(t, read)
	eventually(t, "the first", func() bool { first.reap(t); return first.oks == 1 }, n)
	clear(in)
	last := &posted{n: p}
	last.post(t, read)
	n.q.Read(nil) //nolint:errcheck // only drives: all of it is on its way
	if err := n.closeEndpoint(); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		n.locked(func() { clear(n.dom.bulk.block(i)) }) // another endpoint of the domain takes them
	}
	last.settle(t, "the read", patient)
	if last.oks > 0 && !bytes.Equal(in, want) {
		t.Error("the read completed as a success with other bytes")
	}
}
