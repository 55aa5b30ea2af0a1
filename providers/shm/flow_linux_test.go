package shm

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// TestFullQueues fills the transmit queue and the ring with the peer stopped in its tracks (nobody drives it): the calls
// say fi.ErrAgain, and all goes on when the peer is driven.
func TestFullQueues(t *testing.T) {
	leaves(t)
	for _, manual := range []bool{true, false} {
		for _, size := range []int{0, 8, 1000, 8000, 100000} {
			t.Run(fmt.Sprint("manual=", manual, "/", size), func(t *testing.T) {
				a, b := newNode(t, opt{manual: manual}), newNode(t, opt{manual: manual})
				to := a.insert(t, b.addr)
				ops, in := &posted{n: a}, &posted{n: b}
				post := func(ctx any) error { return a.ep.TSend(make([]byte, size), to, 5, ctx) }
				n := 0
				for ops.post(t, post) {
					if n++; n > 200000 {
						t.Fatal("the queue is never full")
					}
				}
				for i := 0; i < 100 && manual; i++ { // it stays full
					if ops.post(t, post) {
						n++
					}
					ops.reap(t)
				}
				got := 0
				for got < n {
					if in.open < 32 {
						in.post(t, func(ctx any) error { return b.ep.TRecv(make([]byte, size), fi.AddrUnspec, 5, 0, ctx) })
						got++
					}
					in.reap(t)
					ops.reap(t)
				}
				eventually(t, "all", func() bool { in.reap(t); ops.reap(t); return in.open+ops.open == 0 })
				if in.errs+ops.errs > 0 {
					t.Error(in.text, ops.text)
				}
				a.idle(t)
				b.idle(t)
			})
		}
	}
}

// TestFloodEachOther has both sides send without receiving until neither takes more; then both receive. Small budgets
// make the senders announce; nothing is lost, order holds, and the budget holds too.
func TestFloodEachOther(t *testing.T) {
	leaves(t)
	for _, budget := range []string{"1K", "64K", "64M"} {
		for _, manual := range []bool{true, false} {
			for _, inject := range []bool{false, true} {
				t.Run(fmt.Sprint(budget, "/manual=", manual, "/inject=", inject), func(t *testing.T) {
					env := map[string]string{"FI_SHM_UNEXPECTED": budget}
					nodes := [2]*node{newNode(t, opt{env: env, manual: manual}), newNode(t, opt{env: env, manual: manual})}
					to := [2]fi.Addr{nodes[0].insert(t, nodes[1].addr), nodes[1].insert(t, nodes[0].addr)}
					var sent [2]int
					var tx, rx [2]*posted
					for i, n := range nodes {
						tx[i], rx[i] = &posted{n: n}, &posted{n: n}
					}
					one := func(i int) bool {
						n, b := nodes[i], pattern(make([]byte, 8+sent[i]%3000), sent[i])
						ok := false
						if inject {
							switch err := n.ep.TInject(b, to[i], uint64(sent[i])); err {
							case nil:
								ok = true
							case fi.ErrAgain:
							default:
								t.Fatal(err)
							}
						} else {
							ok = tx[i].post(t, func(ctx any) error { return n.ep.TSend(b, to[i], uint64(sent[i]), ctx) })
						}
						if ok {
							sent[i]++
						}
						return ok
					}
					idle := 0
					for idle < 3000 && sent[0] < 20000 {
						idle++
						for i := range nodes {
							for one(i) {
								if idle = 0; sent[i]%64 == 0 {
									break
								}
							}
							tx[i].reap(t)
						}
					}
					for i, n := range nodes {
						var kept, most int
						n.locked(func() {
							kept = n.drv.Rx.Msg.Bytes() + n.drv.Rx.Tag.Bytes()
							most = 2*n.dom.cfg.unexpected + 64<<10 + 500*min(sent[1-i], 3000)
						})
						if kept > most {
							t.Errorf("side %d keeps %d bytes, at most %d is right", i, kept, most)
						}
					}
					bufs := [2][][]byte{make([][]byte, sent[1]), make([][]byte, sent[0])}
					var at [2]int
					for at[0] < sent[1] || at[1] < sent[0] {
						for i, n := range nodes {
							if k := at[i]; k < sent[1-i] && rx[i].open < 100 {
								bufs[i][k] = make([]byte, 8+k%3000)
								rx[i].post(t, func(ctx any) error { return n.ep.TRecv(bufs[i][k], fi.AddrUnspec, uint64(k), 0, ctx) })
								at[i]++
							}
							rx[i].reap(t)
						}
						if at[0]%64 == 0 {
							runtime.Gosched()
						}
					}
					eventually(t, "all", func() bool {
						for i := range nodes {
							rx[i].reap(t)
						}
						return rx[0].open+rx[1].open+tx[0].open+tx[1].open == 0
					})
					for i := range nodes {
						if rx[i].errs+tx[i].errs > 0 {
							t.Fatal(rx[i].text, tx[i].text)
						}
						for k, b := range bufs[i] {
							if string(b) != string(pattern(make([]byte, 8+k%3000), k)) {
								t.Fatal("message", k, "is wrong")
							}
						}
					}
					t.Log(sent, "messages")
					for _, n := range nodes {
						eventually(t, "holds end", func() bool { return n.state() == "" }, nodes[0], nodes[1])
					}
				})
			}
		}
	}
}

// TestDeafSender has a sender that injects and never polls, in manual progress: it does not hear that the receiver's
// budget is full. The receiver keeps a bounded amount, and the sender is told to try again.
func TestDeafSender(t *testing.T) {
	leaves(t)
	a, b := newNode(t, opt{manual: true}), newNode(t, opt{env: map[string]string{"FI_SHM_UNEXPECTED": "100K"}})
	to := a.insert(t, b.addr)
	exchangeOnce(t, a, b)
	buf := make([]byte, 1000)
	sent := 0
	for last := time.Now(); time.Since(last) < 200*time.Millisecond && sent < 1e6; {
		switch err := a.ep.TInject(buf, to, 7); err {
		case nil:
			sent++
			last = time.Now()
		case fi.ErrAgain:
			runtime.Gosched()
		default:
			t.Fatal(err)
		}
	}
	if sent > 400 {
		t.Error(sent, "messages were taken")
	}
	var ops posted
	ops.n = b
	for i := range sent + 500 {
		if i >= sent { // now it hears
			a.must(t, func() error { return a.ep.TInject(buf, to, 7) })
		}
	}
	for range sent + 500 {
		ops.post(t, func(ctx any) error { return b.ep.TRecv(make([]byte, 1000), fi.AddrUnspec, 7, 0, ctx) })
	}
	eventually(t, "all", func() bool { ops.reap(t); return ops.open == 0 }, a)
	if ops.errs > 0 {
		t.Error(ops.text)
	}
	eventually(t, "idle", func() bool { return a.state()+b.state() == "" }, a, b)
}

// TestUnreadData has a peer write with data to a node that does not read its queue: it is made to wait, and nothing is
// lost.
func TestUnreadData(t *testing.T) {
	leaves(t)
	a, b := newNode(t, opt{}), newNode(t, opt{})
	to := a.insert(t, b.addr)
	b.region(t, alloc(t, 4096).Bytes(), 1)
	b.region(t, make([]byte, 4096), 2)
	exchangeOnce(t, a, b)
	const all = 150000
	var wg sync.WaitGroup
	wg.Add(1)
	ops := &posted{n: a}
	sent := 0
	go func() {
		defer wg.Done()
		for sent < all {
			if ops.post(t, func(ctx any) error {
				return a.ep.WriteData(make([]byte, 8), uint64(sent), to, remote(uint64(1+sent/64%2)), ctx)
			}) {
				sent++
			}
			ops.reap(t)
		}
		for i := 0; ops.open > 0; i++ {
			ops.reap(t)
			if i%64 == 0 {
				runtime.Gosched()
			}
		}
	}()
	most := 0
	for last := time.Now(); time.Since(last) < 300*time.Millisecond; {
		now := 0
		b.locked(func() { now = b.drv.RxCQ.Len() })
		if now > most {
			most, last = now, time.Now()
		}
		runtime.Gosched()
	}
	if most > 1<<16+64 {
		t.Error(most, "entries wait")
	}
	t.Log(most, "entries waited")
	for want := range uint64(all) {
		c := b.waitOK(t)
		if c.Data != want || c.Len != 8 {
			t.Fatalf("data %d of %d bytes, want %d", c.Data, c.Len, want)
		}
	}
	wg.Wait()
	if ops.errs > 0 {
		t.Error(ops.text)
	}
	a.idle(t)
	b.idle(t)
}
