package conformance

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
)

var _ = add("concurrent",
	testCase{name: "mixed-sizes", need: tagged, kind: threads, run: mixedSizes},
	testCase{name: "one-endpoint", need: tagged, kind: threads, where: local, run: oneEndpoint},
	testCase{name: "writes", need: rma, kind: threads, where: local, run: concurrentWrites},
	testCase{name: "open-close", need: tagged, kind: threads, where: local, run: openClose},
	testCase{name: "endpoints", need: tagged, kind: threads, where: local, run: endpointsComeAndGo},
	testCase{name: "vector", need: tagged, kind: threads, where: local, run: vectorWhileSending},
	testCase{name: "regions", need: rma, kind: threads, where: local, run: regionsComeAndGo},
	testCase{name: "cancel", need: tagged, kind: threads, where: local, run: concurrentCancel},
)

// mixedLens are what several goroutines send at once.
var mixedLens = []int{0, 8, 41, 64, 300, 4097, 8193, 20000, 70000, 1 << 20}

const mixedThreads = 8

func mixedRounds() int {
	switch {
	case *long:
		return 100
	case osx.RaceEnabled:
		return 4
	}
	return 10
}

// flow is what one goroutine of a side sends or receives; arguments of the programs below.
func flowArg(a fi.Addr, rounds int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(a))
	return binary.LittleEndian.AppendUint64(b, uint64(rounds))
}

func flowOf(b []byte) (fi.Addr, int) {
	return fi.Addr(binary.LittleEndian.Uint64(b)), int(binary.LittleEndian.Uint64(b[8:]))
}

// dispatcher reads a queue for many goroutines and hands completions to the channel that is their context.
func dispatcher(q *fabric.CQ, stop *atomic.Bool) error {
	var e [16]cq.Entry
	for !stop.Load() {
		n, err := q.Read(e[:])
		for _, x := range e[:n] {
			x.Context.(*flowCtx).done <- nil
		}
		switch {
		case errors.Is(err, fi.ErrAvail):
			var ee cq.ErrEntry
			if q.ReadErr(&ee) == nil {
				ee.Context.(*flowCtx).done <- &ee
			}
		case errors.Is(err, fi.ErrAgain):
			runtime.Gosched()
		case err != nil:
			return err
		}
	}
	return nil
}

type flowCtx struct{ done chan error }

// flows runs f in several goroutines while a queue is read for them.
func flows(q *fabric.CQ, f func(thread int, c *flowCtx) error) error {
	var stop atomic.Bool
	var dispatched error
	read := make(chan struct{})
	go func() {
		defer close(read)
		dispatched = dispatcher(q, &stop)
	}()
	errs := make([]error, mixedThreads)
	var wg sync.WaitGroup
	for i := range mixedThreads {
		wg.Go(func() { errs[i] = f(i, &flowCtx{make(chan error, 4)}) })
	}
	wg.Wait()
	stop.Store(true)
	<-read
	return errors.Join(append(errs, dispatched)...)
}

// wait waits for the completion of a flow's operation.
func (c *flowCtx) wait() error {
	select {
	case err := <-c.done:
		return err
	case <-time.After(30 * time.Second):
		return errors.New("an operation did not complete within 30 seconds")
	}
}

// again repeats a call while there are no resources.
func again(f func() error) error {
	for {
		err := f()
		if err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
			return err
		}
		runtime.Gosched()
	}
}

var _ = program("mixed-send", func(n *node, arg []byte) ([]byte, error) {
	to, rounds := flowOf(arg)
	return nil, flows(n.txq, func(thread int, c *flowCtx) error {
		buf := make([]byte, 1<<20)
		for round := range rounds {
			for _, size := range mixedLens {
				fill(buf[:size], uint64(thread*1000+round), 0)
				if err := again(func() error { return n.eps[0].TSend(buf[:size], to, uint64(thread), c) }); err != nil {
					return err
				}
				if err := c.wait(); err != nil {
					return fmt.Errorf("thread %d, %d bytes: %w", thread, size, err)
				}
			}
		}
		return nil
	})
})

var _ = program("mixed-recv", func(n *node, arg []byte) ([]byte, error) {
	_, rounds := flowOf(arg)
	return nil, flows(n.rxq, func(thread int, c *flowCtx) error {
		buf := make([]byte, 1<<20)
		for round := range rounds {
			for _, size := range mixedLens {
				if err := again(func() error { return n.eps[0].TRecv(buf[:size], fi.AddrUnspec, uint64(thread), 0, c) }); err != nil {
					return err
				}
				if err := c.wait(); err != nil {
					return fmt.Errorf("thread %d, %d bytes: %w", thread, size, err)
				}
				if d := differs(buf[:size], uint64(thread*1000+round), 0); d != "" {
					return fmt.Errorf("thread %d round %d: %d bytes: %s", thread, round, size, d)
				}
			}
		}
		return nil
	})
})

// mixedSizes has eight goroutines of each side send messages of mixed sizes over one pair of endpoints.
func mixedSizes(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	arg := flowArg(p.a.addr(p.b), mixedRounds())
	wait := t.background(func() {
		t.check(p.b.do(&request{Verb: vProgram, Program: "mixed-recv", Bytes: arg}).err())
	})
	t.check(p.a.do(&request{Verb: vProgram, Program: "mixed-send", Bytes: arg}).err())
	wait()
}

// oneEndpoint has goroutines send to and receive from each other over one endpoint, all in one process.
func oneEndpoint(t *test) {
	s := t.newSide(t.opts(t.tc.need))
	s.insert(s)
	s.uncounted = true
	arg := flowArg(s.addr(s), max(mixedRounds()/5, 1))
	wait := t.background(func() {
		_, err := programs["mixed-recv"](s.n, arg)
		t.check(err)
	})
	_, err := programs["mixed-send"](s.n, arg)
	t.check(err)
	wait()
}

// concurrentWrites has goroutines write and read places of their own in one region.
func concurrentWrites(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	const each = 1 << 16
	m := p.b.reg(regOpts{N: mixedThreads * each, Key: 1})
	to := p.a.addr(p.b)
	err := flows(p.a.n.txq, func(thread int, c *flowCtx) error {
		src, dst := make([]byte, each), make([]byte, each)
		at := m.remote.At(uint64(thread * each))
		for round := range 3 * mixedRounds() {
			n := []int{8, 100, 5000, each}[round%4]
			fill(src[:n], uint64(thread*100+round), 0)
			if err := again(func() error { return p.a.n.eps[0].Write(src[:n], to, at, c) }); err != nil {
				return err
			}
			if err := c.wait(); err != nil {
				return err
			}
			if err := again(func() error {
				return p.a.n.eps[0].ReadMsg(&fi.RMAMsg{Iov: [][]byte{dst[:n]}, Addr: to, RMAIov: []fi.RMAIov{{Addr: at.Addr, Len: uint64(n), Key: at.Key}}, Context: c}, fi.OpFence)
			}); err != nil {
				return err
			}
			if err := c.wait(); err != nil {
				return err
			}
			if d := firstDiff(dst[:n], src[:n]); d != "" {
				return fmt.Errorf("thread %d round %d: read back %d bytes: %s", thread, round, n, d)
			}
		}
		return nil
	})
	t.check(err)
}

// openClose opens and closes everything in 64 goroutines at once, with a message to itself in between.
func openClose(t *test) {
	var wg sync.WaitGroup
	reg := fabric.NewRegistry(t.suite.h.Provider)
	for i := range 64 {
		wg.Go(func() {
			n := &node{}
			o := t.opts(t.tc.need)
			if err := n.open(reg, &o); err != nil {
				t.Errorf("open %d: %v", i, err)
				return
			}
			defer func() {
				if err := n.close(); err != nil {
					t.Errorf("close %d: %v", i, err)
				}
			}()
			if i%4 != 0 {
				return
			}
			names, err := n.names()
			if err == nil {
				_, err = n.av.Insert(names, nil, 0)
			}
			if err == nil {
				err = n.eps[0].TRecv(make([]byte, 8), anyone, 1, 0, nil)
			}
			if err == nil {
				err = n.eps[0].TSend(make([]byte, 8), 0, 1, nil)
			}
			for got, end := 0, time.Now().Add(t.patience); err == nil && got < 2; {
				got += len(n.poll())
				if time.Now().After(end) {
					err = errors.New("a message to itself was lost")
				}
			}
			if err != nil {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// endpointsComeAndGo opens, uses and closes endpoints of one domain while a pair of others goes on.
func endpointsComeAndGo(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range mixedRounds() {
				ep, err := p.a.n.dom.OpenEndpoint(p.a.n.info)
				if err == nil {
					err = errors.Join(ep.BindCQ(p.a.n.txq, fi.BindTransmit), ep.BindCQ(p.a.n.rxq, fi.BindRecv), ep.BindAV(p.a.n.av), ep.Enable())
				}
				if err == nil {
					err = again(func() error { return ep.TInject(make([]byte, 8), p.a.addr(p.b), uint64(1000+i)) })
				}
				if err == nil {
					err = ep.Close()
				}
				if err != nil {
					t.Errorf("an endpoint beside others: %v", err)
					return
				}
			}
		})
	}
	for i := range 20 * mixedRounds() {
		n := mixedLens[i%5]
		p.exchange(call{Form: "tsend", N: n, Tag: 1, Seed: uint64(i)}, call{Form: "trecv", N: n, Tag: 1})
	}
	wg.Wait()
}

// vectorWhileSending inserts and removes other addresses while messages go.
func vectorWhileSending(t *test) {
	p := t.pair()
	var stop atomic.Bool
	wait := t.background(func() {
		for !stop.Load() {
			out := make([]fi.Addr, 2)
			n, err := p.a.n.av.Insert([][]byte{p.b.names[0], p.a.names[0]}, out, 0)
			if n != 2 || err != nil {
				t.Errorf("insert: %d, %v", n, err)
			}
			t.check(p.a.n.av.Remove(out))
		}
	})
	lens := t.fit(mixedLens[:7]...)
	for i := range 20 * mixedRounds() {
		n := lens[i%len(lens)]
		p.exchange(call{Form: "tsend", N: n, Seed: uint64(i)}, call{Form: "trecv", N: n})
	}
	stop.Store(true)
	wait()
}

// regionsComeAndGo registers and closes regions while others are written.
func regionsComeAndGo(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 1 << 16, Key: 1})
	var stop atomic.Bool
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for k := 0; !stop.Load(); k++ {
				r, err := p.b.n.dom.RegisterMR(make([]byte, 100), remoteRights, &fi.MRAttr{Key: uint64(100 + i)})
				if err == nil {
					err = r.Close()
				}
				if err != nil {
					t.Errorf("a region beside others: %v", err)
					return
				}
				runtime.Gosched()
			}
		})
	}
	for i := range 6 * mixedRounds() {
		n := []int{8, 100, 9000}[i%3]
		t.wait(p.a.to(p.b, call{Form: "writemsg", N: n, At: m.remote, Seed: uint64(i), Flags: fi.OpDeliveryComplete}))
	}
	stop.Store(true)
	wg.Wait()
}

// concurrentCancel cancels receives in one goroutine while another one sends to them: each completes once.
func concurrentCancel(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	const n = 400
	ctxs := make([]int, n)
	for i := range n {
		t.check(p.b.n.trecv(make([]byte, 8), anyone, uint64(i), 0, &ctxs[i]))
	}
	canceled := make([]bool, n)
	wait := t.background(func() {
		for i := n - 1; i >= 0; i-- {
			canceled[i] = p.b.n.eps[0].Cancel(&ctxs[i]) == nil
		}
	})
	for i := range n {
		t.check(again(func() error { return p.a.n.tinject(make([]byte, 8), p.a.addr(p.b), uint64(i)) }))
	}
	wait()
	r := p.b.reader()
	seen := map[any]bool{}
	for range n {
		var e [1]cq.Entry
		err := r.wait(func() error { _, err := r.q.Read(e[:]); return err })
		ctx := e[0].Context
		if errors.Is(err, fi.ErrAvail) {
			var ee cq.ErrEntry
			t.check(r.q.ReadErr(&ee))
			ctx = ee.Context
			if ee.Err != fi.ErrCanceled {
				t.Errorf("a canceled receive: %v", &ee)
			}
		}
		if seen[ctx] {
			t.Errorf("a receive completed twice")
		}
		seen[ctx] = true
	}
	r.empty()
}
