package conformance

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/testx/awake"
	"github.com/gofabric/gofabric/mr"
)

var _ = add("fault",
	testCase{name: "killed-idle", need: tagged, where: faulty, run: killedIdle},
	testCase{name: "killed-sends", need: tagged, where: faulty, run: killedSends},
	testCase{name: "killed-accesses", need: tagged | rma | atom, where: faulty, run: killedAccesses},
	testCase{name: "killed-while-sending", need: tagged, where: faulty, run: killedWhileSending},
	testCase{name: "killed-before-contact", need: tagged, where: faulty, run: killedBeforeContact},
	testCase{name: "others-go-on", need: tagged | rma, where: faulty, run: othersGoOn},
	testCase{name: "again-and-again", need: tagged, where: faulty, run: killedAgain},
	testCase{name: "woken-by-death", need: tagged, where: faulty, run: wokenByDeath},
	testCase{name: "paused", need: tagged | rma, where: faulty, run: paused},
	testCase{name: "exits", need: tagged, where: faulty, run: exits},
	testCase{name: "nothing-in-files", need: tagged | rma, where: faulty, run: nothingInFiles},
)

// deathNotice is within what a peer's death must be known: a second, and what a busy machine adds.
const deathNotice = 4 * time.Second

// victim opens a side in a process of its own.
func (t *test) victim() *side {
	a, err := startAgent()
	t.check(err)
	s := &side{t: t, index: len(t.sides), opts: t.opts(t.tc.need), peers: map[*side][]fi.Addr{}, ops: map[int]*op{}, agent: a, id: 1}
	t.sides = append(t.sides, s)
	t.Cleanup(func() {
		if !s.lost {
			a.stop()
		}
	})
	s.do(&request{Verb: vBaseline})
	r := s.do(&request{Verb: vOpen, Open: s.opts})
	if r.Err != nil {
		t.Fatalf("open: %v", r.Err)
	}
	s.names, s.info = r.Names, r.Info
	return s
}

// kill ends a victim as kill -9 does.
func (s *side) kill() time.Time {
	s.lost = true
	s.agent.kill()
	return time.Now()
}

// known makes sides know each other.
func known(sides ...*side) {
	for _, s := range sides {
		for _, p := range sides {
			s.insert(p)
		}
	}
}

// endSoon waits until all operations have completed, in whatever way, after a death at that time.
func (t *test) endSoon(died time.Time, ops []*op) { t.endWithin(deathNotice, died, ops) }

func (t *test) endWithin(limit time.Duration, died time.Time, ops []*op) {
	if osx.RaceEnabled { // a slow build
		limit *= 3
	}
	since := awake.From(died)
	for _, o := range ops {
		o.claimed = true
	}
	left := func() (n int, what string) {
		for _, o := range ops {
			if !o.done() {
				n++
				what = o.call.Form
			}
		}
		return n, what
	}
	var late time.Duration
	for {
		for _, s := range t.sides {
			s.poll()
		}
		n, what := left()
		if n == 0 {
			break
		}
		if late = since.Look(); late > 5*limit {
			t.Fatalf("%d of %d operations (such as %s) have not completed %v after the peer's death", n, len(ops), what, late)
		}
	}
	if late > limit {
		t.Errorf("the last operation completed %v after the peer's death, want %v", late, limit)
	}
	for _, o := range ops {
		if c := o.last(); c.Err != 0 && c.Err != fi.ErrConnReset && c.Err != fi.ErrConnRefused && c.Err != fi.ErrHostUnreach &&
			c.Err != fi.ErrConnAborted && c.Err != fi.ErrNotConn && c.Err != fi.ErrShutdown && c.Err != fi.ErrTimedOut &&
			c.Err != fi.ErrIO && c.Err != fi.ErrFault && c.Err != fi.ErrCanceled && c.Err != fi.ErrKeyRejected {
			t.Errorf("%s to a dead peer: %v", o.call.Form, c)
		}
	}
}

// deadNow sends to a dead peer until that is known: an error soon, at the call or as a completion, and no endless
// FI_EAGAIN.
func (t *test) deadNow(a, dead *side) {
	for _, n := range []int{8, 100000} {
		start := time.Now()
		since := awake.From(start)
		for {
			o, err := a.try(call{Form: "tsend", N: n, Tag: 1, To: a.addr(dead)})
			if err == nil {
				t.endWithin(2*deathNotice, start, []*op{o}) // a peer that nobody knows to be dead is called for a while
				if o.last().Err == 0 {                      // the news is on its way
					if since.Look() < deathNotice {
						continue
					}
					t.Errorf("a send of %d bytes to a dead peer succeeded", n)
				}
				break
			}
			if !errors.Is(err, fi.ErrAgain) {
				break
			}
			if late := since.Look(); late > 5*deathNotice {
				t.Fatalf("a send to a dead peer is still FI_EAGAIN after %v", late)
			}
			t.pump()
		}
	}
}

// exchangeBetween sees that two sides work.
func (t *test) exchangeBetween(a, b *side) {
	for i, n := range []int{8, 500, 20000} {
		r := b.recv(call{Form: "trecv", N: n, Tag: 0x600d, To: anyone})
		s := a.to(b, call{Form: "tsend", N: n, Tag: 0x600d, Seed: uint64(i)})
		t.wait(r, s)
		t.got(r, s)
	}
}

func killedIdle(t *test) {
	a, v := t.newSide(t.opts(t.tc.need)), t.victim()
	known(a, v)
	t.exchangeBetween(a, v)
	t.exchangeBetween(v, a)
	died := v.kill()
	pending := a.recv(call{Form: "trecv", N: 8, Tag: 5})
	t.deadNow(a, v)
	if len(pending.comps) != 0 {
		t.Errorf("a receive from anyone failed because one peer died: %v", pending.last())
	}
	_ = died
	s := a.to(a, call{Form: "tsend", N: 8, Tag: 5, Seed: 1}) // others may still match it
	t.wait(pending, s)
}

// killedSends has sends of all kinds wait at a peer when it dies.
func killedSends(t *test) {
	for round := range 3 {
		a, v := t.newSide(t.opts(t.tc.need)), t.victim()
		known(a, v)
		if round > 0 {
			t.exchangeBetween(a, v)
		}
		var ops []*op
		for i, n := range []int{8, 5000, 20000, 100000, 1 << 20} {
			ops = append(ops, a.to(v, call{Form: "tsend", N: n, Tag: 1, Seed: uint64(i)}))
			ops = append(ops, a.to(v, call{Form: "tsendmsg", N: n, Tag: 1, Flags: fi.OpMatchComplete}))
			ops = append(ops, a.to(v, call{Form: "tsendmsg", N: n, Tag: 1, Flags: fi.OpDeliveryComplete | fi.OpFence}))
		}
		a.poll()
		t.endSoon(v.kill(), ops)
		t.deadNow(a, v)
	}
}

// rampage is what victims do: messages, remote accesses, for ever.
var _ = program("rampage", func(n *node, arg []byte) ([]byte, error) {
	to := fi.Addr(binary.LittleEndian.Uint64(arg))
	at := mr.Remote{Addr: binary.LittleEndian.Uint64(arg[8:]), Key: binary.LittleEndian.Uint64(arg[16:])}
	buf := make([]byte, 1<<20)
	for i := 0; ; i++ {
		size := mixedLens[i%len(mixedLens)]
		n.eps[0].TSend(buf[:size], to, 99, n)
		n.eps[0].TRecv(buf[:size], anyone, 98, 0, n)
		if at.Key != 0 {
			n.eps[0].Write(buf[:min(size, 4096)], to, at, n)
		}
		n.poll()
	}
})

func rampageArg(to fi.Addr, at mr.Remote) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(to))
	b = binary.LittleEndian.AppendUint64(b, at.Addr)
	return binary.LittleEndian.AppendUint64(b, at.Key)
}

// rampage starts it; killing ends it.
func (s *side) rampage(to *side, at mr.Remote) {
	q := &request{Verb: vProgram, Program: "rampage", Bytes: rampageArg(s.addr(to), at), Node: s.id}
	go s.agent.do(q)
}

// killedAccesses kills a peer at random moments of a storm of remote accesses to it and from it.
func killedAccesses(t *test) {
	rounds := 4
	if *long {
		rounds = 20
	}
	for round := range rounds {
		a, v := t.newSide(t.opts(t.tc.need)), t.victim()
		known(a, v)
		there := v.reg(regOpts{N: 1 << 20, Key: 1})
		here := a.reg(regOpts{N: 1 << 20, Key: 2})
		if round%2 == 1 {
			v.rampage(a, here.remote)
		}
		var recvs []*op
		for range 20 {
			recvs = append(recvs, a.recv(call{Form: "trecv", N: 1 << 20, Tag: 99}))
		}
		died := make(chan time.Time, 1)
		moment := time.Duration(rand.IntN(4000)) * time.Microsecond
		go func() {
			pause(moment)
			died <- v.kill()
		}()
		var ops []*op
		var at time.Time
		for i := 0; at.IsZero() && i < 1000; i++ {
			c := call{N: []int{8, 100, 9000, 200000}[i%4], At: there.remote, Type: fi.TypeUint64, Op: fi.AtomicSum, To: a.addr(v)}
			if c.Form = []string{"write", "read", "fetch_atomic", "atomic"}[i/4%4]; i/4%4 > 1 {
				c.N = 8
			}
			o, err := a.try(c)
			if err == nil {
				o.target = v
				ops = append(ops, o)
			} else if !errors.Is(err, fi.ErrAgain) {
				break // it is known to be dead
			}
			if i%16 == 0 {
				a.poll()
			}
			select {
			case at = <-died:
			default:
			}
		}
		if at.IsZero() {
			at = <-died
		}
		t.endSoon(at, ops)
		t.deadNow(a, v)
		for _, r := range recvs {
			r.claimed = true
			if !r.done() {
				if err := r.cancel(); err != nil && !isErr(err, fi.ErrNoEnt) {
					t.Errorf("cancel: %v", err)
				}
			}
		}
		t.endSoon(time.Now(), recvs)
		here.close()
	}
}

// killedWhileSending kills the sender of messages that are being received: a matched receive ends, with what came or in
// error; messages that were kept can be received.
func killedWhileSending(t *test) {
	for round := range 4 {
		a, v := t.newSide(t.opts(t.tc.need)), t.victim()
		known(a, v)
		kept := v.to(a, call{Form: "tsend", N: 100, Tag: 7, Seed: 3})
		t.wait(kept)
		t.flush(v, a)
		var recvs []*op
		for range 40 {
			recvs = append(recvs, a.recv(call{Form: "trecv", N: 1 << 20, Tag: 99}))
		}
		v.rampage(a, mr.Remote{})
		t.until("a message of the rampage", func() bool { return recvs[round*3].done() }, a)
		died := v.kill()
		r := a.recv(call{Form: "trecv", N: 100, Tag: 7})
		t.wait(r) // it was here before its sender died
		t.got(r, kept)
		for _, o := range recvs {
			o.claimed = true
			if !o.done() {
				if err := o.cancel(); err != nil && !isErr(err, fi.ErrNoEnt) {
					t.Errorf("cancel: %v", err)
				}
			}
		}
		t.endSoon(died, recvs)
	}
}

// killedBeforeContact sends to an address whose owner is gone.
func killedBeforeContact(t *test) {
	a, v := t.newSide(t.opts(t.tc.need)), t.victim()
	a.insert(v)
	v.kill()
	t.deadNow(a, v)
}

// othersGoOn kills one of three while the other two exchange messages.
func othersGoOn(t *test) {
	a, b, v := t.newSide(t.opts(t.tc.need)), t.newSide(t.opts(t.tc.need)), t.victim()
	known(a, b, v)
	m := b.reg(regOpts{N: 1 << 16, Key: 4})
	var ops []*op
	for i := range 200 {
		n := []int{8, 3000, 30000}[i%3]
		if i == 100 {
			v.kill()
		}
		if i < 100 {
			ops = append(ops, a.to(v, call{Form: "tsend", N: n, Tag: 1}))
		}
		r := b.recv(call{Form: "trecv", N: n, Tag: 2})
		s := a.to(b, call{Form: "tsend", N: n, Tag: 2, Seed: uint64(i)})
		w := a.to(b, call{Form: "write", N: 8, At: m.remote})
		t.wait(r, s, w)
		t.got(r, s)
	}
	t.endSoon(time.Now(), ops)
}

// killedAgain has peers come, work and be killed, one after the other, at one endpoint that stays.
func killedAgain(t *test) {
	rounds := 8
	if *long {
		rounds = 100
	}
	a := t.newSide(t.opts(t.tc.need))
	for range rounds {
		v := t.victim()
		v.insert(a)
		a.insert(v)
		t.exchangeBetween(a, v)
		t.exchangeBetween(v, a)
		v.kill()
		t.check(a.do(&request{Verb: vRemove, Addrs: a.peers[v]}).err())
	}
}

// wokenByDeath sleeps in a blocking read when the peer dies that its operation waits for.
func wokenByDeath(t *test) {
	if !t.canBlock() || t.alone() {
		return
	}
	a, v := t.newSide(t.opts(t.tc.need)), t.victim()
	known(a, v)
	t.exchangeBetween(a, v)
	s := a.to(v, call{Form: "tsendmsg", N: 100000, Tag: 1, Flags: fi.OpMatchComplete})
	start := make(chan struct{})
	wait := t.background(func() {
		close(start)
		r := a.do(&request{Verb: vProgram, Program: "sread-tx", Bytes: t.long()})
		if r.Err != nil && !isErr(r.err(), fi.ErrAvail) {
			t.Errorf("a blocking read: %v, want FI_EAVAIL", r.Err)
		}
	})
	<-start
	runtimeSettle()
	died := v.kill()
	took := awake.Watch()
	wait()
	if took := took(); took > deathNotice {
		t.Errorf("a blocking read was woken %v after the peer's death", took)
	}
	t.endSoon(died, []*op{s})
}

var _ = program("sread-tx", func(n *node, arg []byte) ([]byte, error) {
	return nil, sreadOnce(n.txq, arg)
})

// paused stops a peer and lets it go on: nothing fails.
func paused(t *test) {
	if !canStop {
		return
	}
	a, v := t.newSide(t.opts(t.tc.need)), t.victim()
	known(a, v)
	m := v.reg(regOpts{N: 1 << 16, Key: 1})
	t.exchangeBetween(a, v)
	var recvs []*op
	for range 8 {
		recvs = append(recvs, v.recv(call{Form: "trecv", N: 50000, Tag: 3}))
	}
	t.check(stopProcess(v.agent.cmd.Process))
	var ops []*op
	for i := range 8 {
		ops = append(ops, a.to(v, call{Form: "tsend", N: []int{8, 50000}[i%2], Tag: 3, Seed: uint64(i)}),
			a.to(v, call{Form: "write", N: []int{8, 30000}[i%2], At: m.remote}))
	}
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); {
		a.poll()
	}
	t.check(continueProcess(v.agent.cmd.Process))
	t.wait(append(ops, recvs...)...)
	for i := range recvs {
		t.got(recvs[i], ops[2*i])
	}
}

// exits has a peer send and close at once: what it sent is received.
func exits(t *test) {
	for range 4 {
		a, v := t.newSide(t.opts(t.tc.need)), t.victim()
		known(a, v)
		t.exchangeBetween(v, a)
		var sends []*op
		for i, n := range []int{0, 8, 100, 3000} {
			sends = append(sends, v.to(a, call{Form: "tsend", N: n, Tag: 4, Seed: uint64(i)}))
		}
		t.wait(sends...)
		r := v.do(&request{Verb: vCloseEPs})
		t.check(r.err())
		v.settled = true
		v.kill()
		for _, s := range sends {
			o := a.recv(call{Form: "trecv", N: 4000, Tag: 4})
			t.wait(o)
			t.got(o, s)
		}
	}
}

// nothingInFiles kills peers and looks for what they have left in the file system.
func nothingInFiles(t *test) {
	before := leftovers()
	for range 3 {
		a, v := t.newSide(t.opts(t.tc.need)), t.victim()
		known(a, v)
		v.reg(regOpts{N: 1 << 16, Key: 1})
		t.exchangeBetween(a, v)
		v.kill()
	}
	for end := time.Now().Add(t.patience); ; pause(10 * time.Millisecond) { // others use these folders, too: what they put there mostly goes away again
		left := ""
		for name := range leftovers() {
			if !before[name] {
				left = name
			}
		}
		if left == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("a killed peer has left %s", left)
		}
	}
}

// leftovers lists where providers could leave files.
func leftovers() map[string]bool {
	out := map[string]bool{}
	for _, dir := range []string{"/dev/shm", os.TempDir()} {
		list, _ := os.ReadDir(dir)
		for _, e := range list {
			if strings.Contains(e.Name(), "fabric") || strings.Contains(e.Name(), "fi_") || dir == "/dev/shm" {
				out[dir+"/"+e.Name()] = true
			}
		}
	}
	return out
}
