package shm

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
)

// TestHostileRubbish has a peer that writes random words into the pair's memory at random times, with the sequence words
// that the victim waits for.
func TestHostileRubbish(t *testing.T) {
	leaves(t)
	hostileRubbish(t, newVictim(t, nil), nil)
}

// hostileRubbish attacks v by hellos that change may have changed.
func hostileRubbish(t *testing.T, v *victim, change func(*hello)) {
	r := rand.New(rand.NewPCG(1, 2))
	end := time.Now().Add(1500 * time.Millisecond)
	rounds := 0
	for ; time.Now().Before(end); rounds++ {
		v.post(t, 4)
		h := attack(t, v.drv.name, change)
		mem := h.file.Bytes()
		for range 50 {
			for range r.IntN(200) {
				binary.LittleEndian.PutUint64(mem[r.IntN(len(mem)/8)*8:], r.Uint64()>>r.IntN(64))
			}
			head := binary.LittleEndian.Uint32(mem) // the victim's, unless we have spoiled it
			for range r.IntN(64) {
				p := head + r.Uint32N(ring.Lines)
				line := mem[4096+64*(p%ring.Lines):]
				for i := 8; i < 64; i += 8 {
					binary.LittleEndian.PutUint64(line[i:], r.Uint64()>>r.IntN(64))
				}
				w := r.Uint64()
				if r.IntN(2) == 0 { // no more than the op is wrong
					w = uint64(r.IntN(64))<<32 | uint64(r.IntN(41))<<40
				}
				binary.LittleEndian.PutUint64(line, w&^(1<<32-1)|uint64(p+1))
			}
			h.bell()
			v.read()
			if h.thrownOut() {
				break
			}
		}
		h.close()
	}
	t.Log(rounds, "connections")
	v.unharmed(t)
	v.drop(t)
}

// post posts some receives of every kind for the hostile peer to hit.
func (v *victim) post(t testing.TB, n int) {
	for range n {
		ctx := new(int)
		v.ep.Recv(make([]byte, rand.IntN(300)), fi.AddrUnspec, ctx)
		v.ep.TRecv(make([]byte, rand.IntN(300)), fi.AddrUnspec, uint64(rand.IntN(2)), uint64(rand.IntN(2))*0xff, ctx)
	}
	for { // completions that are of no interest
		if _, ok := v.read(); !ok {
			return
		}
	}
}

// drop waits until only the good peer is left and nothing is unfinished.
func (v *victim) drop(t testing.TB) {
	t.Helper()
	v.drive(t, "the hostile pairs end", func() bool { return v.pairs() <= 1 })
	for v.ep.Cancel(nil) == nil {
	}
	v.good.idle(t)
	v.drive(t, "no work is left", func() bool {
		var n uint32
		v.locked(func() { n = v.dom.src.work.copying + v.dom.src.work.stuck })
		return n == 0
	})
}

// field picks a value that a field may be wrong with.
func field(r *rand.Rand, good ...uint64) uint64 {
	all := append(good, 0, 1, 2, 3, 63, 64, 8192, 8193, 65535, 65536, 1<<20, 1<<31, 1<<32-1, 1<<32, 1<<47, 1<<62, 1<<63, ^uint64(0), ^uint64(0)-7)
	v := all[r.IntN(len(all))]
	switch r.IntN(8) {
	case 0:
		v = r.Uint64() >> r.IntN(64)
	case 1:
		v += uint64(r.IntN(3)) - 1
	}
	return v
}

// TestHostileMessages sends every op code with extreme values in every field.
func TestHostileMessages(t *testing.T) {
	leaves(t)
	for _, road := range []string{"auto", "bulk"} {
		t.Run(road, func(t *testing.T) {
			v := newVictim(t, map[string]string{"FI_SHM_ROAD": road})
			r := rand.New(rand.NewPCG(3, 4))
			lens := []int{0, 1, 7, 8, 31, 32, 33, 39, 40, 41, 48, 56, 64, 65, 72, 1000, 4096, 8192, 8240, ring.MaxPayload}
			sent, conns := 0, 0
			for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); conns++ {
				v.post(t, 2)
				h := attack(t, v.drv.name, nil)
				for i := range 200 {
					if i%4 == 3 && h.thrownOut() {
						break
					}
					op := uint8(r.IntN(22))
					if r.IntN(4) == 0 {
						op = uint8(r.IntN(64))
					}
					b := make([]byte, lens[r.IntN(len(lens))])
					for i := 0; i+8 <= len(b) && i < 64; i += 8 {
						binary.LittleEndian.PutUint64(b[i:], field(r))
					}
					if len(b) >= accessBytes && r.IntN(2) == 0 { // an access that could be right
						le.PutUint64(b, uint64(r.IntN(4)+1)|uint64(r.IntN(2))<<32|uint64(1+r.IntN(3))<<40)
						le.PutUint64(b[8:], uint64(r.IntN(5)))
						le.PutUint64(b[16:], field(r, uint64(len(b)-accessBytes)))
						if len(b) > accessBytes+8 {
							b[accessBytes], b[accessBytes+1], b[accessBytes+2] = byte(r.IntN(4)), byte(r.IntN(24)), byte(r.IntN(24))
						}
					}
					if op == opAnnounce && len(b) == announceBytes && r.IntN(2) == 0 {
						le.PutUint64(b, uint64(r.Uint32())|uint64(1+r.IntN(3))<<32|uint64(r.IntN(4))<<40)
					}
					sent++
					if !h.put(op, uint16(field(r)), field(r), field(r), b) {
						break
					}
					h.read(nil)
					v.read()
				}
				h.close()
			}
			t.Log(sent, "messages,", conns, "connections")
			v.unharmed(t)
			v.drop(t)
		})
	}
}

// TestHostileAnswers has the victim post an operation to a hostile peer, whose messages back are then tried one by one: whatever
// comes, the operation completes once, and no other one is touched.
func TestHostileAnswers(t *testing.T) {
	leaves(t)
	v := newVictim(t, map[string]string{"FI_SHM_ROAD": "bulk"})
	type post struct {
		name string
		do   func(to fi.Addr, ctx any) error
	}
	big, small := make([]byte, 100<<10), make([]byte, 64)
	operand := make([]byte, 8)
	posts := []post{
		{"announced", func(to fi.Addr, ctx any) error { return v.ep.TSend(big, to, 1, ctx) }},
		{"matched", func(to fi.Addr, ctx any) error {
			return v.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{small}, Addr: to, Context: ctx}, fi.OpCompletion|fi.OpMatchComplete)
		}},
		{"write", func(to fi.Addr, ctx any) error { return v.ep.Write(small, to, remote(77), ctx) }},
		{"large write", func(to fi.Addr, ctx any) error { return v.ep.Write(big, to, remote(77), ctx) }},
		{"read", func(to fi.Addr, ctx any) error { return v.ep.Read(small, to, remote(77), ctx) }},
		{"large read", func(to fi.Addr, ctx any) error { return v.ep.Read(big, to, remote(77), ctx) }},
		{"atomic", func(to fi.Addr, ctx any) error {
			return v.ep.FetchAtomic(operand, small[:8], to, remote(77), fi.TypeUint64, fi.AtomicSum, ctx)
		}},
	}
	type answer struct {
		op      uint8
		aux     uint16
		tag     uint64
		payload int
		times   int
	}
	var answers []answer
	for _, op := range []uint8{opAck, opStart, opReadBytes, opAtomicResult, opDone, opCanceled, opFailed, opBlock, opBlockFree} {
		for _, tag := range []uint64{0, 1, 64, 100 << 10, 1 << 40, 5 | 8192<<32, 1 << 35, ^uint64(0)} {
			for _, aux := range []uint16{0, 1, 0xffff} {
				for _, n := range []int{0, 8, 64} {
					answers = append(answers, answer{op, aux, tag, n, 1 + rand.IntN(2)})
				}
			}
		}
	}
	var h *hostile
	var to fi.Addr
	names := 0
	reconnect := func() {
		if h != nil {
			h.close()
		}
		names++
		name := "answers-" + v.drv.name + "-" + string(rune('a'+names%26))
		h = attack(t, v.drv.name, func(hi *hello) { hi.name = name })
		to = v.insert(t, []byte(prefix+name))
		v.drive(t, "the pair", func() bool {
			ok := false
			v.locked(func() { p := v.drv.byName[name]; ok = p != nil && p.state == ready })
			return ok
		})
	}
	reconnect()
	for i, a := range answers {
		p := posts[i%len(posts)]
		ctx := new(int)
		if err := p.do(to, ctx); err != nil {
			t.Fatal(p.name, err)
		}
		id := uint64(0)
		h.read(func(op uint8, _ uint16, _, _ uint64, b []byte) {
			if len(b) >= 4 {
				id = uint64(le.Uint32(b))
			}
		})
		for range a.times {
			h.put(a.op, a.aux, a.tag, id, make([]byte, a.payload))
		}
		if rand.IntN(2) == 0 { // let the victim work on it, as far as it will
			for range 20 {
				v.read()
			}
		}
		if v.seen[ctx] == 1 && !h.thrownOut() {
			continue
		}
		h.close()
		v.drive(t, "the pair ends", func() bool { return v.pairs() == 1 })
		v.drive(t, "everything was read", func() bool { _, ok := v.read(); return !ok })
		if n := v.seen[ctx]; n != 1 {
			t.Fatalf("%s answered by %+v completed %d times", p.name, a, n)
		}
		h = nil
		reconnect()
	}
	h.close()
	v.unharmed(t)
	v.drop(t)
	var live int
	v.locked(func() { live = v.drv.liveOps })
	if live != 0 {
		t.Error(live, "operations are left")
	}
	runtime.KeepAlive(big)
}
