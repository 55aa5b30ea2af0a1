package shm

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// TestEndpointsOfOneDomain has several endpoints in one domain, and a second domain in the process. All send to all, to
// themselves too, messages of every kind.
var manyProcesses = flag.Bool("many", false, "run the test of 64 processes")

func TestEndpointsOfOneDomain(t *testing.T) {
	leaves(t)
	first := newNode(t, opt{})
	nodes := []*node{first}
	for range 4 {
		nodes = append(nodes, newNode(t, opt{sharing: first}))
	}
	nodes = append(nodes, newNode(t, opt{}))
	addrs := make([][]fi.Addr, len(nodes))
	for i, n := range nodes {
		for _, p := range nodes {
			addrs[i] = append(addrs[i], n.insert(t, p.addr))
		}
	}
	mem := alloc(t, 1<<20)
	for _, size := range []int{0, 8, 3000, 9000, 300000} {
		ops := make([]*posted, len(nodes))
		bufs := map[[2]int][]byte{}
		for i, n := range nodes {
			ops[i] = &posted{n: n}
			for j := range nodes {
				b := make([]byte, size)
				bufs[[2]int{j, i}] = b
				ops[i].post(t, func(ctx any) error { return n.ep.TRecv(b, fi.AddrUnspec, uint64(j), 0, ctx) })
			}
		}
		for i, n := range nodes {
			for j := range nodes {
				src := pattern(make([]byte, size), i)
				if j%2 == 1 {
					src = mem.Bytes()[:size]
					pattern(src, 77)
				}
				for !ops[i].post(t, func(ctx any) error { return n.ep.TSend(src, addrs[i][j], uint64(i), ctx) }) {
					ops[i].reap(t)
				}
			}
		}
		eventually(t, "all completions", func() bool {
			open := 0
			for _, o := range ops {
				o.reap(t)
				open += o.open
			}
			return open == 0
		})
		for k, b := range bufs {
			want := pattern(make([]byte, size), k[0])
			if k[1]%2 == 1 {
				want = pattern(make([]byte, size), 77)
			}
			if string(b) != string(want) {
				t.Fatalf("%d bytes from %d to %d are not what was sent", size, k[0], k[1])
			}
		}
	}
	for _, n := range nodes {
		n.idle(t)
	}
	pairs := 0
	first.locked(func() { pairs = len(first.dom.pairs) })
	// 5 endpoints with one another: 10 connections with two ends here; 5 with themselves: 10 ends; 5 with the last one.
	if pairs > 20+10+5+2 {
		t.Error(pairs, "pairs in the first domain")
	}
}

// TestCrossedCalls has two endpoints call each other at the same moment, many times. They end with one connection.
func TestCrossedCalls(t *testing.T) {
	leaves(t)
	rounds := 300
	if testing.Short() {
		rounds = 100
	}
	a, b := newNode(t, opt{}), newNode(t, opt{})
	twice := 0
	for range 5 { // on a busy machine more of them cross
		twice = crossCalls(t, a, b, rounds)
		t.Log(twice, "ends of", 2*rounds, "had two connections")
		if twice <= rounds/10 {
			return
		}
	}
	t.Error("calls that cross become two connections too often")
}

// crossCalls has endpoints of two domains call each other in each round, and counts the ends with two connections.
func crossCalls(t *testing.T, a, b *node, rounds int) (twice int) {
	t.Helper()
	for i := range rounds {
		sides := [2]*node{}
		for k, n := range []*node{a, b} {
			var err error
			if sides[k], err = open(opt{sharing: n}); err != nil {
				t.Fatal(err)
			}
		}
		var to [2]fi.Addr
		for k, n := range sides {
			to[k] = n.insert(t, sides[1-k].addr)
		}
		var start, done sync.WaitGroup
		start.Add(1)
		in := [2][]byte{make([]byte, 4), make([]byte, 4)}
		for k, n := range sides {
			done.Go(func() {
				start.Wait()
				for range rand.IntN(2000) { // microseconds at most
					runtime.KeepAlive(n)
				}
				ops := &posted{n: n}
				ops.post(t, func(ctx any) error { return n.ep.TRecv(in[k], fi.AddrUnspec, 1, 0, ctx) })
				ops.post(t, func(ctx any) error { return n.ep.TSend([]byte{1, 2, 3, byte(i)}, to[k], 1, ctx) })
				for n := 0; ops.open > 0; n++ {
					ops.reap(t)
					if n%100 == 0 {
						runtime.Gosched()
					}
				}
				if ops.errs > 0 {
					t.Error("round", i, ops.text)
				}
			})
		}
		start.Done()
		done.Wait()
		if in[0][3] != byte(i) || in[1][3] != byte(i) {
			t.Fatal("round", i, "wrong bytes")
		}
		for k, n := range []*node{a, b} {
			n.locked(func() {
				live := 0
				for _, p := range n.dom.pairs {
					if p.ep == sides[k].drv && p.state == ready {
						live++
					}
				}
				if live > 1 {
					twice++
				}
			})
		}
		done.Add(2)
		for _, n := range sides {
			go func() {
				defer done.Done()
				if err := n.close(); err != nil {
					t.Error(err)
				}
			}()
		}
		done.Wait()
	}
	return twice
}

func init() {
	// A rank of an all-to-all: argument 0 begins the names, 1 is its number, 2 the number of ranks.
	roles["rank"] = func(c *child) {
		var me, all int
		fmt.Sscan(c.arg(1), &me)
		fmt.Sscan(c.arg(2), &all)
		n, err := open(opt{name: fmt.Sprint(c.arg(0), me)})
		c.must(err)
		t := new(fakeTB)
		before := heapBytes()
		ops := &posted{n: n}
		for i := range all {
			n.insert(t, fmt.Append(nil, prefix, c.arg(0), i))
		}
		bufs := make([]byte, 8*all)
		for i := range all {
			ops.post(t, func(ctx any) error { return n.ep.TRecv(bufs[8*i:8*i+8], fi.AddrUnspec, uint64(i), 0, ctx) })
		}
		c.say("ready")
		c.hear()
		for i := range all {
			to := (me + i) % all
			for !ops.post(t, func(ctx any) error { return n.ep.TSend(fmt.Appendf(nil, "%08d", me), fi.Addr(to), uint64(me), ctx) }) {
				ops.reap(t)
			}
		}
		start := time.Now()
		for i := 0; ops.open > 0; i++ {
			ops.reap(t)
			if i%64 == 0 {
				runtime.Gosched()
			}
			if i%4096 == 0 && time.Since(start) > 4*patient {
				c.say("stuck: %d operations, %s; missing %s", ops.open, n.state(), missing(bufs))
				return
			}
		}
		ok := ops.errs == 0
		for i := range all {
			ok = ok && string(bufs[8*i:8*i+8]) == fmt.Sprintf("%08d", i)
		}
		n.q.Read(nil) //nolint:errcheck // only drives
		if ops.errs > 0 {
			c.say("%d errors: %s", ops.errs, ops.text)
			return
		}
		c.say("done")
		c.hear() // everybody is done
		n.q.Read(nil)
		pairs := 0
		n.locked(func() { pairs = len(n.dom.pairs) })
		rings, tables := mapped("gofabric-pair"), mapped("gofabric-table")
		c.say("%v %d %d %d %d %s", ok, pairs, rings, tables, heapBytes()-before, ops.text)
		c.hear()
	}
}

// missing are the ranks of which no message has come.
func missing(bufs []byte) (s string) {
	for i := 0; i < len(bufs); i += 8 {
		if bufs[i] == 0 {
			s += fmt.Sprint(" ", i/8)
		}
	}
	return s
}

// fakeTB is a testing.TB for roles: what fails ends the process.
type fakeTB struct{ testing.TB }

func (*fakeTB) Helper() {}
func (*fakeTB) Fatal(args ...any) {
	fmt.Println("failed: ", fmt.Sprint(args...))
	os.Exit(1)
}
func (*fakeTB) Fatalf(format string, args ...any) {
	fmt.Println("failed: ", fmt.Sprintf(format, args...))
	os.Exit(1)
}

func heapBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// mapped is how much memory of files of a name is in this process's page tables, in KiB.
func mapped(name string) (kib int) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return -1
	}
	defer f.Close()
	in := false
	for s := bufio.NewScanner(f); s.Scan(); {
		l := s.Text()
		if strings.Contains(l, "-") && strings.Contains(l, " ") && !strings.Contains(strings.Fields(l)[0], ":") {
			in = strings.Contains(l, "memfd:"+name)
		}
		if in && strings.HasPrefix(l, "Rss:") {
			var n int
			fmt.Sscanf(l, "Rss: %d kB", &n)
			kib += n
		}
	}
	return kib
}

// perPair is what a connection may cost each side beside its 64 KiB: a page of the peer's table, and the state in the
// heap. It is in docs/wire/shm.md.
const (
	pairKiB  = 64
	tableKiB = 8
	heapPair = 24 << 10
)

// TestAllToAll has many processes send to each other at once, and measures what a connection costs.
func TestAllToAll(t *testing.T) {
	ranks := 16
	if *manyProcesses {
		ranks = 64
	}
	leaves(t)
	base := fmt.Sprintf("rank-%d-", rand.Uint32())
	procs := make([]*proc, ranks)
	for i := range procs {
		procs[i] = spawn(t, "rank", []string{"GOMAXPROCS=2"}, base, fmt.Sprint(i), fmt.Sprint(ranks))
	}
	for _, step := range []string{"ready", "done"} {
		for i, p := range procs {
			if l := p.hear(); l != step {
				t.Error("rank", i, l)
			}
		}
		if t.Failed() {
			return
		}
		for _, p := range procs {
			p.say("go")
		}
	}
	var pairs, rings, tables, heap int
	for i, p := range procs {
		var ok bool
		var n, r, tab, h int
		l := p.hear()
		fmt.Sscan(l, &ok, &n, &r, &tab, &h)
		if !ok || n < ranks {
			t.Error("rank", i, l)
		}
		pairs, rings, tables, heap = pairs+n, rings+r, tables+tab, heap+h
	}
	for _, p := range procs {
		p.say("end")
	}
	ends := ranks * (ranks + 1) // of connections: with each other, and with itself two
	t.Logf("%d ends of connections for %d; each: rings %d KiB, peer's table %d KiB, heap %d bytes", pairs, ends,
		rings/pairs, tables/pairs, heap/pairs)
	if pairs > ends+ends/20 {
		t.Errorf("%d ends of connections where %d would do", pairs, ends)
	}
	if rings/pairs > pairKiB || tables/pairs > tableKiB || heap/pairs > heapPair {
		t.Errorf("a connection costs more than the documents say")
	}
}
