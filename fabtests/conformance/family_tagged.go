package conformance

import (
	"math/bits"
	"slices"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("match",
	testCase{name: "ignore", need: tagged, kind: core, run: ignoreBits},
	testCase{name: "each-bit", need: tagged, run: eachBit},
	testCase{name: "first-posted-first", need: tagged, run: firstPosted},
	testCase{name: "first-sent-first", need: tagged, run: firstSent},
	testCase{name: "deep", need: tagged, run: deep},
	testCase{name: "tagged-and-not", need: tagged | msg, run: taggedAndNot},
	testCase{name: "peer-groups", need: tagged, run: peerGroups},
)

// ignoreBits matches with masks, in both orders of receive and message.
func ignoreBits(t *test) {
	p := t.pair()
	for i, c := range []struct {
		recv, ignore, hit, miss uint64
	}{
		{0xff00, 0x00ff, 0xff42, 0xfe42},
		{0, ^uint64(0), 0x123456789abcdef0, 0},
		{5, 0, 5, 4},
		{0x8000000000000000, 0x7fffffffffffffff, 0xffffffffffffffff, 0x7fffffffffffffff},
		{1, 0x8000000000000000, 0x8000000000000001, 0x8000000000000000},
		{0xffff, 0xffff, 0, 0x10000},
		{0xabc, 0x0f0, 0xafc, 0xabd},
	} {
		for _, late := range []bool{false, true} {
			var miss, hit, r *op
			post := func() {
				r = p.b.recv(call{Form: "trecv", N: 16, Tag: c.recv, Ignore: c.ignore})
			}
			if !late {
				post()
			}
			if c.miss != 0 {
				miss = p.a.to(p.b, call{Form: "tsend", N: 16, Tag: c.miss, Seed: 1})
			}
			hit = p.a.to(p.b, call{Form: "tsend", N: 16, Tag: c.hit, Seed: uint64(i + 2)})
			if late {
				post()
			}
			t.wait(r, hit)
			t.got(r, hit)
			if miss != nil {
				m := p.b.recv(call{Form: "trecv", N: 16, Tag: c.miss})
				t.wait(m, miss)
				t.got(m, miss)
			}
		}
	}
}

// eachBit sends two tags that differ in one bit: only the right one may match.
func eachBit(t *test) {
	p := t.pair()
	const base = 0x5a5a_c3c3_0f0f_9669
	for i := range 64 {
		tag := uint64(base) ^ 1<<i
		wrong := p.a.to(p.b, call{Form: "tsend", N: 8, Tag: base, Seed: 1})
		right := p.a.to(p.b, call{Form: "tsend", N: 8, Tag: tag, Seed: 2})
		r := p.b.recv(call{Form: "trecv", N: 8, Tag: tag})
		t.wait(r, right)
		t.got(r, right)
		// The other one is found when exactly this bit is ignored.
		w := p.b.recv(call{Form: "trecv", N: 8, Tag: tag, Ignore: 1 << i})
		t.wait(w, wrong)
		t.got(w, wrong)
	}
	if bits.OnesCount64(base) == 0 {
		t.Fatal("no bits")
	}
}

// firstPosted has several receives that match: the oldest takes the message, of whatever kind they are.
func firstPosted(t *test) {
	p := t.pair()
	kinds := []call{
		{Form: "trecv", Tag: 7}, {Form: "trecv", Tag: 0, Ignore: ^uint64(0)}, {Form: "trecv", Tag: 0x17, Ignore: 0x10},
		{Form: "trecv", Tag: 7}, {Form: "trecv", Tag: 0xf7, Ignore: 0xf0}, {Form: "trecv", Tag: 0, Ignore: 7},
	}
	for shift := range kinds {
		var recvs, sends []*op
		for i := range kinds {
			c := kinds[(i+shift)%len(kinds)]
			c.N = 8
			recvs = append(recvs, p.b.recv(c))
		}
		for i := range kinds {
			sends = append(sends, p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 7, Seed: uint64(shift*10 + i)}))
		}
		t.wait(append(recvs, sends...)...)
		for i := range recvs {
			t.got(recvs[i], sends[i])
		}
	}
}

// firstSent has several messages that match: the oldest is taken, though others lie between.
func firstSent(t *test) {
	p := t.pair()
	var sends []*op
	tags := []uint64{1, 2, 1, 3, 2, 1, 3, 3, 2, 1}
	for i, tag := range tags {
		sends = append(sends, p.a.to(p.b, call{Form: "tsend", N: 50 * i, Tag: tag, Seed: uint64(i)}))
	}
	take := func(tag, ignore uint64) {
		i := slices.IndexFunc(tags, func(x uint64) bool { return x != 0 && (x^tag)&^ignore == 0 })
		r := p.b.recv(call{Form: "trecv", N: 500, Tag: tag, Ignore: ignore})
		t.wait(r, sends[i])
		t.got(r, sends[i])
		tags[i] = 0
	}
	take(3, 0)
	take(0, 3)
	take(2, 1) // 2 or 3
	take(2, 0)
	for range 6 {
		take(0, ^uint64(0))
	}
}

// deep posts very many receives, and keeps very many messages, and uses them from the far end.
func deep(t *test) {
	p := t.pair()
	const n = 2000
	var recvs, sends []*op
	for i := range n {
		recvs = append(recvs, p.b.recv(call{Form: "trecv", N: 8, Tag: uint64(i)}))
	}
	for i := range n {
		sends = append(sends, p.a.to(p.b, call{Form: "tsend", N: 8, Tag: uint64(n - 1 - i), Seed: uint64(n - 1 - i)}))
	}
	t.wait(append(recvs, sends...)...)
	for i := range recvs {
		t.got(recvs[i], sends[n-1-i])
	}
	recvs, sends = nil, nil
	for i := range n {
		sends = append(sends, p.a.to(p.b, call{Form: "tsend", N: 8, Tag: uint64(i), Seed: uint64(i)}))
	}
	for i := range n {
		recvs = append(recvs, p.b.recv(call{Form: "trecv", N: 8, Tag: uint64(n - 1 - i)}))
	}
	t.wait(append(recvs, sends...)...)
	for i := range recvs {
		t.got(recvs[i], sends[n-1-i])
	}
}

// taggedAndNot sees that tagged receives take tagged messages only, and the others the others.
func taggedAndNot(t *test) {
	p := t.pair()
	rt := p.b.recv(call{Form: "trecv", N: 8, Ignore: ^uint64(0)})
	s := p.a.to(p.b, call{Form: "send", N: 8, Seed: 1})
	r := p.b.recv(call{Form: "recv", N: 8})
	t.wait(s, r)
	t.got(r, s)
	st := p.a.to(p.b, call{Form: "tsend", N: 8, Seed: 2})
	t.wait(rt, st)
	t.got(rt, st)
}

// peerGroups sends with group numbers: a receive matches its group only.
func peerGroups(t *test) {
	p := t.pair()
	if p.b.info.Domain.MaxGroupID == 0 {
		return // promised nothing
	}
	form := func(s, r string, group uint32, n int) (*op, *op) {
		o := p.a.post(call{Form: s, N: n, Seed: uint64(group), To: fi.GroupAddr(p.a.addr(p.b), group)})
		o.target = p.b
		var rc *op
		if r != "" {
			rc = p.b.post(call{Form: r, N: n, To: fi.GroupAddr(fi.Addr(1<<32-1), group)})
		}
		return o, rc
	}
	for _, n := range []int{8, 100000} {
		s1, _ := form("tsend", "", 1, n)
		s2, r2 := form("tsend", "trecv", 2, n)
		t.wait(s2, r2)
		t.got(r2, s2)
		r1 := p.b.post(call{Form: "trecv", N: n, To: fi.GroupAddr(fi.Addr(1<<32-1), 1)})
		t.wait(s1, r1)
		t.got(r1, s1)
		// A receive without a group does not take a message of one.
		r0 := p.b.recv(call{Form: "trecv", N: n})
		s3, r3 := form("tsend", "trecv", p.b.info.Domain.MaxGroupID, n)
		t.wait(s3, r3)
		t.got(r3, s3)
		s0 := p.a.to(p.b, call{Form: "tsend", N: n, Seed: 5})
		t.wait(s0, r0)
		t.got(r0, s0)
	}
	if most := p.b.info.Domain.MaxGroupID; most < 1<<32-1 {
		p.b.refuse(call{Form: "trecv", N: 8, To: fi.GroupAddr(0, most+1)}, fi.ErrInvalid)
	}
}
