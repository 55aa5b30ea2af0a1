package shm

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
)

// newCastVictim is a victim for datagrams.
func newCastVictim(t testing.TB) *victim {
	t.Helper()
	v := &victim{node: newNode(t, opt{dgram: true}), good: newNode(t, opt{dgram: true}), seen: map[any]int{}}
	v.to, v.from = v.insert(t, v.good.addr), v.good.insert(t, v.addr)
	v.exchange(t)
	return v
}

func asDatagrams(h *hello) { h.kind = helloDatagrams }

// TestHostileDatagramRubbish is TestHostileRubbish of an endpoint for datagrams.
func TestHostileDatagramRubbish(t *testing.T) {
	leaves(t)
	hostileRubbish(t, newCastVictim(t), asDatagrams)
}

// TestHostileDatagramMessages sends each op that there can be to an endpoint for datagrams: whoever sends another one than
// datagrams need is thrown out, and has not touched anything.
func TestHostileDatagramMessages(t *testing.T) {
	leaves(t)
	v := newCastVictim(t)
	access := make([]byte, accessBytes+8)
	le.PutUint64(access, 1)
	le.PutUint64(access[16:], 8)
	announce := make([]byte, announceBytes)
	le.PutUint64(announce, 1|uint64(roadBulk)<<32)
	le.PutUint64(announce[8:], 100)
	for op := range uint8(64) {
		for name, b := range map[string][]byte{"nothing": nil, "access": access, "announcement": announce, "longest": make([]byte, ring.MaxPayload)} {
			ctx, in := new(int), make([]byte, 8)
			if err := v.ep.TRecv(in, fi.AddrUnspec, 7, 0, ctx); err != nil {
				t.Fatal(err)
			}
			h := attack(t, v.drv.name, asDatagrams)
			h.put(op, 0, 1<<40, 1, b)
			if op == opProbed || op&^(eagerTagged|eagerData) == opEager {
				h.put(opEager|eagerTagged, 0, 7, 0, []byte("and more"))
				v.drive(t, "a datagram behind it", func() bool { return v.seen[ctx] == 1 })
				if h.thrownOut() || string(in) != "and more" {
					t.Errorf("op %d with %s: thrown out, or %q", op, name, in)
				}
			} else {
				v.drive(t, "it is thrown out", h.thrownOut)
				if err := v.ep.Cancel(ctx); err != nil {
					t.Errorf("op %d with %s: the receive is gone: %v", op, name, err)
				}
			}
			h.close()
		}
	}
	h := attack(t, v.drv.name, asDatagrams)
	h.put(opEager|eagerTagged, 1, 7, 0, []byte("of a group"))
	v.drive(t, "who has a peer group is thrown out", h.thrownOut)
	h.close()
	v.unharmed(t)
	var kept int
	v.locked(func() { kept = v.drv.liveOps })
	if kept != 0 {
		t.Error(kept, "operations are left")
	}
}

// TestHostileReceiver connects as a receiver whose ring takes nothing, and one whose head tells lies: who sends goes on, and
// nothing goes to memory that is not the ring's.
func TestHostileReceiver(t *testing.T) {
	leaves(t)
	v := newCastVictim(t)
	for name, lie := range map[string]func(i uint32) uint32{
		"silent":   func(uint32) uint32 { return 0 },
		"too far":  func(i uint32) uint32 { return i << 20 },
		"one each": func(i uint32) uint32 { return i },
		"back":     func(i uint32) uint32 { return -i },
	} {
		t.Run(name, func(t *testing.T) {
			var peer string
			h := attack(t, v.drv.name, func(hi *hello) { asDatagrams(hi); peer = hi.name })
			defer h.close()
			to := v.insert(t, []byte(prefix+peer))
			v.drive(t, "the pair", func() bool {
				known := false
				v.locked(func() { known = v.drv.byName[peer] != nil })
				return known
			})
			within(t, "2000 datagrams", soon, func() {
				buf := make([]byte, dgramSize)
				for i := range 2000 {
					v.must(t, func() error {
						le.PutUint32(h.file.Bytes()[256:], lie(uint32(i))) // the head of the victim's ring
						return v.ep.Inject(buf[:i%injectSize], to)
					})
				}
			})
			v.exchange(t)
		})
	}
}
