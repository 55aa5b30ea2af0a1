package shm

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// posted counts what becomes of operations: each completes once.
type posted struct {
	n    *node
	open int
	oks  int
	errs int
	text string
}

type oneOp struct {
	p    *posted
	seen int
}

// post posts one more; false when the node says fi.ErrAgain.
func (p *posted) post(t testing.TB, f func(ctx any) error) bool {
	t.Helper()
	o := &oneOp{p: p}
	switch err := f(o); err {
	case nil:
		p.open++
		return true
	case fi.ErrAgain:
		return false
	default:
		t.Fatal(err)
	}
	return false
}

// reap takes completions.
func (p *posted) reap(t testing.TB) (any bool) {
	t.Helper()
	for {
		c, ok := p.n.read()
		if !ok {
			return any
		}
		any = true
		o, ok := c.Context.(*oneOp)
		if !ok {
			continue
		}
		if o.seen++; o.seen > 1 {
			t.Fatal("an operation has completed twice")
		}
		o.p.open--
		if c.err == 0 {
			o.p.oks++
		} else {
			o.p.errs++
			o.p.text = c.text
		}
	}
}

// storm keeps a window of operations open until a moment.
func (p *posted) storm(t testing.TB, until time.Time, window int, f func(ctx any) error) {
	for i := 0; time.Now().Before(until); i++ {
		if p.open >= window || !p.post(t, f) {
			p.reap(t)
			if i%64 == 0 {
				runtime.Gosched()
			}
		}
	}
}

// kinds are the operations of a storm, by what happens inside.
func kinds(n *node, to fi.Addr, mem *mr.Memory) map[string]func(ctx any) error {
	small, eager, heap, own := make([]byte, 8), make([]byte, 6000), make([]byte, 1<<20), mem.Bytes()
	at := func(key uint64) mr.Remote { return remote(key) }
	return map[string]func(ctx any) error{
		"small":        func(ctx any) error { return n.ep.TSend(small, to, 7, ctx) },
		"eager":        func(ctx any) error { return n.ep.TSend(eager, to, 7, ctx) },
		"large":        func(ctx any) error { return n.ep.TSend(heap, to, 7, ctx) },
		"large-shared": func(ctx any) error { return n.ep.TSend(own, to, 7, ctx) },
		"matched": func(ctx any) error {
			return n.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{small}, Addr: to, Tag: 7, Context: ctx}, fi.OpCompletion|fi.OpMatchComplete)
		},
		"write":         func(ctx any) error { return n.ep.Write(small, to, at(sharedKey), ctx) },
		"write-1M":      func(ctx any) error { return n.ep.Write(heap, to, at(sharedKey), ctx) },
		"write-heap":    func(ctx any) error { return n.ep.Write(eager, to, at(heapKey), ctx) },
		"write-heap-1M": func(ctx any) error { return n.ep.Write(heap, to, at(heapKey), ctx) },
		"read":          func(ctx any) error { return n.ep.Read(small, to, at(sharedKey), ctx) },
		"read-heap":     func(ctx any) error { return n.ep.Read(eager, to, at(heapKey), ctx) },
		"read-heap-1M":  func(ctx any) error { return n.ep.Read(heap, to, at(heapKey), ctx) },
		"atomic": func(ctx any) error {
			return n.ep.FetchAtomic(small, make([]byte, 8), to, at(sharedKey), fi.TypeUint64, fi.AtomicSum, ctx)
		},
		"atomic-heap": func(ctx any) error {
			return n.ep.FetchAtomic(small, make([]byte, 8), to, at(heapKey), fi.TypeUint64, fi.AtomicSum, ctx)
		},
		"vector":          func(ctx any) error { return n.vector(small, to, ctx) },
		"inject-then-all": func(ctx any) error { n.ep.TInject(small, to, 7); return n.ep.TSend(heap, to, 7, ctx) },
	}
}

// vector is one write of several ranges.
func (n *node) vector(b []byte, to fi.Addr, ctx any) error {
	return n.ep.WriteMsg(&fi.RMAMsg{Iov: [][]byte{b[:4], b[4:]}, Addr: to, Context: ctx,
		RMAIov: []fi.RMAIov{{Addr: 0, Len: 3, Key: heapKey}, {Addr: 64, Len: 5, Key: sharedKey}}}, fi.OpCompletion)
}

// settle waits for the rest after the peer's end.
func (p *posted) settle(t testing.TB, what string, limit time.Duration) {
	t.Helper()
	within(t, what+": the last operation", limit, func() {
		for start := time.Now(); p.open > 0; {
			if !p.reap(t) {
				runtime.Gosched()
			}
			if time.Since(start) > patient {
				t.Fatalf("%s: %d operations never complete; state:%s", what, p.open, p.n.state())
			}
		}
	})
}

// soon is the time within which everything has to be over after a peer's death; a second, and what a busy machine adds.
// What waits for a time limit of ours (10 s for an answer) is later.
const soon = 8 * time.Second

// TestKill kills the peer with -9 in the middle of operations of each kind. Each completes once, and soon; the rest of
// the node goes on.
func TestKill(t *testing.T) {
	leaves(t)
	n, other := newNode(t, opt{}), newNode(t, opt{})
	toOther := n.insert(t, other.addr)
	mem := alloc(t, 1<<20)
	for _, road := range []string{"auto", "cma", "bulk"} {
		env := []string{"FI_SHM_ROAD=" + road}
		m := newNode(t, opt{env: map[string]string{"FI_SHM_ROAD": road}})
		if road == "auto" {
			m = n
		}
		for kind := range kinds(m, 0, mem) {
			if road != "auto" && kind != "large" && kind != "write-heap-1M" && kind != "read-heap-1M" {
				continue
			}
			t.Run(road+"/"+kind, func(t *testing.T) {
				p, addr := peer(t, env, "sink")
				to := m.insert(t, addr)
				ops := &posted{n: m}
				life := time.Duration(rand.IntN(30)) * time.Millisecond
				if rand.IntN(4) == 0 {
					life = time.Duration(rand.IntN(1000)) * time.Microsecond // while it connects
				} else {
					first := &posted{n: m}
					first.post(t, kinds(m, to, mem)["matched"])
					first.settle(t, "the first", patient)
				}
				killed := make(chan struct{})
				time.AfterFunc(life, func() { p.cmd.Process.Signal(syscall.SIGKILL); close(killed) })
				ops.storm(t, time.Now().Add(life), 40, kinds(m, to, mem)[kind])
				<-killed
				ops.settle(t, kind, soon)
				t.Log(ops.oks, "done,", ops.errs, "failed:", ops.text)
				if m == n {
					for range 3 {
						ctx := new(int)
						other.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 9, 0, ctx)
						n.must(t, func() error { return n.ep.TSend([]byte("still"), toOther, 9, ctx) })
						other.waitOK(t)
						n.waitOK(t)
					}
				}
				m.idle(t)
				m.av.Remove([]fi.Addr{to})
			})
		}
	}
}

// TestKillSender kills a peer that sends to us: receives that it has matched complete in error, others stay.
func TestKillSender(t *testing.T) {
	leaves(t)
	for _, road := range []string{"auto", "map", "cma", "bulk"} {
		for _, size := range []int{8, 5000, 60000, 2 << 20} {
			t.Run(fmt.Sprint(road, "/", size), func(t *testing.T) {
				n := newNode(t, opt{})
				p := spawn(t, "flooder", []string{"FI_SHM_ROAD=" + road}, string(n.addr), fmt.Sprint(size))
				ops := &posted{n: n}
				life := time.Duration(rand.IntN(40)) * time.Millisecond
				killed := make(chan struct{})
				p.hear()
				time.AfterFunc(life, func() { p.cmd.Process.Signal(syscall.SIGKILL); close(killed) })
				buf := make([]byte, size)
				ops.storm(t, time.Now().Add(life), 8, func(ctx any) error { return n.ep.TRecv(buf, fi.AddrUnspec, 3, 0, ctx) })
				<-killed
				eventually(t, "the pair ends", func() bool {
					ops.reap(t)
					left := 0
					n.locked(func() { left = len(n.dom.pairs) })
					return left == 0
				}, n)
				t.Log(ops.oks, "received,", ops.errs, "failed,", ops.open, "wait")
			})
		}
	}
}

func init() {
	// The flooder sends messages of tag 3 (argument 1: their size) to the address in argument 0, for ever.
	roles["flooder"] = func(c *child) {
		env := map[string]string{}
		n, err := open(opt{env: env})
		c.must(err)
		var out [1]fi.Addr
		n.av.Insert([][]byte{[]byte(c.arg(0))}, out[:], 0)
		size := 0
		fmt.Sscan(c.arg(1), &size)
		mem, err := mr.Alloc(max(size, 1))
		c.must(err)
		c.say("ready")
		for {
			if n.ep.TSend(mem.Bytes()[:size], out[0], 3, nil) == fi.ErrAgain {
				for {
					if _, ok := n.read(); !ok {
						break
					}
				}
			}
		}
	}
}

// TestClosing has the peer close its endpoint, or end without, in the middle of operations.
func TestClosing(t *testing.T) {
	leaves(t)
	n := newNode(t, opt{})
	mem := alloc(t, 1<<20)
	for _, kind := range []string{"small", "large", "matched", "write-1M", "write-heap-1M", "read-heap-1M"} {
		for _, how := range []string{"close", "exit"} {
			t.Run(kind+"/"+how, func(t *testing.T) {
				p, addr := peer(t, []string{"FI_SHM_LINGER=100"}, "close")
				to := n.insert(t, addr)
				ops := &posted{n: n}
				ops.post(t, kinds(n, to, mem)["matched"])
				ops.settle(t, "the first", patient)
				time.AfterFunc(5*time.Millisecond, func() {
					if how == "close" {
						p.say("close")
					} else {
						p.in.Close()
					}
				})
				ops.storm(t, time.Now().Add(15*time.Millisecond), 20, kinds(n, to, mem)[kind])
				ops.settle(t, kind, soon)
				p.cmd.Wait()
				n.idle(t)
			})
		}
	}
}

// TestRestart starts a peer of one name again and again, each time after killing it. Its new incarnation is reached, and
// operations of the old one have failed.
func TestRestart(t *testing.T) {
	leaves(t)
	rounds := 25
	if *manyProcesses {
		rounds = 100
	}
	n := newNode(t, opt{})
	name := fmt.Sprintf("phoenix-%d", rand.Uint32())
	to := n.insert(t, []byte(prefix+name))
	in := make([]byte, 100)
	for i := range rounds {
		p, addr := peer(t, nil, "echo", name)
		if string(addr) != prefix+name {
			t.Fatal(string(addr))
		}
		ops := &posted{n: n}
		got := &posted{n: n}
		got.post(t, func(ctx any) error { return n.ep.TRecv(in, fi.AddrUnspec, uint64(i+2), 0, ctx) })
		for !ops.post(t, func(ctx any) error { return n.ep.TSend(n.addr, to, 1, ctx) }) {
			ops.reap(t)
		}
		ops.post(t, func(ctx any) error { return n.ep.TSend(fmt.Appendf(nil, "round %d", i), to, uint64(i+2), ctx) })
		got.settle(t, "the echo", patient)
		ops.settle(t, "the sends", soon)
		if ops.errs+got.errs > 0 || string(in[:len("round ")]) != "round " {
			t.Fatal("round", i, ops.text, got.text)
		}
		late := &posted{n: n}
		late.post(t, func(ctx any) error {
			return n.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{make([]byte, 3<<20)}, Addr: to, Tag: 1 << 40, Context: ctx}, fi.OpCompletion|fi.OpMatchComplete)
		})
		p.kill()
		late.settle(t, "an operation of the old incarnation", soon)
	}
	n.idle(t)
}
