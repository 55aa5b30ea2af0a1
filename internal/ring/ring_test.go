package ring

import (
	"fmt"
	"testing"
)

// Every size and field goes through, by Put and by Reserve, and comes out the same.
func TestRoundTrip(t *testing.T) {
	for _, publish := range []Publish{Plain, Fenced} {
		_, a, b := ends(t, publish, 3)
		buf := make([]byte, MaxPayload)
		for i := range 40 * len(edgeSizes) {
			n := edgeSizes[i%len(edgeSizes)]
			op, aux := uint8(i)&MaxOp, uint16(i*977)
			tag, data := uint64(i)<<40|1, ^uint64(i)
			if b.Rx.Ready() {
				t.Fatal("ready before")
			}
			if i/len(edgeSizes)%2 == 0 {
				fill(buf[:n], i)
				if !a.Tx.Put(op, aux, tag, data, buf[:n]) {
					t.Fatal("full", i, n)
				}
			} else {
				p := a.Tx.Reserve(n)
				if p == nil || len(p) != n || cap(p) != n {
					t.Fatal("reserved", len(p), cap(p), n)
				}
				fill(p, i)
				if b.Rx.Ready() {
					t.Fatal("ready before Commit")
				}
				a.Tx.Commit(op, aux, tag, data)
			}
			if !b.Rx.Ready() {
				t.Fatal("not ready", i, n)
			}
			for range 2 { // Next without Advance returns the same
				o, x, g, d, p, s := b.Rx.Next()
				if s != Message || o != op || x != aux || g != tag || d != data || len(p) != n || cap(p) != n || p == nil {
					t.Fatal(i, n, o, x, g, d, len(p), cap(p), s)
				}
				checkFill(t, p, i)
			}
			b.Rx.Advance()
		}
	}
}

func TestEmptyAndFull(t *testing.T) {
	_, a, b := ends(t, Plain, 0)
	if _, _, _, _, p, s := b.Rx.Next(); s != Empty || p != nil {
		t.Fatal(s)
	}
	if b.Rx.Advance() {
		t.Error("Advance of nothing published the head")
	}
	a.Tx.Commit(1, 0, 0, 0) // nothing reserved
	if b.Rx.Ready() {
		t.Error("Commit without Reserve published a line")
	}
	for i := range Lines {
		if !a.Tx.Put(1, 0, uint64(i), 0, nil) {
			t.Fatal("full after", i)
		}
	}
	for _, n := range edgeSizes {
		if a.Tx.Reserve(n) != nil || a.Tx.Put(1, 0, 0, 0, make([]byte, n)) {
			t.Fatal("room in a full ring for", n)
		}
	}
	a.Tx.Commit(1, 0, 0, 0) // the last Reserve failed
	told := 0
	for i := range Lines {
		_, _, tag, _, _, s := b.Rx.Next()
		if s != Message || tag != uint64(i) {
			t.Fatal(i, tag, s)
		}
		if b.Rx.Advance() {
			told++
		}
	}
	if told != 4 {
		t.Errorf("head published %d times in a lap, want 4", told)
	}
	if b.Rx.Ready() {
		t.Error("ready after the last")
	}
}

func TestReserveRange(t *testing.T) {
	_, a, b := ends(t, Plain, 0)
	for _, n := range []int{-1, -1 << 63, MaxPayload + 1, 1 << 30, 1<<63 - 1} {
		if a.Tx.Reserve(n) != nil {
			t.Error("room for", n)
		}
	}
	if a.Tx.Put(0, 0, 0, 0, make([]byte, MaxPayload+1)) || b.Rx.Ready() {
		t.Error("a message too long was sent")
	}
	a.Tx.Reserve(8)
	a.Tx.Reserve(-1) // takes the place of the first, though it fails
	a.Tx.Commit(1, 0, 0, 0)
	if b.Rx.Ready() {
		t.Error("a reservation that was given up was sent")
	}
	if p := a.Tx.Reserve(0); p == nil {
		t.Error("nil for zero bytes in an empty ring")
	}
}

// A reservation given up leaves no trace, whatever its place, and Reserve is a question that may be repeated.
func TestReserveReplaces(t *testing.T) {
	_, a, b := ends(t, Plain, 0)
	for i := range 500 {
		for _, n := range edgeSizes {
			a.Tx.Reserve(n)
		}
		n := edgeSizes[i%len(edgeSizes)]
		p := a.Tx.Reserve(n)
		if p == nil {
			t.Fatal("full", i)
		}
		fill(p, i)
		if i%5 == 0 { // Put gives the reservation up too
			fill(p[:min(n, 8)], i)
			if !a.Tx.Put(2, 0, uint64(i), 0, append([]byte(nil), p...)) {
				t.Fatal("full", i)
			}
			a.Tx.Commit(3, 0, 0, 0)
		} else {
			a.Tx.Commit(2, 0, uint64(i), 0)
		}
		op, _, tag, _, q, s := b.Rx.Next()
		if s != Message || op != 2 || tag != uint64(i) || len(q) != n {
			t.Fatal(i, op, tag, len(q), s)
		}
		checkFill(t, q, i)
		b.Rx.Advance()
		if b.Rx.Ready() {
			t.Fatal("a second message", i)
		}
	}
}

// Positions pass 2^32, at every place of a lap and with messages of one and of two lines.
func TestWrap32(t *testing.T) {
	for before := range uint32(2*Lines + 3) {
		_, a, b := ends(t, Plain, 0)
		startAt(a, b, -before)
		for i := range 600 {
			n := []int{8, 64, 40, 50, 100, 64}[i%6]
			p := a.Tx.Reserve(n)
			if p == nil {
				t.Fatal("full", before, i)
			}
			fill(p, i)
			a.Tx.Commit(1, 0, uint64(i), 0)
			if i%50 < 30 {
				continue
			}
			for b.Rx.Ready() {
				_, _, tag, _, q, _ := b.Rx.Next()
				checkFill(t, q, int(tag))
				b.Rx.Advance()
			}
		}
		if b.Rx.pos != a.Tx.pos || b.Rx.pos > 1<<20 {
			t.Fatalf("from -%d: producer at %d, consumer at %d", before, a.Tx.pos, b.Rx.pos)
		}
	}
}

// User bytes in a next line that look like the header of the next lap are not taken for one.
func TestSequenceTrap(t *testing.T) {
	for _, start := range []uint32{0, 1000, 1<<32 - Lines, 1<<32 - Lines - 2, 1<<32 - 2} {
		_, a, b := ends(t, Plain, 0)
		startAt(a, b, start)
		for i := range 4 * Lines {
			p := a.Tx.Reserve(LineSize)
			// the word that would publish a message at this place one lap later, with every op and a length of 8
			*(*line)(ptr(p)) = line{word: word(a.Tx.pos+1+Lines, 5, 9, 8<<lenShift)}
			a.Tx.Commit(1, 0, uint64(i), 0)
			op, _, tag, _, _, s := b.Rx.Next()
			if s != Message || op != 1 || tag != uint64(i) {
				t.Fatalf("start %d, message %d: op %d, tag %d, %v", start, i, op, tag, s)
			}
			b.Rx.Advance()
			if i%3 == 0 { // shift by one line, so that headers fall on lines that held payload
				a.Tx.Put(1, 0, 77, 0, nil)
				b.Rx.Next()
				b.Rx.Advance()
			}
			if b.Rx.Ready() {
				t.Fatalf("start %d, after message %d: the user's bytes were taken for a header", start, i)
			}
		}
	}
}

func TestOpIsMasked(t *testing.T) {
	_, a, b := ends(t, Plain, 0)
	a.Tx.Put(0xff, 0xffff, 1, 2, []byte{3})
	op, aux, _, _, p, s := b.Rx.Next()
	if op != MaxOp || aux != 0xffff || len(p) != 1 || s != Message {
		t.Error(op, aux, len(p), s)
	}
}

func TestStatusString(t *testing.T) {
	if s := fmt.Sprint(Empty, Message, Broken); s != "empty message broken" {
		t.Error(s)
	}
}

// TestAllocs covers all functions marked as fast path.
func TestAllocs(t *testing.T) {
	_, a, b := ends(t, Plain, 0)
	buf := make([]byte, MaxPayload)
	for _, n := range []int{0, 8, 40, 64, 1024, MaxPayload} {
		i := 0
		allocs := testing.AllocsPerRun(1000, func() {
			i++
			if i%2 == 0 {
				copy(a.Tx.Reserve(n), buf)
				a.Tx.Commit(1, 2, 3, 4)
			} else {
				a.Tx.Put(1, 2, 3, 4, buf[:n])
			}
			if b.Rx.Ready() {
				_, _, _, _, p, _ := b.Rx.Next()
				copy(buf, p)
				b.Rx.Advance()
			}
			a.Mine.Enter(1, 2, 3)
			a.Mine.Leave(1)
			b.Theirs.In(2, 3)
		})
		if allocs != 0 {
			t.Errorf("%d bytes: %v allocations", n, allocs)
		}
	}
}
