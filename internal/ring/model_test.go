package ring

import (
	"testing"

	"pgregory.net/rapid"
)

// Any interleaving of producer and consumer behaves as a queue; the producer is refused only when bytes or lines are
// really in use; and once the consumer has read everything there is room for any payload, without a Flush.
func TestQueueModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := memory()
		first := uint8(rapid.IntRange(0, Lines-1).Draw(t, "first"))
		a, _ := Layout(mem, Config{Side: Maker, First: first})
		b, _ := Layout(mem, Config{Side: Taker, First: first})
		if rapid.Bool().Draw(t, "wrap") {
			startAt(a, b, -uint32(rapid.IntRange(0, 300).Draw(t, "before")))
		}
		type msg struct{ i, n int }
		var queue []msg
		sent := 0
		size := rapid.OneOf(rapid.SampledFrom(edgeSizes), rapid.IntRange(0, 200), rapid.IntRange(0, MaxPayload))
		send := func(n int) bool {
			p := a.Tx.Reserve(n)
			if p == nil {
				return false
			}
			if len(p) != n || !inside(mem, p) {
				t.Fatalf("reserved %d bytes, got %d", n, len(p))
			}
			for j := range p {
				p[j] = byte(sent*7 + j)
			}
			a.Tx.Commit(uint8(sent)&MaxOp, uint16(sent), uint64(sent), ^uint64(n))
			queue = append(queue, msg{sent, n})
			sent++
			return true
		}
		recv := func() {
			op, aux, tag, data, p, s := b.Rx.Next()
			if len(queue) == 0 {
				if s != Empty || b.Rx.Ready() {
					t.Fatalf("%v from an empty ring", s)
				}
				return
			}
			m := queue[0]
			queue = queue[1:]
			if s != Message || op != uint8(m.i)&MaxOp || aux != uint16(m.i) || tag != uint64(m.i) || data != ^uint64(m.n) || len(p) != m.n {
				t.Fatalf("message %d of %d bytes came as op %d, aux %d, tag %d, %d bytes, %v", m.i, m.n, op, aux, tag, len(p), s)
			}
			for j := range p {
				if p[j] != byte(m.i*7+j) {
					t.Fatalf("message %d of %d bytes: byte %d is wrong", m.i, m.n, j)
				}
			}
			b.Rx.Advance()
		}
		t.Repeat(map[string]func(*rapid.T){
			"send": func(t *rapid.T) {
				n := size.Draw(t, "n")
				if !send(n) && len(queue) == 0 {
					t.Fatalf("no room for %d bytes though all was read", n)
				}
			},
			"burst": func(t *rapid.T) {
				for n := size.Draw(t, "n"); send(n); {
				}
			},
			"give up": func(t *rapid.T) { a.Tx.Reserve(size.Draw(t, "n")) },
			"recv":    func(t *rapid.T) { recv() },
			"drain": func(t *rapid.T) {
				for len(queue) > 0 {
					recv()
				}
				if a.Tx.Reserve(MaxPayload) == nil || a.Tx.Reserve(LineSize) == nil {
					t.Fatal("no room though all was read")
				}
			},
			"flush": func(t *rapid.T) { b.Rx.Flush() },
		})
	})
}
