package conformance

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

var _ = add("rma",
	testCase{name: "forms", need: rma, kind: core, run: rmaForms},
	testCase{name: "sizes", need: rma, kind: core, run: rmaSizes},
	testCase{name: "offsets", need: rma, run: rmaOffsets},
	testCase{name: "vectors", need: rma, kind: core, run: rmaVectors},
	testCase{name: "vector-data", need: rma, run: rmaVectorData},
	testCase{name: "lengths-differ", need: rma, run: rmaLengths},
	testCase{name: "zero-length", need: rma, run: rmaZero},
	testCase{name: "parts", need: rma, run: rmaParts},
	testCase{name: "write-data", need: rma, kind: core, run: writeData},
	testCase{name: "write-data-order", need: rma, run: writeDataOrder},
	testCase{name: "order", need: rma, run: rmaOrder},
	testCase{name: "send-after-write", need: rma | tagged, run: sendAfterWrite},
	testCase{name: "self", need: rma, run: rmaSelf},
	testCase{name: "many", need: rma, run: rmaMany},
	testCase{name: "target-idle", need: rma, run: targetIdle},
	testCase{name: "too-long", need: rma, run: rmaTooLong},
	testCase{name: "no-such-peer", need: rma, run: rmaNoPeer},
	testCase{name: "errors-make-room", need: rma, run: errorPlaces},
)

// holds checks a region's memory against a pattern.
func (r *region) holds(off, n int, seed uint64, what string) {
	if d := differs(r.bytes(off, n), seed, 0); d != "" {
		r.s.t.Errorf("%s: the target's memory: %s", what, d)
	}
}

// rmaForms writes and reads by each call, and looks round the written place.
func rmaForms(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 512, Seed: 1, Key: 0x1234})
	const n = 40
	writes := []call{
		{Form: "write"}, {Form: "writev", Split: []int{8, 0, 32}}, {Form: "writemsg"}, {Form: "writemsg", Flags: fi.OpInject},
		{Form: "writemsg", Flags: fi.OpMore}, {Form: "writemsg", Flags: fi.OpTransmitComplete},
		{Form: "writemsg", Flags: fi.OpDeliveryComplete | fi.OpFence}, {Form: "writemsg", Split: []int{1, 39}, Flags: fi.OpInjectComplete},
		{Form: "inject_write"}, {Form: "writedata", Data: 5}, {Form: "inject_writedata", Data: 6},
	}
	for i, w := range writes {
		old := m.bytes(0, m.n)
		off := 3 + 24*i
		w.N, w.Seed, w.At = n, uint64(100+i), m.remote.At(uint64(off))
		o := p.a.to(p.b, w)
		t.wait(o)
		if w.withData() {
			if c := t.event(p.b); c.Data != w.Data || c.Len != n ||
				c.Flags != fi.CompRemoteWrite|fi.CompRMA|fi.CompRemoteCQData {
				t.Errorf("%s: %v data %d", w.Form, &c, c.Data)
			}
		}
		t.until(w.Form+" in the target's memory", func() bool {
			return differs(m.bytes(off, n), w.Seed, 0) == ""
		})
		if !o.s.quiet(&w) && o.last().Flags != fi.CompWrite|fi.CompRMA {
			t.Errorf("%s: flags %v", w.Form, o.last().Flags)
		}
		now := m.bytes(0, m.n)
		if d := firstDiff(now[:off], old[:off]); d != "" {
			t.Errorf("%s wrote before its place: %s", w.Form, d)
		}
		if d := firstDiff(now[off+n:], old[off+n:]); d != "" {
			t.Errorf("%s wrote behind its place: %s", w.Form, d)
		}
	}
	m.set(0, pattern(1, 512))
	for _, r := range []call{{Form: "read"}, {Form: "readv", Split: []int{5, 35}}, {Form: "readmsg"},
		{Form: "readmsg", Flags: fi.OpFence}, {Form: "readmsg", Flags: fi.OpMore}, {Form: "readmsg", Flags: fi.OpDeliveryComplete}} {
		r.N, r.At = n, m.remote.At(16)
		o := p.a.to(p.b, r)
		t.wait(o)
		if d := differs(o.last().Bytes, 1, 16); d != "" {
			t.Errorf("%s: %s", r.Form, d)
		}
		if o.last().Flags != fi.CompRead|fi.CompRMA {
			t.Errorf("%s: flags %v", r.Form, o.last().Flags)
		}
	}
}

// rmaSizes writes and reads each size.
func rmaSizes(t *test) {
	p := t.pair()
	list := edgeSizes(t, p.a.info.Tx.InjectSize)
	most := 0
	for _, n := range list {
		most = max(most, n)
	}
	m := p.b.reg(regOpts{N: most + 8, Key: 7})
	for i, n := range list {
		seed := uint64(i + 10)
		forms := []string{"write"}
		if n <= p.a.info.Tx.InjectSize {
			forms = append(forms, "inject_write")
		}
		for k, form := range forms {
			seed := seed*3 + uint64(k)
			if form == "write" {
				t.wait(p.a.to(p.b, call{Form: "writemsg", N: n, Seed: seed, At: m.remote.At(8), Flags: fi.OpDeliveryComplete}))
				m.holds(8, n, seed, fmt.Sprintf("write of %d bytes", n))
				seed += 1000 // and by the form without flags
				t.wait(p.a.to(p.b, call{Form: form, N: n, Seed: seed, At: m.remote.At(8)}))
				t.until("a plain write in memory", func() bool { return differs(m.bytes(8, n), seed, 0) == "" })
			} else {
				p.a.to(p.b, call{Form: form, N: n, Seed: seed, At: m.remote.At(8)})
				t.until(form+" in memory", func() bool { return differs(m.bytes(8, n), seed, 0) == "" })
			}
			r := p.a.to(p.b, call{Form: "read", N: n, At: m.remote.At(8)})
			t.wait(r)
			got := r.last().Bytes
			if got == nil {
				got = p.a.do(&request{Verb: vBytes, ID: r.id, N: n}).Bytes
			}
			if d := differs(got, seed, 0); d != "" {
				t.Errorf("read of %d bytes: %s", n, d)
			}
		}
	}
}

// rmaOffsets writes to places of all alignments.
func rmaOffsets(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 4096, Key: 7})
	for off := range 24 {
		for _, n := range []int{1, 8, 13, 64, 100} {
			seed := uint64(off*100 + n)
			old := m.bytes(0, 200)
			t.wait(p.a.to(p.b, call{Form: "writemsg", N: n, Seed: seed, At: m.remote.At(uint64(off)), Flags: fi.OpDeliveryComplete}))
			copy(old[off:], pattern(seed, n))
			if d := firstDiff(m.bytes(0, 200), old); d != "" {
				t.Errorf("%d bytes at %d: %s", n, off, d)
			}
			r := p.a.to(p.b, call{Form: "read", N: n, At: m.remote.At(uint64(off))})
			t.wait(r)
			if d := differs(r.last().Bytes, seed, 0); d != "" {
				t.Errorf("read of %d bytes at %d: %s", n, off, d)
			}
		}
	}
}

// rmaVectors gathers from several buffers into several ranges of two regions, and back.
func rmaVectors(t *test) {
	p := t.pair()
	m1 := p.b.reg(regOpts{N: 3000, Key: 1})
	m2 := p.b.reg(regOpts{N: 50000, Key: 2})
	for round, n := range []int{12, 600, 40000} {
		ranges := []fi.RMAIov{
			{Addr: m2.remote.Addr + 100, Len: uint64(n / 2), Key: m2.remote.Key},
			{Addr: m1.remote.Addr + 7, Len: uint64(n / 20), Key: m1.remote.Key},
			{Addr: m2.remote.Addr + 30000, Len: uint64(n - n/2 - n/20), Key: m2.remote.Key},
		}
		if p.a.info.Tx.RMAIovLimit < 3 {
			t.Logf("rma_iov_limit is %d", p.a.info.Tx.RMAIovLimit)
			return
		}
		cut := []int{n / 3, n - n/3 - 1, 1}
		seed := uint64(round + 1)
		w := p.a.to(p.b, call{Form: "writemsg", N: n, Seed: seed, Split: cut, Ranges: ranges, Flags: fi.OpDeliveryComplete})
		t.wait(w)
		if l := w.last().Len; l != n {
			t.Errorf("a write of %d bytes into three ranges completed with len %d", n, l)
		}
		got := append(m2.bytes(100, n/2), m1.bytes(7, n/20)...)
		got = append(got, m2.bytes(30000, n-n/2-n/20)...)
		if d := differs(got, seed, 0); d != "" {
			t.Errorf("write of %d bytes into three ranges: %s", n, d)
		}
		r := p.a.to(p.b, call{Form: "readmsg", N: n, Split: cut, Ranges: ranges})
		t.wait(r)
		if d := differs(r.last().Bytes, seed, 0); d != "" {
			t.Errorf("read of %d bytes from three ranges: %s", n, d)
		}
	}
	// One bad range spoils the whole.
	o := p.a.to(p.b, call{Form: "writemsg", N: 40, Seed: 9, Ranges: []fi.RMAIov{
		{Addr: m1.remote.Addr, Len: 20, Key: m1.remote.Key}, {Addr: m2.remote.Addr, Len: 20, Key: m2.remote.Key + 77}}})
	t.fails(o, fi.ErrKeyRejected)
	noRead := p.b.reg(regOpts{N: 100, Key: 3, Access: fi.AccessRemoteWrite})
	noWrite := p.b.reg(regOpts{N: 100, Key: 4, Access: fi.AccessRemoteRead})
	for _, c := range []struct {
		form   string
		second fi.RMAIov
		want   fi.Errno
	}{
		{"writemsg", fi.RMAIov{Addr: noWrite.remote.Addr, Len: 20, Key: noWrite.remote.Key}, fi.ErrAccess},
		{"readmsg", fi.RMAIov{Addr: noRead.remote.Addr, Len: 20, Key: noRead.remote.Key}, fi.ErrAccess},
		{"writemsg", fi.RMAIov{Addr: noRead.remote.Addr + 81, Len: 20, Key: noRead.remote.Key}, fi.ErrInvalid},
		{"readmsg", fi.RMAIov{Addr: noWrite.remote.Addr + 81, Len: 20, Key: noWrite.remote.Key}, fi.ErrInvalid},
	} {
		first := fi.RMAIov{Addr: m1.remote.Addr, Len: 20, Key: m1.remote.Key}
		t.fails(p.a.to(p.b, call{Form: c.form, N: 40, Seed: 9, Ranges: []fi.RMAIov{first, c.second}}), c.want)
		last := []fi.RMAIov{first, c.second, first}
		t.fails(p.a.to(p.b, call{Form: c.form, N: 60, Seed: 9, Ranges: last}), c.want)
	}
}

// rmaVectorData writes into several ranges with data: it comes once, with the length of the whole.
func rmaVectorData(t *test) {
	p := t.pair()
	m1, m2 := p.b.reg(regOpts{N: 3000, Key: 1}), p.b.reg(regOpts{N: 1 << 20, Key: 2})
	if p.a.info.Tx.RMAIovLimit < 2 {
		return
	}
	for i, n := range []uint64{10, 60000, 1 << 20} {
		seed := uint64(9 + i)
		o := p.a.to(p.b, call{Form: "writemsg", N: int(20 + n), Seed: seed, Flags: fi.OpRemoteCQData, Data: 4, Ranges: []fi.RMAIov{
			{Addr: m1.remote.Addr, Len: 20, Key: m1.remote.Key}, {Addr: m2.remote.Addr, Len: n, Key: m2.remote.Key}}})
		c := t.event(p.b)
		if d := differs(append(m1.bytes(0, 20), m2.bytes(0, int(n))...), seed, 0); d != "" {
			t.Errorf("a write of %d bytes into two ranges, at the target's completion: %s", 20+n, d)
		}
		if c.Len != int(20+n) || c.Data != 4 {
			t.Errorf("a write of %d bytes into two ranges: %v data %d", 20+n, &c, c.Data)
		}
		t.wait(o)
	}
}

// rmaLengths has local and remote lengths differ: refused at the call.
func rmaLengths(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 100, Key: 1})
	for _, l := range []uint64{0, 9, 11, 1 << 62} {
		for _, form := range []string{"writemsg", "readmsg"} {
			p.a.refuse(call{Form: form, N: 10, To: p.a.addr(p.b), Ranges: []fi.RMAIov{{Addr: m.remote.Addr, Len: l, Key: m.remote.Key}}}, fi.ErrInvalid)
		}
	}
	over := make([]fi.RMAIov, p.a.info.Tx.RMAIovLimit+1)
	for i := range over {
		over[i] = fi.RMAIov{Addr: m.remote.Addr + uint64(i), Len: 1, Key: m.remote.Key}
	}
	p.a.refuse(call{Form: "writemsg", N: len(over), To: p.a.addr(p.b), Ranges: over}, fi.ErrInvalid)
	cut := make([]int, p.a.info.Tx.IovLimit+1)
	for i := range cut {
		cut[i] = 1
	}
	p.a.refuse(call{Form: "readv", N: len(cut), Split: cut, To: p.a.addr(p.b), At: m.remote}, fi.ErrInvalid)
}

// rmaZero accesses no bytes: good with a good key, anywhere in the region; an error with a bad one.
func rmaZero(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 100, Key: 1})
	for _, off := range []uint64{0, 50, 100} {
		for _, form := range []string{"write", "read", "writemsg", "readmsg"} {
			t.wait(p.a.to(p.b, call{Form: form, At: m.remote.At(off)}))
		}
	}
	t.wait(p.a.to(p.b, call{Form: "writedata", At: m.remote, Data: 3}))
	if c := t.event(p.b); c.Len != 0 || c.Data != 3 {
		t.Errorf("a write of no bytes with data: %v data %d", &c, c.Data)
	}
	for _, form := range []string{"write", "read", "writemsg", "readmsg"} {
		bad := m.remote
		bad.Key += 99
		t.fails(p.a.to(p.b, call{Form: form, At: bad}), fi.ErrKeyRejected)
		t.fails(p.a.to(p.b, call{Form: form, At: m.remote.At(101)}), fi.ErrInvalid)
	}
}

// rmaParts registers several buffers as one region and accesses it across their borders.
func rmaParts(t *test) {
	p := t.pair()
	if p.b.info.Domain.MRIovLimit < 3 {
		t.Logf("mr_iov_limit is %d", p.b.info.Domain.MRIovLimit)
		return
	}
	cut := []int{10, 1, 89, 4000}
	if p.b.info.Domain.MRIovLimit < len(cut) {
		cut = []int{10, 1, 4089}
	}
	m := p.b.reg(regOpts{N: 4100, Split: cut, Key: 5})
	for _, c := range [][2]int{{0, 4100}, {5, 10}, {9, 3}, {10, 1}, {11, 89}, {99, 2}, {0, 10}, {100, 4000}} {
		seed := uint64(c[0] + 1)
		t.wait(p.a.to(p.b, call{Form: "writemsg", N: c[1], Seed: seed, At: m.remote.At(uint64(c[0])), Flags: fi.OpDeliveryComplete}))
		m.holds(c[0], c[1], seed, fmt.Sprintf("write of %d at %d across parts", c[1], c[0]))
		r := p.a.to(p.b, call{Form: "read", N: c[1], At: m.remote.At(uint64(c[0]))})
		t.wait(r)
		if d := differs(r.last().Bytes, seed, 0); d != "" {
			t.Errorf("read of %d at %d across parts: %s", c[1], c[0], d)
		}
	}
	t.fails(p.a.to(p.b, call{Form: "write", N: 1, At: m.remote.At(4100)}), fi.ErrInvalid)
}

// writeData writes with data: the target sees it when the bytes are in its memory.
func writeData(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 200000, Key: 1})
	for i, n := range []int{1, 8, 100, 5000, 9000, 20000, 200000} {
		for _, form := range []string{"writedata", "writemsg", "inject_writedata"} {
			if form == "inject_writedata" && n > p.a.info.Tx.InjectSize {
				continue
			}
			c := call{Form: form, N: n, At: m.remote, Seed: uint64(i*10 + len(form)), Data: uint64(n)<<32 | 5}
			if form == "writemsg" {
				c.Flags = fi.OpRemoteCQData
			}
			o := p.a.to(p.b, c)
			e := t.event(p.b)
			m.holds(0, n, c.Seed, fmt.Sprintf("%s of %d bytes, at the target's completion", form, n))
			if e.Data != c.Data || e.Len != n || e.Flags != fi.CompRemoteWrite|fi.CompRMA|fi.CompRemoteCQData {
				t.Errorf("%s of %d bytes: %v data %#x", form, n, &e, e.Data)
			}
			t.wait(o)
		}
	}
}

// writeDataOrder sees that completions of writes come at the target in the order of writing.
func writeDataOrder(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 100000, Key: 1})
	var ops []*op
	for i := range 100 {
		n := []int{8, 20000, 0, 100, 9000}[i%5]
		ops = append(ops, p.a.to(p.b, call{Form: "writedata", N: n, At: m.remote, Data: uint64(i)}))
	}
	if p.a.info.Tx.MsgOrder&fi.OrderWAW == 0 && p.a.info.Tx.MsgOrder&fi.OrderRMAWAW == 0 {
		t.Logf("no order between writes is promised")
	}
	for i := range ops {
		if c := t.event(p.b); c.Data != uint64(i) && p.a.info.Tx.MsgOrder&(fi.OrderWAW|fi.OrderRMAWAW) != 0 {
			t.Fatalf("completion %d is that of write %d", i, c.Data)
		}
	}
	t.wait(ops...)
}

// rmaOrder overwrites one place again and again without waiting, and reads what was written, as far as the Info
// promises order.
func rmaOrder(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 50000, Key: 1})
	order := p.a.info.Tx.MsgOrder
	for _, n := range []int{8, 64, 5000, 50000} {
		if uint64(n) > p.a.info.EP.MaxOrderWAWSize || order&(fi.OrderWAW|fi.OrderRMAWAW) == 0 {
			continue
		}
		var ops []*op
		for i := range 10 {
			ops = append(ops, p.a.to(p.b, call{Form: "write", N: n, At: m.remote, Seed: uint64(n + i)}))
		}
		if order&(fi.OrderRAW|fi.OrderRMARAW) != 0 && uint64(n) <= p.a.info.EP.MaxOrderRAWSize {
			r := p.a.to(p.b, call{Form: "read", N: n, At: m.remote})
			t.wait(append(ops, r)...)
			if d := differs(r.last().Bytes, uint64(n+9), 0); d != "" {
				t.Errorf("a read of %d bytes behind 10 writes: %s", n, d)
			}
		}
		t.wait(ops...)
		t.wait(p.a.to(p.b, call{Form: "writemsg", At: m.remote, Flags: fi.OpDeliveryComplete | fi.OpFence}))
		m.holds(0, n, uint64(n+9), fmt.Sprintf("the last of 10 writes of %d bytes", n))
		if order&(fi.OrderWAR|fi.OrderRMAWAR) != 0 && uint64(n) <= p.a.info.EP.MaxOrderWARSize {
			r := p.a.to(p.b, call{Form: "read", N: n, At: m.remote})
			w := p.a.to(p.b, call{Form: "write", N: n, At: m.remote, Seed: 3})
			t.wait(r, w)
			if d := differs(r.last().Bytes, uint64(n+9), 0); d != "" {
				t.Errorf("a read of %d bytes before a write: %s", n, d)
			}
		}
	}
}

// sendAfterWrite sends a message behind writes, where the Info promises that it comes later: the writes must be there.
func sendAfterWrite(t *test) {
	p := t.pair()
	if p.a.info.Tx.MsgOrder&fi.OrderSAW == 0 {
		return
	}
	m := p.b.reg(regOpts{N: 100000, Key: 1})
	for i, n := range []int{1, 8, 41, 5000, 20000, 100000} {
		seed := uint64(i + 1)
		w := p.a.to(p.b, call{Form: "write", N: n, At: m.remote, Seed: seed})
		s := p.a.to(p.b, call{Form: "tsend", N: 4, Seed: 1})
		r := p.b.recv(call{Form: "trecv", N: 4})
		t.wait(r)
		m.holds(0, n, seed, fmt.Sprintf("%d bytes written before a message that has come", n))
		t.wait(w, s)
	}
}

// rmaSelf accesses the own memory through the network.
func rmaSelf(t *test) {
	s := t.open(1)[0]
	m := s.reg(regOpts{N: 50000, Key: 1})
	for _, n := range []int{8, 50000} {
		t.wait(s.to(s, call{Form: "writemsg", N: n, At: m.remote, Seed: 4, Flags: fi.OpDeliveryComplete}))
		m.holds(0, n, 4, "write to self")
		r := s.to(s, call{Form: "read", N: n, At: m.remote})
		t.wait(r)
		if n <= 64<<10 && differs(r.last().Bytes, 4, 0) != "" {
			t.Errorf("read from self")
		}
	}
}

// rmaMany has many accesses in flight, in both directions, more than any queue holds.
func rmaMany(t *test) {
	p := t.pair()
	ma, mb := p.a.reg(regOpts{N: 1 << 16, Key: 1}), p.b.reg(regOpts{N: 1 << 16, Key: 1})
	var ops []*op
	for i := range 1500 {
		at := uint64(i*40) % (1<<16 - 40)
		ops = append(ops, p.a.to(p.b, call{Form: "write", N: 40, At: mb.remote.At(at), Seed: uint64(i)}))
		ops = append(ops, p.b.to(p.a, call{Form: "read", N: 40, At: ma.remote.At(at)}))
	}
	t.wait(ops...)
	t.wait(p.a.to(p.b, call{Form: "writemsg", At: mb.remote, Flags: fi.OpDeliveryComplete | fi.OpFence}))
	mb.holds(1499*40, 40, 1499, "the last write")
}

// targetIdle writes to and reads from a peer that makes no call at all: with automatic progress all is served.
func targetIdle(t *test) {
	if !t.cell.automatic() {
		return
	}
	p := t.pair()
	m := p.b.reg(regOpts{N: 100000, Key: 1, Seed: 5})
	for _, n := range []int{8, 5000, 100000} {
		t.wait(p.a.to(p.b, call{Form: "writemsg", N: n, At: m.remote, Seed: 6, Flags: fi.OpDeliveryComplete}))
		r := p.a.to(p.b, call{Form: "read", N: n, At: m.remote})
		t.wait(r)
		m.holds(0, n, 6, "write to an idle peer")
	}
}

func rmaTooLong(t *test) {
	p := t.pair(func(o *openOpts) { o.Max.RMA, o.Inject.RMA = 1000, 16 })
	m := p.b.reg(regOpts{N: 2000, Key: 1})
	to := p.a.addr(p.b)
	for _, form := range []string{"write", "writev", "writemsg", "read", "readv", "readmsg", "writedata"} {
		p.a.refuse(call{Form: form, N: 1001, To: to, At: m.remote}, fi.ErrMsgSize)
	}
	for _, form := range []string{"inject_write", "inject_writedata"} {
		p.a.refuse(call{Form: form, N: 17, To: to, At: m.remote}, fi.ErrMsgSize)
	}
	p.a.refuse(call{Form: "writemsg", N: 17, To: to, At: m.remote, Flags: fi.OpInject}, fi.ErrMsgSize)
	t.wait(p.a.to(p.b, call{Form: "write", N: 1000, At: m.remote}))
	t.wait(p.a.to(p.b, call{Form: "writemsg", N: 16, At: m.remote, Flags: fi.OpInject | fi.OpDeliveryComplete}))
}

func rmaNoPeer(t *test) {
	p := t.pair()
	for _, form := range []string{"write", "read", "writemsg", "readmsg", "inject_write", "writedata"} {
		p.a.refuse(call{Form: form, N: 8, To: 99, At: mr.Remote{Key: 1}}, fi.ErrInvalid)
		p.a.refuse(call{Form: form, N: 8, To: fi.AddrUnspec, At: mr.Remote{Key: 1}}, fi.ErrInvalid)
	}
}

// errorPlaces has more operations fail than the queue has places: what was read, errors too, makes room.
func errorPlaces(t *test) {
	p := t.pair(func(o *openOpts) { o.CQSize = 16 })
	m := p.b.reg(regOpts{N: 64, Key: 1})
	bad := m.remote
	bad.Key += 99
	for range 4 {
		var ops []*op
		for range 16 {
			ops = append(ops, p.a.to(p.b, call{Form: "write", N: 8, At: bad}))
		}
		for _, o := range ops {
			t.fails(o, fi.ErrKeyRejected)
		}
	}
	t.wait(p.a.to(p.b, call{Form: "write", N: 8, At: m.remote}))
}
