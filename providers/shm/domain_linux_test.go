package shm

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/gofabric/gofabric/fi"
)

// TestClosedDomainsGo: memory of mr.Alloc that outlives the domains that have shown it to peers does not keep them.
func TestClosedDomainsGo(t *testing.T) {
	leaves(t)
	m := alloc(t, 1<<20)
	var old []weak.Pointer[domain]
	for range 5 {
		a, err := open(opt{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := open(opt{})
		if err != nil {
			t.Fatal(err)
		}
		exchangeOnce(t, a, b)
		ops, in := &posted{n: a}, &posted{n: b}
		in.post(t, func(ctx any) error { return b.ep.TRecv(make([]byte, 1<<20), fi.AddrUnspec, 3, 0, ctx) })
		ops.post(t, func(ctx any) error { return a.ep.TSend(m.Bytes(), 0, 3, ctx) })
		eventually(t, "a message", func() bool { ops.reap(t); in.reap(t); return ops.open+in.open == 0 })
		old = append(old, weak.Make(a.dom), weak.Make(b.dom))
		if err := a.close(); err != nil {
			t.Error(err)
		}
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}
	live := 0
	for end := time.Now().Add(patient); time.Now().Before(end); {
		runtime.GC()
		live = 0
		for _, w := range old {
			if w.Value() != nil {
				live++
			}
		}
		if live <= 2 { // the last ones may be on a stack
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d of %d closed domains are still there", live, len(old))
}
