package shm

import (
	"runtime"
	"testing"
	"time"
)

// heap is the memory in use, in MiB.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc >> 20)
}

// flood sends until the victim has hung up, or takes no more for a while, and gives the number of messages.
func (h *hostile) flood(most int, while time.Duration, next func(i int) (op uint8, aux uint16, tag, data uint64, payload []byte)) (n int, thrownOut bool) {
	last := time.Now()
	for n < most {
		op, aux, tag, data, payload := next(n)
		if h.ring.Tx.Put(op, aux, tag, data, payload) {
			n++
			last = time.Now()
			continue
		}
		h.bell()
		yield()
		if h.thrownOut() {
			return n, true
		}
		if time.Since(last) > while {
			return n, false
		}
	}
	return n, false
}

// TestHostileFloods has a peer that sends and never reads or matches. What that costs us is bounded.
func TestHostileFloods(t *testing.T) {
	leaves(t)
	accessAt := func(id int, key, size uint64, flags byte) []byte {
		b := make([]byte, accessBytes)
		le.PutUint32(b, uint32(id))
		b[4] = flags
		b[5] = byte(roadBulk)
		le.PutUint64(b[8:], key)
		le.PutUint64(b[16:], size)
		le.PutUint64(b[40:], size)
		return b
	}
	small := make([]byte, 4000)
	for _, c := range []struct {
		name string
		next func(i int) (op uint8, aux uint16, tag, data uint64, payload []byte)
		out  bool // thrown out, not only made to wait
		most int
	}{
		{"eager", func(i int) (uint8, uint16, uint64, uint64, []byte) {
			return opEager | eagerTagged, 0, uint64(i), 0, small
		}, false, 1 << 20},
		{"empty eager", func(i int) (uint8, uint16, uint64, uint64, []byte) {
			return opEager | eagerTagged, 0, uint64(i), 0, nil
		}, false, 1 << 22},
		{"announcements", func(i int) (uint8, uint16, uint64, uint64, []byte) {
			b := make([]byte, announceBytes)
			le.PutUint32(b, uint32(i))
			b[4], b[5] = byte(roadBulk), eagerTagged
			le.PutUint64(b[8:], 1<<20)
			return opAnnounce, 0, uint64(i), 0, b
		}, true, 1 << 20},
		{"small reads", func(i int) (uint8, uint16, uint64, uint64, []byte) {
			return opRead, 0, 0, 0, accessAt(i, 1, 8192, 0)
		}, true, 1 << 20},
		{"large reads", func(i int) (uint8, uint16, uint64, uint64, []byte) {
			return opRead, 0, 0, 0, accessAt(i, 1, 30000, 0)
		}, true, 1 << 20},
		{"large writes", func(i int) (uint8, uint16, uint64, uint64, []byte) {
			return opWriteLarge, 0, 0, 0, accessAt(i, 2, 10000, 0)
		}, true, 1 << 20},
		{"wrong keys", func(i int) (uint8, uint16, uint64, uint64, []byte) {
			return opRead, 0, 0, 0, accessAt(i, 1<<40, 8192, 0)
		}, true, 1 << 20},
		{"data", func(i int) (uint8, uint16, uint64, uint64, []byte) { return opNotify, 1, 8, uint64(i), nil }, false, 1 << 20},
		{"writes with data", func(i int) (uint8, uint16, uint64, uint64, []byte) {
			return opWrite, 0, 0, uint64(i), accessAt(i, 1, 0, accessData)
		}, false, 1 << 20},
		{"withdrawals", func(i int) (uint8, uint16, uint64, uint64, []byte) { return opCancelMsg, 0, 0, uint64(i), nil }, true, 1 << 22},
		{"hold", func(i int) (uint8, uint16, uint64, uint64, []byte) { return opHold, uint16(i & 1), uint64(i), 0, nil }, false, 1 << 18},
		{"retire", func(i int) (uint8, uint16, uint64, uint64, []byte) { return opRetire, 0, 0, uint64(i), nil }, false, 1 << 18},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := newVictim(t, map[string]string{"FI_SHM_UNEXPECTED": "1M"})
			before := heap()
			h := attack(t, v.drv.name, nil)
			start := time.Now()
			while := 300 * time.Millisecond
			if c.out {
				while = patient
			}
			n, out := h.flood(c.most, while, c.next)
			if used := heap() - before; used > 80 {
				t.Errorf("%d messages made us hold %d MiB", n, used)
			}
			t.Logf("%d messages in %v, thrown out %v, %d MiB", n, time.Since(start).Round(time.Millisecond), out, heap()-before)
			if out != c.out {
				t.Errorf("thrown out: %v, want %v", out, c.out)
			}
			v.unharmed(t)
			h.close()
			for v.pairs() > 1 {
				v.node.read()
			}
			for drained := false; !drained; {
				_, ok := v.node.read()
				drained = !ok
			}
		})
	}
}

// TestHostileHolds: a peer that tells us to announce, without end, gets announcements; nothing of ours is lost.
func TestHostileHolds(t *testing.T) {
	leaves(t)
	v := newVictim(t, nil)
	name := "holder-" + v.drv.name
	h := attack(t, v.drv.name, func(hi *hello) { hi.name = name })
	to := v.insert(t, []byte(prefix+name))
	h.put(opHold, 1, 7, 0, nil)
	v.drive(t, "hold", func() bool { return *h.ring.TheirWord == 7 })
	ctx := new(int)
	if err := v.ep.TInject([]byte("hello"), to, 3); err != nil {
		t.Fatal(err)
	}
	if err := v.ep.TSend([]byte("there"), to, 4, ctx); err != nil {
		t.Fatal(err)
	}
	n := 0
	h.read(func(op uint8, _ uint16, _, _ uint64, b []byte) {
		if op == opAnnounce {
			n++
			h.put(opAck, 0, 0, uint64(le.Uint32(b)), nil)
		}
	})
	if n != 2 {
		t.Fatal(n, "announcements")
	}
	v.drive(t, "the send completes", func() bool { return v.seen[ctx] == 1 })
	h.close()
	v.unharmed(t)
	v.drop(t)
}
