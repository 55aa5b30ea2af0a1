package ring

import (
	"errors"
	"testing"
	"unsafe"
)

func TestLayoutSizes(t *testing.T) {
	if controlBytes+2*ringBytes != PairBytes {
		t.Errorf("the parts of a pair have %d bytes, want %d", controlBytes+2*ringBytes, PairBytes)
	}
	if n := unsafe.Sizeof(line{}); n != LineSize {
		t.Errorf("a line has %d bytes", n)
	}
	if n := unsafe.Sizeof([BusyWords]busyWord{}); n != busyStride {
		t.Errorf("busy words of one direction have %d bytes, their stride is %d", n, busyStride)
	}
	if busyOffset+2*busyStride > controlBytes || 2*headStride > wordOffset || wordOffset+2*wordStride > busyOffset {
		t.Error("control words overlap")
	}
	if MaxPayload > (areaBytes-tellBytes)/2 {
		t.Error("a payload of the largest size may never find room")
	}
	var p Pair
	if n := unsafe.Sizeof(p); n != 512 { // more would get an allocation header of 8 bytes in front
		t.Errorf("a Pair has %d bytes, want 512", n)
	}
	if o := unsafe.Offsetof(p.Tx.ends); o != 64 {
		t.Errorf("the producer's hot state has %d bytes, want 64", o)
	}
	if o := unsafe.Offsetof(p.Rx); o%64 != 0 || unsafe.Sizeof(p.Rx) != 64 {
		t.Errorf("the consumer's state is at %d with %d bytes", o, unsafe.Sizeof(p.Rx))
	}
	for range 50 {
		_, a, _ := ends(t, Plain, 0)
		if uintptr(unsafe.Pointer(a))%64 != 0 {
			t.Fatal("a Pair does not begin at a cache line")
		}
	}
}

func TestLayoutRefuses(t *testing.T) {
	mem := memory()
	for name, c := range map[string]struct {
		mem []byte
		cfg Config
	}{
		"nil":     {nil, Config{}},
		"short":   {mem[:PairBytes-1], Config{}},
		"long":    {make([]byte, PairBytes+1), Config{}},
		"crooked": {make([]byte, PairBytes+64)[9 : PairBytes+9], Config{}},
		"side":    {mem, Config{Side: 2}},
		"publish": {mem, Config{Publish: 2}},
		"first":   {mem, Config{First: Lines}},
	} {
		if p, err := Layout(c.mem, c.cfg); p != nil || !errors.Is(err, ErrLayout) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}

// The two directions of a pair do not touch each other or the control page.
func TestDirectionsApart(t *testing.T) {
	mem, a, b := ends(t, Plain, 5)
	for i := range mem {
		mem[i] = 0
	}
	for _, c := range []struct {
		tx   *Tx
		low  int
		high int
	}{{&a.Tx, controlBytes, controlBytes + ringBytes}, {&b.Tx, controlBytes + ringBytes, PairBytes}} {
		clear(mem)
		for i := 0; ; i++ {
			p := c.tx.Reserve(edgeSizes[i%len(edgeSizes)])
			if p == nil {
				break
			}
			for j := range p {
				p[j] = 0xff
			}
			c.tx.Commit(MaxOp, 0xffff, ^uint64(0), ^uint64(0))
		}
		for i, v := range mem {
			if v != 0 && (i < c.low || i >= c.high) {
				t.Fatalf("byte %d written, the ring is [%d, %d)", i, c.low, c.high)
			}
		}
	}
}

func TestBusyWords(t *testing.T) {
	for _, publish := range []Publish{Plain, Fenced} {
		_, a, b := ends(t, publish, 0)
		for lane := range BusyWords {
			if _, _, ok := b.Theirs.Inside(lane); ok {
				t.Fatal("inside at the start")
			}
			a.Mine.Enter(lane, uint32(lane), 7)
			b.Mine.Enter(lane, 9, uint32(lane))
		}
		for lane := range BusyWords {
			if s, g, ok := b.Theirs.Inside(lane); !ok || s != uint32(lane) || g != 7 {
				t.Fatal(lane, s, g, ok)
			}
			if s, g, ok := a.Theirs.Inside(lane); !ok || s != 9 || g != uint32(lane) {
				t.Fatal(lane, s, g, ok)
			}
		}
		if !b.Theirs.In(3, 7) || b.Theirs.In(3, 8) || b.Theirs.In(4, 7) {
			t.Error("In is wrong")
		}
		a.Mine.Leave(3)
		if b.Theirs.In(3, 7) || !b.Theirs.In(2, 7) {
			t.Error("Leave is wrong")
		}
		a.Mine.Enter(-1, 1, 1) // any lane number is taken modulo four
		if !b.Theirs.In(1, 1) {
			t.Error("lane -1 is no lane")
		}
	}
}
