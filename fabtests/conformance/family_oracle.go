package conformance

import (
	"flag"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"pgregory.net/rapid"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/providers/mem"
)

var _ = add("oracle",
	testCase{name: "messages", need: msg | tagged, run: func(t *test) { oracle(t, t.genMessages) }},
	testCase{name: "matching", need: tagged, run: func(t *test) { oracle(t, t.genMatching) }},
	testCase{name: "memory", need: rma | atom | tagged, run: func(t *test) { oracle(t, t.genMemory) }},
)

// move is one step of a random program. Sides are 0 and 1.
type move struct {
	What   string // "send", "recv", "multi", "cancel", "peek", "claim", "discard", "access"
	Side   int
	Form   string
	N      int
	Tag    uint64
	Ignore uint64
	Data   uint64
	Flags  fi.OpFlags
	Ref    int // the step that is canceled or claimed
	At     int
	Type   fi.Datatype
	Op     fi.AtomicOp
	Source bool // a directed receive
}

// outcome is what can be observed of a program: for each step, and at the end.
type outcome struct {
	steps []string
	comps []int // completions of each step
	end   string
}

// oracle runs random programs on mem and on the provider and compares what can be observed.
func oracle(t *test, gen func(r *rapid.T) []move) {
	checks := "25"
	switch {
	case *long:
		checks = "300"
	case t.suite.h.Pair == TwoProcess, osx.RaceEnabled: // each call takes longer
		checks = "10"
	}
	rapidFlags.Lock()
	defer rapidFlags.Unlock()
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.nofailfile": "true", "rapid.shrinktime": "2s"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() == f.DefValue {
			f.Value.Set(value)
		}
	}
	reference := &suite{h: &Harness{Provider: mem.New(), Patience: t.patience}}
	rapid.Check(quietly{t}, func(r *rapid.T) {
		program := gen(r)
		want := t.play(r, reference, program, nil)
		got := t.play(r, t.suite, program, want)
		for i := range program {
			if got.steps[i] != want.steps[i] {
				r.Fatalf("step %d of %d, %+v:\n got %s\nwant %s\nprogram: %s", i, len(program), program[i], got.steps[i], want.steps[i], describe(program))
			}
		}
		if got.end != want.end {
			r.Fatalf("at the end:\n got %s\nwant %s\nprogram: %s", got.end, want.end, describe(program))
		}
	})
}

// quietly is a test without rapid's account of each draw: failures print the program.
type quietly struct{ *test }

func (quietly) Logf(string, ...any) {}
func (quietly) Log(...any)          {}

// rapidFlags guards the flags of package rapid, which are global.
var rapidFlags sync.Mutex

func describe(program []move) string {
	var b strings.Builder
	for i, m := range program {
		fmt.Fprintf(&b, "\n  %d: %+v", i, m)
	}
	return b.String()
}

// genMessages makes sends, receives and multi-receives of both kinds in both directions.
func (t *test) genMessages(r *rapid.T) []move {
	sizes := []int{0, 1, 8, 40, 41, 64, 65, 500, 4096, 8192, 8193, 20000, 70000}
	what := []string{"send", "send", "send", "recv", "recv", "recv"}
	if t.cell.offered&(fi.CapMultiRecv|fi.CapTaggedMultiRecv) == fi.CapMultiRecv|fi.CapTaggedMultiRecv {
		what = append(what, "multi")
	}
	var out []move
	for range rapid.IntRange(1, 60).Draw(r, "steps") {
		m := move{What: rapid.SampledFrom(what).Draw(r, "what"), Side: rapid.IntRange(0, 1).Draw(r, "side"),
			N: rapid.SampledFrom(sizes).Draw(r, "size")}
		x := rapid.SampledFrom([]string{"", "t"}).Draw(r, "tagged")
		if x == "t" {
			m.Tag = rapid.Uint64Range(0, 2).Draw(r, "tag")
		}
		switch m.What {
		case "send":
			m.Form = x + rapid.SampledFrom([]string{"send", "senddata", "sendmsg", "inject", "sendv"}).Draw(r, "form")
			m.Data = rapid.Uint64().Draw(r, "data")
			if strings.HasSuffix(m.Form, "inject") {
				m.N = min(m.N, 4096)
			}
			if strings.HasSuffix(m.Form, "sendmsg") {
				m.Flags = rapid.SampledFrom([]fi.OpFlags{0, fi.OpDeliveryComplete, fi.OpMatchComplete, fi.OpRemoteCQData, fi.OpMore}).Draw(r, "flags")
			}
		case "recv":
			m.Form = x + rapid.SampledFrom([]string{"recv", "recvv", "recvmsg"}).Draw(r, "form")
			if x == "t" {
				m.Ignore = rapid.SampledFrom([]uint64{0, 0, 1, 3}).Draw(r, "ignore")
			}
		case "multi":
			m.Form, m.Flags, m.N = x+"recvmsg", fi.OpMultiRecv, m.N+1
		}
		out = append(out, m)
	}
	return out
}

// genMatching makes tagged messages with masks, cancels, peeks, claims and discards.
func (t *test) genMatching(r *rapid.T) []move {
	var out []move
	var recvs, claims []int
	for range rapid.IntRange(1, 50).Draw(r, "steps") {
		m := move{What: rapid.SampledFrom([]string{"send", "send", "recv", "recv", "cancel", "peek", "claim", "take", "discard"}).Draw(r, "what"),
			N: rapid.SampledFrom([]int{0, 8, 100, 9000, 20000}).Draw(r, "size"), Tag: rapid.Uint64Range(0, 3).Draw(r, "tag"),
			Side: rapid.IntRange(0, 1).Draw(r, "side"), Ignore: rapid.SampledFrom([]uint64{0, 0, 1, 2, 3}).Draw(r, "ignore")}
		switch m.What {
		case "send":
			m.Form = "tsenddata"
			m.Data = rapid.Uint64Range(0, 1000).Draw(r, "data")
		case "recv":
			m.Form = "trecv"
			recvs = append(recvs, len(out))
		case "cancel":
			if len(recvs) == 0 {
				continue
			}
			m.Ref = rapid.SampledFrom(recvs).Draw(r, "which")
		case "claim":
			claims = append(claims, len(out))
		case "take":
			if len(claims) == 0 {
				continue
			}
			i := rapid.IntRange(0, len(claims)-1).Draw(r, "which")
			m.Ref, claims = claims[i], slices.Delete(slices.Clone(claims), i, i+1)
			m.N = 20000
		}
		out = append(out, m)
	}
	return out
}

// genMemory makes remote accesses and atomics, good and bad.
func (t *test) genMemory(r *rapid.T) []move {
	var out []move
	for range rapid.IntRange(1, 40).Draw(r, "steps") {
		m := move{What: "access", Side: rapid.IntRange(0, 1).Draw(r, "side"),
			Form: rapid.SampledFrom([]string{"write", "read", "writemsg", "writedata", "fetch_atomic", "compare_atomic", "atomicmsg"}).Draw(r, "form"),
			N:    rapid.SampledFrom([]int{0, 1, 8, 64, 1000, 9000, 30000}).Draw(r, "size"),
			At:   8 * rapid.IntRange(0, 4200).Draw(r, "at"), Data: rapid.Uint64().Draw(r, "data")}
		switch m.Form {
		case "fetch_atomic", "atomicmsg":
			m.N = 8 * rapid.IntRange(1, 8).Draw(r, "count")
			m.Type = rapid.SampledFrom([]fi.Datatype{fi.TypeUint64, fi.TypeInt32, fi.TypeUint8}).Draw(r, "type")
			m.Op = rapid.SampledFrom([]fi.AtomicOp{fi.AtomicSum, fi.AtomicBXor, fi.AtomicMin, fi.AtomicWrite}).Draw(r, "op")
		case "compare_atomic":
			m.N, m.Type = 8*rapid.IntRange(1, 8).Draw(r, "count"), fi.TypeUint32
			m.Op = rapid.SampledFrom([]fi.AtomicOp{fi.AtomicCSwap, fi.AtomicCSwapGE, fi.AtomicMSwap}).Draw(r, "op")
		}
		out = append(out, m)
	}
	return out
}

// regionLen is the length of each side's region in programs about memory; some accesses leave it.
const regionLen = 40000

// play runs a program and gives what can be observed. want, from the reference, says how many completions to wait for.
func (t *test) play(r *rapid.T, s *suite, program []move, want *outcome) *outcome {
	sub := &test{suite: s, cell: t.cell, tc: t.tc, patience: min(t.patience, 5*time.Second), over: t.over}
	if s != t.suite { // the reference opens its own domain, in its plain form
		c := *t.cell
		c.set = c.set.standard()
		c.set.Domain = ""
		sub.cell = &c
	}
	var out *outcome
	sub.protect(func() { out = sub.perform(program, want) })
	sub.protect(sub.finish)
	if sub.Failed() {
		r.Fatalf("%s\nprogram: %s", strings.Join(sub.failures, "\n"), describe(program))
	}
	return out
}

// player is a program that runs.
type player struct {
	t       *test
	sides   []*side
	ops     []*op
	said    []string // what calls returned
	regions [2]*region
}

func (t *test) perform(program []move, want *outcome) *outcome {
	p := &player{t: t, ops: make([]*op, len(program)), said: make([]string, len(program))}
	p.sides = t.open(2)
	for _, s := range p.sides {
		t.minMulti(s, 100)
	}
	if t.tc.need&rma != 0 {
		for i, s := range p.sides {
			p.regions[i] = s.reg(regOpts{N: regionLen, Key: 5, Seed: uint64(i)})
		}
	}
	for i, m := range program {
		p.step(i, m)
	}
	p.settle()
	if want != nil {
		missing := -1
		end := time.Now().Add(t.patience)
		for missing != len(program) {
			t.pump()
			for missing = 0; missing < len(program) && p.count(missing) >= want.comps[missing]; missing++ {
			}
			if missing < len(program) && time.Now().After(end) {
				t.Fatalf("step %d has %d completions, the reference has %d: %s", missing, p.count(missing), want.comps[missing], want.steps[missing])
			}
		}
		p.settle() // and no others
	}
	out := p.outcome(program)
	p.sweep(program)
	return out
}

// sweep cancels what is still posted and receives what is still there: a provider may let unmatched messages keep the
// closing of an endpoint waiting.
func (p *player) sweep(program []move) {
	taken := map[int]bool{}
	for i, m := range program {
		o := p.ops[i]
		if m.What == "take" {
			taken[m.Ref] = true
		}
		if o != nil && o.call.isRecv() && !o.done() {
			o.cancel()
		}
	}
	for i, m := range program {
		if o := p.ops[i]; m.What == "claim" && !taken[i] && o.last().Err == 0 {
			o.s.try(call{Form: "trecvmsg", CtxOf: o.id, To: anyone, Flags: fi.OpClaim | fi.OpDiscard})
		}
	}
	var rest []*op
	for i, m := range program {
		if o := p.ops[i]; o != nil && m.What == "send" {
			form := "recv"
			if m.Form[0] == 't' {
				form = "trecv"
			}
			r := p.sides[1-m.Side].recv(call{Form: form, Ignore: 1<<63 - 1})
			r.claimed = true
			rest = append(rest, r)
		}
	}
	p.settle()
	for _, r := range rest {
		if !r.done() {
			r.cancel()
		}
	}
	p.t.pump()
}

func (p *player) count(i int) int {
	if p.ops[i] == nil {
		return 0
	}
	return len(p.ops[i].comps)
}

// settle waits until everything that was sent has arrived.
func (p *player) settle() {
	for range 2 {
		p.t.flush(p.sides[0], p.sides[1])
		p.t.flush(p.sides[1], p.sides[0])
	}
	p.t.pump()
}

func (p *player) step(i int, m move) {
	s, peer := p.sides[m.Side], p.sides[1-m.Side]
	c := call{Form: m.Form, N: m.N, Tag: m.Tag, Ignore: m.Ignore, Data: m.Data, Flags: m.Flags, Seed: uint64(i + 1)}
	if strings.HasSuffix(m.Form, "v") {
		c.Split = []int{m.N / 3, 0, m.N - m.N/3}
	}
	switch m.What {
	case "send":
		p.ops[i] = s.to(peer, c)
	case "recv", "multi":
		p.ops[i] = s.recv(c)
	case "cancel":
		p.settle() // whether it has matched is known then
		if o := p.ops[m.Ref]; o != nil && o.s == s {
			p.said[i] = fmt.Sprint(errnoOf(o.cancel()))
			o.claimed = true
			p.t.pump()
		}
	case "peek", "claim", "discard":
		p.settle()
		c.Form, c.Flags = "trecvmsg", map[string]fi.OpFlags{"peek": fi.OpPeek, "claim": fi.OpPeek | fi.OpClaim, "discard": fi.OpPeek | fi.OpDiscard}[m.What]
		p.ops[i] = s.recv(c)
		p.ops[i].claimed = true
		p.t.settle(p.ops[i])
	case "take":
		if o := p.ops[m.Ref]; o != nil && o.s == s && o.last().Err == 0 {
			c.Form, c.Flags, c.CtxOf, c.To = "trecvmsg", fi.OpClaim, o.id, anyone
			_, err := s.try(c)
			p.said[i] = fmt.Sprint(errnoOf(err))
			p.t.settle(o)
		}
	case "access":
		p.access(i, m, c)
	}
}

// access makes a remote access and waits for it: memory is compared, and accesses have no order among each other that
// every provider promises.
func (p *player) access(i int, m move, c call) {
	s, peer := p.sides[m.Side], p.sides[1-m.Side]
	c.At = p.regions[1-m.Side].remote.At(uint64(m.At))
	c.Type, c.Op = m.Type, m.Op
	if m.Form == "compare_atomic" {
		c.Compare = pattern(uint64(i%3), m.N)
		c.Seed = uint64(i % 3)
	}
	if c.msgForm() {
		c.Flags = fi.OpDeliveryComplete
	}
	o := s.to(peer, c)
	o.claimed = true
	p.ops[i] = o
	p.t.settle(o)
	if c.withData() && o.last().Err == 0 {
		e := p.t.event(peer)
		p.said[i] = fmt.Sprintf("data %d len %d", e.Data, e.Len)
	}
	if !c.brings() && !c.fetches() && o.last().Err == 0 { // it is in memory, whatever the level
		f := s.to(peer, call{Form: "readmsg", N: 0, At: p.regions[1-m.Side].remote, Flags: fi.OpFence})
		p.t.wait(f)
		p.t.until("the write in memory", func() bool {
			return c.isAtomic() || m.Form == "write" || differs(p.regions[1-m.Side].bytes(m.At, m.N), c.Seed, 0) == ""
		})
	}
}

func errnoOf(err error) fi.Errno {
	if err == nil {
		return 0
	}
	return toWire(err).No
}

// outcome tells what was observed, in words that do not depend on timing.
func (p *player) outcome(program []move) *outcome {
	out := &outcome{}
	for i, o := range p.ops {
		text := p.said[i]
		n := 0
		if o != nil {
			o.claimed = true // what is left unmatched ends when a side closes
		}
		// When a send completes is the provider's matter, but for the levels that other cases look at.
		if o != nil && program[i].What != "send" {
			n = len(o.comps)
			var list []string
			for k := range o.comps {
				c := &o.comps[k]
				body := c.Bytes
				peek := o.call.Flags&fi.OpPeek != 0 && k == 0
				if body == nil && c.Len > 0 && o.call.isRecv() && c.Err == 0 && !peek {
					body = o.s.do(&request{Verb: vBytes, ID: o.id, Off: max(c.Off, 0), N: c.Len}).Bytes
				}
				if c.Err != 0 && !o.call.isRecv() {
					body = nil
				}
				h := fnv.New64a()
				h.Write(body)
				list = append(list, fmt.Sprintf("%v len %d data %d tag %d off %d err %d olen %d body %x", c.Flags, c.Len, c.Data, c.Tag,
					c.Off, int(c.Err), c.OLen, h.Sum64()))
			}
			if o.multi { // long messages may end later; their places tell the order of matching
				slices.Sort(list)
				for k := range list {
					list[k] = strings.ReplaceAll(list[k], ", FI_MULTI_RECV", "")
				}
			}
			text += strings.Join(list, "; ")
		}
		out.steps = append(out.steps, text)
		out.comps = append(out.comps, n)
	}
	for _, m := range p.regions {
		if m != nil {
			h := fnv.New64a()
			h.Write(m.bytes(0, m.n))
			out.end += fmt.Sprintf("region %x ", h.Sum64())
		}
	}
	return out
}
