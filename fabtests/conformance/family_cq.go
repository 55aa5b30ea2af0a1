package conformance

import (
	"context"
	"errors"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("cq",
	testCase{name: "formats", need: tagged, where: local, run: cqFormats},
	testCase{name: "sizes", need: tagged, where: local, run: cqSizes},
	testCase{name: "refused", need: tagged, where: local, run: cqRefused},
	testCase{name: "read-few", need: tagged, where: local, run: readFew},
	testCase{name: "empty", need: tagged, where: local, kind: core, run: cqEmpty},
	testCase{name: "errors-in-order", need: tagged, where: local, run: errorsInOrder},
	testCase{name: "one-queue", need: tagged, where: local, run: oneQueue},
	testCase{name: "shared-by-endpoints", need: tagged, where: local, run: sharedQueue},
	testCase{name: "overrun", need: tagged, run: overrun},
	testCase{name: "overrun-writes", need: rma, run: overrunWrites},
	testCase{name: "no-endpoint", need: tagged, where: local, run: cqAlone},
	testCase{name: "all", need: tagged, where: local, run: iterator},
	testCase{name: "text", need: tagged, where: local, run: cqText},
)

var _ = add("wait",
	testCase{name: "sread", need: tagged, where: local, kind: core, run: sread},
	testCase{name: "sread-asleep", need: tagged, where: anywhere, kind: core, run: sreadAsleep},
	testCase{name: "sread-posted-late", need: tagged, where: local, run: sreadLatePost},
	testCase{name: "sread-error", need: tagged, where: local, run: sreadError},
	testCase{name: "sread-none", need: tagged, where: local, run: sreadNone},
	testCase{name: "sread-empty-buffer", need: tagged, where: local, run: sreadNothing},
	testCase{name: "deadline", need: tagged, where: local, kind: core, run: sreadDeadline},
	testCase{name: "cancel-loses-nothing", need: tagged, where: local, run: cancelLosesNothing},
	testCase{name: "signal", need: tagged, where: local, kind: core, run: signal},
	testCase{name: "signal-nobody", need: tagged, where: local, run: signalNobody},
	testCase{name: "many-readers", need: tagged, where: local, kind: threads, run: manyReaders},
	testCase{name: "descriptor", need: tagged, where: anywhere, kind: core, run: descriptor},
	testCase{name: "descriptor-quiet", need: tagged, where: local, run: descriptorQuiet},
	testCase{name: "descriptor-idle", need: tagged, where: local, run: descriptorIdle},
	testCase{name: "close-while-waiting", need: tagged, where: local, run: closeWaiting},
)

func cqFormats(t *test) {
	for _, f := range []fi.CQFormat{fi.CQFormatUnspec, fi.CQFormatContext, fi.CQFormatMsg, fi.CQFormatData, fi.CQFormatTagged} {
		p := t.pair(func(o *openOpts) { o.Format = f })
		ctx := new(int)
		t.check(p.b.n.trecv(make([]byte, 20), anyone, 5, 0, ctx))
		t.check(p.a.n.eps[0].TSendData(make([]byte, 10), 77, p.a.addr(p.b), 5, nil))
		e := p.b.reader().next()
		if e.Context != any(ctx) {
			t.Errorf("format %v: context %v", f, e.Context)
		}
		if f != fi.CQFormatContext && (e.Flags != fi.CompRecv|fi.CompTagged|fi.CompRemoteCQData || e.Len != 10) {
			t.Errorf("format %v: %v, %d bytes", f, e.Flags, e.Len)
		}
		if (f == fi.CQFormatData || f == fi.CQFormatTagged || f == 0) && e.Data != 77 || (f == fi.CQFormatTagged || f == 0) && e.Tag != p.b.n.tag(5) {
			t.Errorf("format %v: data %d tag %d", f, e.Data, e.Tag)
		}
		p.a.txReader().next()
		p.a.uncounted, p.b.uncounted = true, true
	}
}

func cqSizes(t *test) {
	d := t.open(1)[0].n.dom
	var qs []*fabric.CQ
	for _, size := range []int{0, 1, 2, 3, 64, 1000, 4096, 1 << 16, 1 << 40} {
		q, err := d.OpenCQ(&fi.CQAttr{Size: size})
		t.check(err)
		qs = append(qs, q)
	}
	for range 200 {
		q, err := d.OpenCQ(nil)
		t.check(err)
		qs = append(qs, q)
	}
	for _, q := range qs {
		t.check(q.Close())
		t.check(q.Close())
	}
	for _, size := range []int{1, 1 << 33} { // the least and the most hold what is promised
		p := t.pair(func(o *openOpts) { o.CQSize = size })
		p.exchange(call{Form: "tsend", N: 8}, call{Form: "trecv", N: 8})
		p.exchange(call{Form: "tsend", N: 8}, call{Form: "trecv", N: 8})
	}
}

func cqRefused(t *test) {
	d := t.open(1)[0].n.dom
	for _, x := range []struct {
		attr fi.CQAttr
		want fi.Errno
	}{
		{fi.CQAttr{Size: -1}, fi.ErrInvalid}, {fi.CQAttr{Format: 9}, fi.ErrInvalid}, {fi.CQAttr{WaitCond: 9}, fi.ErrInvalid},
		{fi.CQAttr{WaitObj: 99}, fi.ErrInvalid}, {fi.CQAttr{WaitObj: fi.WaitSet}, fi.ErrNoSys},
		{fi.CQAttr{WaitObj: fi.WaitMutexCond}, fi.ErrNoSys}, {fi.CQAttr{WaitObj: fi.WaitPollFD}, fi.ErrNoSys},
	} {
		if q, err := d.OpenCQ(&x.attr); !errors.Is(err, x.want) {
			t.Errorf("%+v: %v, want %v", x.attr, err, x.want)
			if err == nil {
				q.Close()
			}
		}
	}
}

// readFew takes entries in pieces of all sizes.
func readFew(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	const n = 60
	ctxs := make([]int, n)
	for i := range n {
		t.check(p.b.n.trecv(make([]byte, 8), anyone, 1, 0, &ctxs[i]))
	}
	for range n {
		t.check(again(func() error { return p.a.n.tinject(make([]byte, 8), p.a.addr(p.b), 1) }))
	}
	next := 0
	r := p.b.reader()
	for size := 1; next < n; size = size%7 + 1 {
		buf := make([]cq.Entry, size)
		var k int
		t.check(r.wait(func() (err error) {
			k, err = r.q.Read(buf)
			return err
		}))
		if k < 1 || k > size {
			t.Fatalf("%d entries into a buffer of %d", k, size)
		}
		for _, e := range buf[:k] {
			if e.Context != any(&ctxs[next]) {
				t.Fatalf("entry %d has the wrong context", next)
			}
			next++
		}
	}
	r.empty()
}

func cqEmpty(t *test) {
	s := t.open(1)[0]
	for _, q := range s.n.queues() {
		var e [3]cq.Entry
		for range 10 {
			if n, err := q.Read(e[:]); n != 0 || err != fi.ErrAgain { //nolint:errorlint // the bare value is promised
				t.Fatalf("an empty queue: %d, %v, want FI_EAGAIN itself", n, err)
			}
			var ee cq.ErrEntry
			if err := q.ReadErr(&ee); err != fi.ErrAgain { //nolint:errorlint // the bare value is promised
				t.Fatalf("ReadErr of an empty queue: %v", err)
			}
		}
		if n, err := q.Read(nil); n != 0 || err != nil && !errors.Is(err, fi.ErrAgain) {
			t.Errorf("Read(nil): %d, %v", n, err)
		}
	}
}

// errorsInOrder has errors among successes: each is where it happened, and must be taken by ReadErr.
func errorsInOrder(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	ctxs := make([]int, 9)
	for i := range ctxs {
		t.check(p.b.n.trecv(make([]byte, 8), anyone, 1, 0, &ctxs[i]))
	}
	for i := range ctxs {
		n := 8
		if i%3 == 2 {
			n = 9 // too long
		}
		t.check(again(func() error { return p.a.n.tinject(make([]byte, n), p.a.addr(p.b), 1) }))
	}
	r := p.b.reader()
	for i := range ctxs {
		if i%3 == 2 {
			e := r.fails(fi.ErrTruncated)
			if e.Context != any(&ctxs[i]) || e.Len != 8 || e.OLen != 1 || e.Tag != p.b.n.tag(1) {
				t.Errorf("error %d: %v", i, &e)
			}
			if !errors.Is(&e, fi.ErrTruncated) || r.q.StrError(&e) == "" {
				t.Errorf("error %d as an error: %v", i, &e)
			}
			continue
		}
		if e := r.next(); e.Context != any(&ctxs[i]) {
			t.Errorf("entry %d has the wrong context", i)
		}
		var ee cq.ErrEntry
		if i%3 == 0 {
			if err := r.q.ReadErr(&ee); !errors.Is(err, fi.ErrAgain) {
				t.Errorf("ReadErr with a success next: %v", err)
			}
		}
	}
	// A waiting error stops reads until it is taken.
	t.check(p.b.n.trecv(make([]byte, 1), anyone, 1, 0, nil))
	t.check(again(func() error { return p.a.n.tinject(make([]byte, 2), p.a.addr(p.b), 1) }))
	var e [2]cq.Entry
	for range 3 {
		if err := r.wait(func() error { _, err := r.q.Read(e[:]); return err }); err != fi.ErrAvail { //nolint:errorlint // the bare value is promised
			t.Errorf("with an error next: %v, want FI_EAVAIL itself", err)
		}
	}
	r.fails(fi.ErrTruncated)
	r.empty()
}

// oneQueue binds one queue for both directions.
func oneQueue(t *test) {
	s := t.newSide(t.opts(t.tc.need))
	d := s.n.dom
	q, err := d.OpenCQ(nil)
	t.check(err)
	ep, err := d.OpenEndpoint(s.n.info)
	t.check(err)
	t.check(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv))
	t.check(ep.BindAV(s.n.av))
	t.check(ep.Enable())
	name, err := ep.Name()
	t.check(err)
	var self [1]fi.Addr
	_, err = s.n.av.Insert([][]byte{name}, self[:], 0)
	t.check(err)
	r := &reader{s, q}
	for range 20 {
		t.check(ep.TRecv(make([]byte, 8), anyone, 1, 0, nil))
		t.check(ep.TSend(make([]byte, 8), self[0], 1, nil))
		a, b := r.next(), r.next()
		if a.Flags^b.Flags != fi.CompSend^fi.CompRecv {
			t.Errorf("a send and a receive: %v and %v", a.Flags, b.Flags)
		}
	}
	if err := q.Close(); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("closing a queue in use: %v", err)
	}
	t.check(ep.Close())
	t.check(q.Close())
}

// sharedQueue has several endpoints complete into one pair of queues.
func sharedQueue(t *test) {
	s := t.open(2, func(o *openOpts) { o.EPs = 3 })
	var ops []*op
	for i := range 3 {
		for k := range 3 {
			ops = append(ops, s[1].recv(call{Form: "trecv", N: 8, EP: k, Tag: uint64(i)}))
			o := s[0].post(call{Form: "tsend", N: 8, EP: i, To: s[0].peers[s[1]][k], Tag: uint64(i), Seed: uint64(i*3 + k)})
			o.target = s[1]
			ops = append(ops, o)
		}
	}
	t.wait(ops...)
	for i := 0; i < len(ops); i += 2 {
		t.got(ops[i], ops[i+1])
	}
}

// overrun has more completions than the queues were opened for: nothing is lost. Receives make the queue grow.
func overrun(t *test) {
	p := t.pair(func(o *openOpts) { o.CQSize = 16 })
	const n = 500
	var recvs, sends []*op
	for range n {
		recvs = append(recvs, p.b.recv(call{Form: "trecv", N: 8}))
	}
	for i := range n {
		c := call{Form: "tinject", N: 8, Seed: uint64(i)}
		if i%50 == 7 {
			c.N = 9 // an error among them
		}
		sends = append(sends, p.a.to(p.b, c))
	}
	p.a.flushInjects(p.b)
	for i, r := range recvs {
		if i%50 == 7 {
			t.fails(r, fi.ErrTruncated)
			continue
		}
		t.wait(r)
		t.got(r, sends[i])
	}
}

// flushInjects waits until what was injected has left: a message behind it completes at its peer.
func (s *side) flushInjects(peer *side) { s.t.flush(s, peer) }

// overrunWrites reads nothing while it posts: what cannot be reserved is refused, nothing is lost.
func overrunWrites(t *test) {
	p := t.pair(func(o *openOpts) { o.CQSize = 32 })
	m := p.b.reg(regOpts{N: 64, Key: 1})
	var ops []*op
	full := false
	for range 5000 {
		o, err := p.a.try(call{Form: "write", N: 8, At: m.remote, To: p.a.addr(p.b)})
		if isErr(err, fi.ErrAgain) {
			full = true
			break
		}
		t.check(err)
		o.target = p.b
		ops = append(ops, o)
	}
	if !full {
		t.Errorf("5000 writes were accepted with nobody reading from a queue of 32")
	}
	t.wait(ops...)
	t.wait(p.a.to(p.b, call{Form: "write", N: 8, At: m.remote}))
}

// cqAlone reads a queue that no endpoint uses.
func cqAlone(t *test) {
	d := t.open(1)[0].n.dom
	q, err := d.OpenCQ(nil)
	t.check(err)
	var e [1]cq.Entry
	if n, err := q.Read(e[:]); n != 0 || !errors.Is(err, fi.ErrAgain) {
		t.Errorf("a queue without an endpoint: %d, %v", n, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if n, err := q.SRead(ctx, e[:]); n != 0 || !errors.Is(err, fi.ErrAgain) {
		t.Errorf("a blocking read of it: %d, %v", n, err)
	}
	t.check(q.Close())
}

// iterator reads by All, successes and errors, and stops when asked.
func iterator(t *test) {
	if !t.canBlock() || t.alone() {
		return
	}
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	for i := range 6 {
		t.check(p.b.n.trecv(make([]byte, 8), anyone, uint64(i), 0, nil))
	}
	for i := range 6 {
		t.check(again(func() error { return p.a.n.tinject(make([]byte, 7+i%3), p.a.addr(p.b), uint64(i)) }))
	}
	tags := 0
	for e, err := range p.b.n.rxq.All(ctx) {
		var ee *cq.ErrEntry
		if (e.Tag%3 == 2) != errors.As(err, &ee) || ee != nil && ee.Err != fi.ErrTruncated {
			t.Errorf("tag %d: %v", e.Tag, err)
		}
		if tags++; tags == 6 {
			break
		}
	}
	short, stop := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer stop()
	for e, err := range p.b.n.rxq.All(short) {
		t.Errorf("an entry of an empty queue: %v, %v", e, err)
	}
}

func cqText(t *test) {
	q := t.open(1)[0].n.rxq
	if s := q.StrError(&cq.ErrEntry{Err: fi.ErrTruncated}); s == "" {
		t.Errorf("no text for an error")
	}
	if s := q.StrError(&cq.ErrEntry{Err: fi.ErrIO, Text: "the cause"}); s != "the cause" {
		t.Errorf("the provider's text is %q", s)
	}
}
