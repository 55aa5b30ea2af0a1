package shm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
)

func init() {
	// The passive one posts a receive (tag 1) and a send (tag 2, to the address in argument 0) of 64 MiB, says its address,
	// and never polls. Told to, it checks what has come.
	roles["passive"] = func(c *child) {
		n, err := open(opt{})
		c.must(err)
		const big = 64 << 20
		in, out := make([]byte, big), pattern(make([]byte, big), 3)
		c.must(n.ep.TRecv(in, fi.AddrUnspec, 1, 0, nil))
		t := &fakeTB{}
		c.must(n.ep.TSend(out, n.insert(t, []byte(c.arg(0))), 2, nil))
		c.say("%s", n.addr)
		c.hear()
		if string(in) != string(pattern(make([]byte, big), 4)) {
			c.say("wrong")
			return
		}
		c.say("right")
	}

	// The sleeper blocks in SRead and echoes what comes to the address in argument 0; with argument 1 "quiet" it blocks
	// for nothing, with "open" it does nothing at all.
	roles["sleeper"] = func(c *child) {
		n, err := open(opt{manual: c.arg(2) == "manual"})
		c.must(err)
		to := n.insert(&fakeTB{}, []byte(c.arg(0)))
		c.say("%s", n.addr)
		if c.arg(1) == "open" {
			c.hear()
			return
		}
		go func() {
			c.hear()
			os.Exit(0)
		}()
		buf := make([]byte, 8)
		var e [4]cq.Entry
		n.ep.TRecv(buf, fi.AddrUnspec, 0, ^uint64(0), nil)
		for {
			k, err := n.q.SRead(context.Background(), e[:])
			if err == fi.ErrAvail { //nolint:errorlint // documented: a bare value
				return // the other side has gone
			}
			for _, x := range e[:k] {
				if x.Flags&fi.CompRecv != 0 {
					n.ep.TRecv(buf, fi.AddrUnspec, 0, ^uint64(0), nil)
					n.must(&fakeTB{}, func() error { return n.ep.TInject(buf, to, x.Tag) })
				}
			}
		}
	}

	// The bouncer is one side of a ping-pong, pinned to the processor in argument 0. It says its address, hears the
	// other's and who begins, and says how long the first round and a thousand more took.
	roles["bouncer"] = func(c *child) {
		cpu := 0
		fmt.Sscan(c.arg(0), &cpu)
		if cpus := osx.CPUs(); len(cpus) > 0 {
			osx.Pin(cpus[cpu%len(cpus)])
		}
		n, err := open(opt{})
		c.must(err)
		c.say("%s", n.addr)
		t := &fakeTB{}
		to := n.insert(t, []byte(c.hear()))
		first := c.hear() == "first"
		buf := make([]byte, 8)
		round := func() {
			c.must(n.ep.TRecv(buf, fi.AddrUnspec, 1, 0, buf))
			if first {
				n.must(t, func() error { return n.ep.TInject(buf, to, 1) })
			}
			for {
				if m, ok := n.read(); ok && m.Flags&fi.CompRecv != 0 {
					break
				} else if ok && m.err != 0 {
					c.must(m.err)
				}
			}
			if !first {
				n.must(t, func() error { return n.ep.TInject(buf, to, 1) })
			}
		}
		start := time.Now()
		round()
		connected := time.Since(start)
		start = time.Now()
		for range 1000 {
			round()
		}
		c.say("%d %d", connected, time.Since(start))
		c.hear()
	}
}

// TestPassiveTarget has a peer that never polls: it is connected, served its large message, sends its own, and its
// memory is accessed in every way.
func TestPassiveTarget(t *testing.T) {
	leaves(t)
	n := newNode(t, opt{})
	const big = 64 << 20
	p := spawn(t, "passive", nil, string(n.addr))
	to := n.insert(t, []byte(p.hear()))
	ops := &posted{n: n}
	in := make([]byte, big)
	ops.post(t, func(ctx any) error { return n.ep.TSend(pattern(make([]byte, big), 4), to, 1, ctx) })
	ops.post(t, func(ctx any) error { return n.ep.TRecv(in, fi.AddrUnspec, 2, 0, ctx) })
	ops.settle(t, "both large messages", patient)
	if string(in) != string(pattern(make([]byte, big), 3)) || ops.errs > 0 {
		t.Error("its message is wrong", ops.text)
	}
	p.say("check")
	if l := p.hear(); l != "right" {
		t.Error("its memory is", l)
	}

	q, addr := peer(t, nil, "idle")
	to = n.insert(t, addr)
	mem := alloc(t, 1<<20)
	for name, post := range kinds(n, to, mem) {
		if len(name) > 4 && (name[:4] == "writ" || name[:4] == "read" || name[:4] == "atom") || name == "vector" {
			within(t, name, soon, func() {
				for range 20 {
					ops.post(t, post)
				}
				ops.settle(t, name, patient)
			})
		}
	}
	if ops.errs > 0 {
		t.Error(ops.text)
	}
	q.kill()
}

// used is the processor time that a process has used.
func used(pid int) (d time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil {
			var ns int64
			fmt.Sscan(string(b), &ns)
			d += time.Duration(ns)
		}
	}
	return d
}

// TestIdle measures what a process costs that waits in SRead, or has an endpoint open, with and without a past.
func TestIdle(t *testing.T) {
	leaves(t)
	n := newNode(t, opt{})
	type kind struct{ name, what, progress string }
	var procs []*proc
	var names []string
	for _, k := range []kind{{"blocked", "quiet", ""}, {"blocked, manual", "quiet", "manual"}, {"open", "open", ""}, {"open, manual", "open", "manual"}} {
		p := spawn(t, "sleeper", nil, string(n.addr), k.what, k.progress)
		addr := p.hear()
		procs, names = append(procs, p), append(names, k.name)
		if k.what == "quiet" { // it has talked to us before, and to somebody who has died
			to := n.insert(t, []byte(addr))
			ops := &posted{n: n}
			ops.post(t, func(ctx any) error { return n.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 5, 0, ctx) })
			ops.post(t, func(ctx any) error { return n.ep.TSend(make([]byte, 8), to, 5, ctx) })
			ops.settle(t, "the echo", patient)
			q, err := open(opt{})
			if err != nil {
				t.Fatal(err)
			}
			at := q.insert(t, []byte(addr))
			in := &posted{n: q}
			in.post(t, func(ctx any) error {
				return q.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Addr: at, Tag: 6, Context: ctx}, fi.OpCompletion|fi.OpMatchComplete)
			})
			in.settle(t, "a message of somebody who goes", patient)
			q.close()
		}
	}
	const span = 2 * time.Second
	timer := time.NewTimer(2 * span) // the graves are left by then, if the machine has not stood still
	<-timer.C
	for end := time.Now().Add(patient); ; {
		before := make([]time.Duration, len(procs))
		for i, p := range procs {
			if before[i] = used(p.cmd.Process.Pid); before[i] == 0 {
				t.Skip("known: this system does not count processor time in /proc/PID/task/TID/schedstat")
			}
		}
		timer.Reset(span)
		<-timer.C
		busy := false
		for i, p := range procs {
			share := float64(used(p.cmd.Process.Pid)-before[i]) / float64(span)
			t.Logf("%s: %.3f %% of a processor", names[i], 100*share)
			if share > 0.005 {
				busy = true
			}
		}
		if !busy {
			return
		}
		if time.Now().After(end) {
			t.Fatal("a process that waits costs more than half a percent of a processor")
		}
	}
}

// TestWakeUps sends one message each time the peer has gone to sleep, and sleeps for its answer. None may be lost; the
// times are those of an exchange between two sleepers.
func TestWakeUps(t *testing.T) {
	leaves(t)
	rounds := 10000
	if testing.Short() {
		rounds = 1000
	}
	for _, progress := range []string{"auto", "manual"} {
		t.Run(progress, func(t *testing.T) {
			n := newNode(t, opt{manual: progress == "manual"})
			p := spawn(t, "sleeper", nil, string(n.addr), "", progress)
			to := n.insert(t, []byte(p.hear()))
			buf := make([]byte, 8)
			var asleep *uint32
			var times []time.Duration
			stalls := 0
			deadline := time.Now().Add(25 * time.Second)
			for i := 0; i < rounds && time.Now().Before(deadline); i++ {
				if asleep != nil && i%4 != 3 {
					for spins := 0; atomic.LoadUint32(asleep)&1 == 0; spins++ {
						if spins%500 == 499 {
							osx.SchedYield()
						}
					}
				}
				for range i % 64 { // meet it at all moments round that
					atomic.AddUint32(&idleWord, 1)
				}
				start := time.Now()
				if err := n.ep.TRecv(buf, fi.AddrUnspec, uint64(i), 0, nil); err != nil {
					t.Fatal(err)
				}
				n.must(t, func() error { return n.ep.TInject(buf, to, uint64(i)) })
				n.waitOK(t)
				took := time.Since(start)
				times = append(times, took)
				if took > patient/2 {
					stalls++
				}
				if asleep == nil {
					n.locked(func() { asleep = n.dom.pairs[0].asleep })
				}
			}
			slices.Sort(times)
			t.Logf("%d rounds: median %v, 99 %% %v, longest %v", len(times), times[len(times)/2], times[len(times)*99/100], times[len(times)-1])
			if stalls > 0 {
				t.Errorf("%d rounds stalled", stalls)
			}
			p.kill()
			eventually(t, "the pair ends", func() bool {
				left := 0
				n.locked(func() { left = len(n.dom.pairs) })
				return left == 0
			}, n)
		})
	}
}

var idleWord uint32

// TestOneProcessor plays ping-pong between processes with GOMAXPROCS=1, each pinned to a core of its own, and both to one.
func TestOneProcessor(t *testing.T) {
	leaves(t)
	for name, cpus := range map[string][2]int{"two cores": {0, 1}, "one core": {0, 0}} {
		t.Run(name, func(t *testing.T) {
			var ps [2]*proc
			var addrs [2]string
			for i := range ps {
				ps[i] = spawn(t, "bouncer", []string{"GOMAXPROCS=1"}, fmt.Sprint(cpus[i]))
				addrs[i] = ps[i].hear()
			}
			for i, p := range ps {
				p.say("%s", addrs[1-i])
				p.say("%s", []string{"first", "second"}[i])
			}
			for _, p := range ps {
				var connected, thousand time.Duration
				fmt.Sscan(p.hear(), &connected, &thousand)
				t.Logf("connected in %v, a round trip takes %v", connected, thousand/1000)
				// That it ends is the test: how fast belongs to the benchmarks, and depends on what else runs.
				if connected > patient {
					t.Errorf("connected in %v", connected)
				}
			}
		})
	}
}
