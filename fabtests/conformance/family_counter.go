package conformance

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("counter",
	testCase{name: "bytes", need: tagged | rma | atom, run: countBytes},
	testCase{name: "set-and-add", need: tagged, where: local, run: setCounter},
	testCase{name: "wait", need: tagged, where: local, kind: core, run: waitCounter},
	testCase{name: "wait-timeout", need: tagged, where: local, kind: core, run: waitTimeout},
	testCase{name: "wait-errors", need: tagged, where: local, run: waitErrors},
	testCase{name: "wait-many", need: tagged, where: local, kind: threads, run: waitMany},
	testCase{name: "wait-none", need: tagged, where: local, run: waitNone},
	testCase{name: "overflow", need: tagged, where: local, run: counterOverflow},
	testCase{name: "refused", need: tagged, where: local, run: counterRefused},
	testCase{name: "split", need: tagged | rma, where: local, run: splitCounters},
	testCase{name: "many", need: tagged, where: local, run: manyCounters},
)

// countBytes counts user bytes instead of completions; the suite compares the sums.
func countBytes(t *test) {
	p := t.pair(func(o *openOpts) { o.Bytes = true })
	m := p.b.reg(regOpts{N: 70000, Key: 1})
	for _, n := range []int{0, 8, 100, 5000, 70000} {
		p.exchange(call{Form: "tsend", N: n, Seed: 1}, call{Form: "trecv", N: n + 7})
		t.wait(p.a.to(p.b, call{Form: "write", N: n, At: m.remote}), p.a.to(p.b, call{Form: "read", N: n, At: m.remote}))
	}
	p.exchange(call{Form: "tinject", N: 13, Seed: 1}, call{Form: "trecv", N: 13})
	t.wait(p.a.to(p.b, call{Form: "atomic", N: 24, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum}),
		p.a.to(p.b, call{Form: "fetch_atomic", N: 16, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum}))
	// Errors count one each, whatever the bytes.
	r := p.b.recv(call{Form: "trecv", N: 4})
	s := p.a.to(p.b, call{Form: "tsend", N: 10, Seed: 1})
	t.fails(r, fi.ErrTruncated)
	t.settle(s)
	s.claimed = true
}

// counter opens a counter that closes with its side.
func (s *side) counter(attr *fi.CounterAttr) *fabric.Counter {
	c, err := s.n.dom.OpenCounter(attr)
	s.t.check(err)
	s.n.later(c.Close)
	return c
}

// setCounter writes values.
func setCounter(t *test) {
	c := t.open(1)[0].counter(nil)
	for _, x := range []struct {
		f          func()
		value, err uint64
	}{
		{func() {}, 0, 0}, {func() { c.Add(5) }, 5, 0}, {func() { c.AddErr(2) }, 5, 2}, {func() { c.Set(100) }, 100, 2},
		{func() { c.SetErr(0) }, 100, 0}, {func() { c.Add(1) }, 101, 0}, {func() { c.Set(0) }, 0, 0},
	} {
		x.f()
		if c.Read() != x.value || c.ReadErr() != x.err {
			t.Errorf("%d and %d, want %d and %d", c.Read(), c.ReadErr(), x.value, x.err)
		}
	}
}

// canBlock tells whether the cell's wait object blocks.
func (t *test) canBlock() bool { return t.cell.set.Wait != fi.WaitNone }

// alone tells whether the cell forbids that two goroutines use a domain at once.
func (t *test) alone() bool { return t.cell.set.Threading == fi.ThreadDomain }

// background runs f beside the case; the returned call waits for it. Without automatic progress it drives the given
// sides meanwhile.
func (t *test) background(f func(), drive ...*side) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.protect(f)
	}()
	return func() {
		for !t.cell.automatic() && len(drive) > 0 {
			select {
			case <-done:
				return
			default:
				for _, s := range drive {
					s.poll()
				}
			}
		}
		<-done
	}
}

// waitCounter waits for a threshold that is there, that comes by messages, and that comes while it waits.
func waitCounter(t *test) {
	if !t.canBlock() {
		return
	}
	p := t.pair()
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	c := p.b.n.cnt[cntRecv]
	t.check(c.Wait(ctx, 0))
	var ops []*op
	for range 5 {
		ops = append(ops, p.b.recv(call{Form: "trecv", N: 8}), p.a.to(p.b, call{Form: "tsend", N: 8}))
	}
	if !t.cell.automatic() {
		t.wait(ops...)
	}
	t.check(c.Wait(ctx, 5))
	if t.alone() || !t.cell.automatic() {
		t.wait(ops...)
		return
	}
	wait := t.background(func() { t.check(c.Wait(ctx, 10)) })
	for range 5 {
		ops = append(ops, p.b.recv(call{Form: "trecv", N: 8}), p.a.to(p.b, call{Form: "tsend", N: 8}))
	}
	wait()
	t.wait(ops...)
	if v := c.Read(); v != 10 {
		t.Errorf("10 receives, count %d", v)
	}
}

// waitTimeout ends by its context: FI_ETIMEDOUT and the context's error, not before and not long after.
func waitTimeout(t *test) {
	if !t.canBlock() {
		return
	}
	p := t.pair()
	c := p.b.n.cnt[cntRecv]
	for _, d := range []time.Duration{0, time.Millisecond, 60 * time.Millisecond} {
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), d)
		err := c.Wait(ctx, 1)
		took := time.Since(start)
		cancel()
		if !errors.Is(err, fi.ErrTimedOut) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v, want FI_ETIMEDOUT and the context's error", d, err)
		}
		if took < d || took > d+t.patience/2 {
			t.Errorf("a wait of %v took %v", d, took)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Wait(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	p.exchange(call{Form: "tsend", N: 8}, call{Form: "trecv", N: 8})
	t.check(c.Wait(ctx, 1)) // what is there is there
}

// waitErrors is woken by errors.
func waitErrors(t *test) {
	if !t.canBlock() || t.alone() {
		return
	}
	p := t.pair()
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	c := p.b.n.cnt[cntRecv]
	t.untilDone(func() {
		if err := c.Wait(ctx, 1000); !errors.Is(err, fi.ErrAvail) {
			t.Errorf("a wait during which an operation failed: %v, want FI_EAVAIL", err)
		}
	}, func() {
		r := p.b.recv(call{Form: "trecv", N: 8})
		t.check(r.cancel())
		t.fails(r, fi.ErrCanceled)
	})
	x := p.b.counter(nil)
	t.untilDone(func() {
		if err := x.Wait(ctx, 1); !errors.Is(err, fi.ErrAvail) {
			t.Errorf("a wait during which the count of errors was changed: %v", err)
		}
	}, func() { x.AddErr(1) })
	errs := uint64(100)
	t.untilDone(func() {
		if err := x.Wait(ctx, 1); !errors.Is(err, fi.ErrAvail) {
			t.Errorf("a wait during which the count of errors was set: %v", err)
		}
	}, func() {
		errs++
		x.SetErr(errs)
	})
	if ctx.Err() != nil {
		t.Errorf("a wait was ended by its context, not by what was counted")
	}
}

// untilDone runs wait in the background, and event again and again until it has ended: what came before the wait began
// counts for nothing.
func (t *test) untilDone(wait, event func()) {
	var over atomic.Bool
	end := t.background(func() {
		defer over.Store(true)
		wait()
	})
	for !over.Load() {
		runtimeSettle()
		event()
	}
	end()
}

// runtimeSettle gives a goroutine that was just started the time to block. Cases hold without it, too.
func runtimeSettle() { pause(20 * time.Millisecond) }

// waitMany has many goroutines wait for one counter.
func waitMany(t *test) {
	s := t.open(1)[0]
	c := s.counter(nil)
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if err := c.Wait(ctx, uint64(i+1)); err != nil {
				t.Errorf("wait for %d: %v", i+1, err)
			}
		})
	}
	runtimeSettle()
	for range 16 {
		c.Add(1)
	}
	wg.Wait()
}

// waitNone has a counter that cannot be waited for.
func waitNone(t *test) {
	s := t.open(1)[0]
	c := s.counter(&fi.CounterAttr{WaitObj: fi.WaitNone})
	if err := c.Wait(context.Background(), 1); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("a wait on FI_WAIT_NONE: %v, want FI_ENOSYS", err)
	}
	if _, err := c.FD(); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("its descriptor: %v", err)
	}
}

// counterOverflow counts on over the largest number.
func counterOverflow(t *test) {
	p := t.pair()
	p.b.n.cnt[cntRecv].Set(^uint64(0))
	p.exchange(call{Form: "tsend", N: 8}, call{Form: "trecv", N: 8})
	if v := p.b.n.cnt[cntRecv].Read(); v != 0 {
		t.Errorf("one more than 2^64-1 is %d, want 0", v)
	}
	p.b.uncounted = true
}

// counterRefused opens counters that cannot be.
func counterRefused(t *test) {
	d := t.open(1)[0].n.dom
	for _, x := range []struct {
		attr fi.CounterAttr
		want fi.Errno
	}{
		{fi.CounterAttr{Events: 9}, fi.ErrInvalid}, {fi.CounterAttr{WaitObj: 99}, fi.ErrInvalid},
		{fi.CounterAttr{WaitObj: fi.WaitSet}, fi.ErrNoSys}, {fi.CounterAttr{WaitObj: fi.WaitMutexCond}, fi.ErrNoSys},
		{fi.CounterAttr{WaitObj: fi.WaitPollFD}, fi.ErrNoSys},
	} {
		if c, err := d.OpenCounter(&x.attr); !errors.Is(err, x.want) {
			t.Errorf("%+v: %v, want %v", x.attr, err, x.want)
			if err == nil {
				c.Close()
			}
		}
	}
}

// splitCounters binds one counter for several kinds of operations.
func splitCounters(t *test) {
	s := t.newSide(t.opts(t.tc.need))
	d := s.n.dom
	ep, err := d.OpenEndpoint(s.n.info)
	t.check(err)
	c, err := d.OpenCounter(nil)
	t.check(err)
	t.check(ep.BindCounter(c, fi.CountSend|fi.CountWrite|fi.CountRead))
	t.check(ep.BindAV(s.n.av))
	r, err := d.OpenCounter(nil)
	t.check(err)
	t.check(ep.BindCounter(r, fi.CountRecv))
	t.check(ep.Enable())
	name, err := ep.Name()
	t.check(err)
	var self [1]fi.Addr
	_, err = s.n.av.Insert([][]byte{name}, self[:], 0)
	t.check(err)
	m, err := d.RegisterMR(make([]byte, 64), remoteRights, &fi.MRAttr{Key: 1})
	t.check(err)
	buf := make([]byte, 8)
	t.check(ep.TRecv(make([]byte, 8), anyone, 1, 0, nil))
	t.check(ep.TSend(buf, self[0], 1, nil))
	t.check(ep.Write(buf, self[0], m.Remote(), nil))
	t.check(ep.Read(buf, self[0], m.Remote(), nil))
	t.until("the counters", func() bool { return c.Read() == 3 && r.Read() == 1 })
	t.check(ep.Close())
	t.check(m.Close())
	t.check(c.Close())
	t.check(r.Close())
}

// manyCounters opens and closes many.
func manyCounters(t *test) {
	d := t.open(1)[0].n.dom
	var cs []*fabric.Counter
	for i := range 200 {
		c, err := d.OpenCounter(nil)
		t.check(err)
		c.Set(uint64(i))
		cs = append(cs, c)
	}
	for i, c := range cs {
		if v := c.Read(); v != uint64(i) {
			t.Errorf("counter %d holds %d", i, v)
		}
		t.check(c.Close())
	}
}
