package ring

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

func TestMalformedLines(t *testing.T) {
	_, a, b := ends(t, Plain, 0)
	area := func(size, off uint32) func(l *line) {
		return func(l *line) {
			l.word = word(0, 1, 0, placeArea|descriptor<<lenShift)
			binary.NativeEndian.PutUint64(l.pay[:], uint64(size)|uint64(off)<<32)
		}
	}
	shape := func(place, n uint64) func(l *line) {
		return func(l *line) { l.word = word(0, 1, 0, place|n<<lenShift) }
	}
	for name, f := range map[string]func(l *line){
		"inline 41":          shape(placeInline, 41),
		"inline 255":         shape(placeInline, 255),
		"next 0":             shape(placeNext, 0),
		"next 40":            shape(placeNext, 40),
		"next 65":            shape(placeNext, 65),
		"place 3":            shape(placeMask, 8),
		"area without size":  shape(placeArea, 0),
		"area 0 bytes":       area(0, 0),
		"area 64 bytes":      area(64, 0),
		"area too long":      area(MaxPayload+1, 0),
		"area past the end":  area(128, areaBytes-64),
		"area offset at end": area(128, areaBytes),
		"area offset wraps":  area(128, ^uint32(0)&^63),
		"area huge":          area(^uint32(0), 0),
		"area crooked":       area(128, 8),
	} {
		*a.Tx.lines = [Lines]line{}
		b.Rx.broken = false
		f(&a.Tx.lines[0])
		if op, aux, tag, data, p, s := b.Rx.Next(); s != Broken || p != nil || op != 0 || aux != 0 || tag != 0 || data != 0 {
			t.Errorf("%s: %v, %d bytes", name, s, len(p))
		}
		pos := b.Rx.pos
		if b.Rx.Advance() || b.Rx.pos != pos {
			t.Errorf("%s: Advance passed a malformed line", name)
		}
		shape(placeInline, 8)(&a.Tx.lines[0])
		if _, _, _, _, _, s := b.Rx.Next(); s != Broken {
			t.Errorf("%s: %v after it was mended, want broken for good", name, s)
		}
	}
}

// A head that cannot be is ignored, one that can be is taken, and neither upsets the producer.
func TestImplausibleHead(t *testing.T) {
	_, a, _ := ends(t, Plain, 0)
	for range 10 {
		a.Tx.Put(1, 0, 0, 0, nil)
	}
	for _, h := range []uint32{11, 1000, 1 << 31, ^uint32(0)} {
		*a.Tx.head = h
		a.Tx.refresh()
		if a.Tx.seen != 0 {
			t.Errorf("head %d taken", h)
		}
	}
	*a.Tx.head = 10
	a.Tx.refresh()
	*a.Tx.head = 4 // back again
	a.Tx.refresh()
	if a.Tx.seen != 10 {
		t.Error("head went back")
	}
}

// victim checks that a producer and a consumer stay inside the pair whatever is in it.
type victim struct {
	t    testing.TB
	mem  []byte
	a, b *Pair
}

func (v *victim) send(n int, put bool) {
	if put && n >= 0 && n <= MaxPayload+1 {
		v.a.Tx.Put(3, 4, 5, 6, zeros[:n])
		return
	}
	p := v.a.Tx.Reserve(n)
	if p == nil {
		return
	}
	if len(p) != n || n > 0 && !inside(v.mem[controlBytes:controlBytes+ringBytes], p) {
		v.t.Fatalf("reserved %d bytes outside the ring", n)
	}
	for i := 0; i < len(p); i += 61 {
		p[i]++
	}
	v.a.Tx.Commit(1, 2, 3, 4)
}

func (v *victim) recv() {
	for range Lines + 1 { // an honest ring cannot hold more
		v.b.Rx.Ready()
		_, _, _, _, p, s := v.b.Rx.Next()
		if s != Message {
			if v.b.Rx.Advance() || p != nil {
				v.t.Fatal("a message out of nothing")
			}
			return
		}
		if len(p) > MaxPayload || len(p) > 0 && !inside(v.mem[controlBytes:controlBytes+ringBytes], p) {
			v.t.Fatalf("payload of %d bytes outside the ring", len(p))
		}
		if len(p) > 0 {
			sink += p[0] + p[len(p)-1]
		}
		v.b.Rx.Advance()
	}
}

var (
	sink  byte
	zeros = make([]byte, MaxPayload+2)
)

func newVictim(t testing.TB) *victim {
	mem, a, b := ends(t, Plain, 0)
	return &victim{t, mem, a, b}
}

// FuzzHostile changes the shared memory between the calls. Each step of the input is a byte of what to do and four
// bytes of where and what.
func FuzzHostile(f *testing.F) {
	f.Add([]byte{0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 16, 255, 255, 1, 0, 0, 0, 0})
	f.Add([]byte{0, 0, 32, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 8, 1, 255, 0, 0, 100, 0, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		v := newVictim(t)
		for ; len(in) >= 5; in = in[5:] {
			x := binary.LittleEndian.Uint32(in[1:])
			switch in[0] % 8 {
			case 0:
				v.send(int(int32(x))>>16, in[0]&8 != 0)
			case 1:
				v.recv()
			case 2: // a byte anywhere
				v.mem[x%PairBytes] = byte(x >> 24)
			case 3: // the head
				*v.a.Tx.head = v.a.Tx.seen + x%200 - 20
			case 4: // a header that the consumer will look at
				w := &v.a.Tx.lines[v.b.Rx.pos%Lines]
				w.word = uint64(v.b.Rx.pos+1) | uint64(x)<<32
			case 5: // where a large payload is said to be
				l := &v.a.Tx.lines[v.b.Rx.pos%Lines]
				l.word = word(v.b.Rx.pos, 1, 1, placeArea|descriptor<<lenShift)
				binary.NativeEndian.PutUint64(l.pay[:], uint64(x&0xffff)|uint64(x>>16)<<32)
			case 6:
				v.b.Rx.broken = false // a new victim, as it were
			case 7:
				v.b.Rx.Flush()
				v.b.Theirs.In(x, x)
			}
		}
	})
}

// A peer scribbles over the whole pair while both ends work.
func TestScribbler(t *testing.T) {
	if raceEnabled {
		t.Skip("known: the scribbler is a data race by intent")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	v := newVictim(t)
	var stop atomic.Bool
	var wrote atomic.Uint64
	var wg sync.WaitGroup
	wg.Go(func() {
		r := rand.New(rand.NewPCG(1, 2))
		words := unsafe.Slice((*uint64)(ptr(v.mem)), PairBytes/8)
		for !stop.Load() {
			wrote.Add(1)
			x := r.Uint64()
			i := x >> 32 % (PairBytes / 8)
			switch x % 4 {
			case 0:
				atomic.StoreUint64(&words[i], r.Uint64())
			case 1:
				*v.a.Tx.head = uint32(x >> 20 & 0x3ff)
			default: // a header that may be just right
				p := atomic.LoadUint32(&v.b.Rx.pos) + uint32(x>>10&3)
				atomic.StoreUint64(&v.a.Tx.lines[p%Lines].word, uint64(p+1)|r.Uint64()<<32)
			}
		}
	})
	broken := 0
	for i := 0; i < 60000 || wrote.Load() < 200000; i++ {
		if i%100 == 0 {
			runtime.Gosched()
		}
		v.send(edgeSizes[i%len(edgeSizes)], i%3 == 0)
		v.recv()
		if v.b.Rx.broken {
			v.b.Rx.broken = false
			broken++
		}
	}
	stop.Store(true)
	wg.Wait()
	if broken == 0 {
		t.Error("the scribbler broke nothing: the test shows nothing")
	}
}
