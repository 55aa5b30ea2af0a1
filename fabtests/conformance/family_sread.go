package conformance

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// sread finds what is there, and what comes.
func sread(t *test) {
	if !t.canBlock() {
		return
	}
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	var e [4]cq.Entry
	for i := range 10 {
		t.check(p.b.n.trecv(make([]byte, 8), anyone, uint64(i), 0, nil))
		t.check(p.a.n.tsend(make([]byte, 8), p.a.addr(p.b), uint64(i), nil))
		if n, err := p.a.n.txq.SRead(ctx, e[:]); n != 1 || err != nil {
			t.Fatalf("the send: %d, %v", n, err)
		}
		if n, err := p.b.n.rxq.SRead(ctx, e[:]); n != 1 || err != nil || e[0].Tag != p.b.n.tag(uint64(i)) {
			t.Fatalf("the receive: %d, %v, tag %d", n, err, e[0].Tag)
		}
	}
}

var _ = program("sread", func(n *node, arg []byte) ([]byte, error) {
	start := time.Now()
	err := sreadOnce(n.rxq, arg)
	return []byte(time.Since(start).String()), err
})

// sreadOnce waits for one completion, as long as arg says.
func sreadOnce(q *fabric.CQ, arg []byte) error {
	d, err := time.ParseDuration(string(arg))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var e [1]cq.Entry
	_, err = q.SRead(ctx, e[:])
	return err
}

// long is how long a program may wait for what must come at once, as an argument.
func (t *test) long() []byte { return []byte((2 * t.patience).String()) }

// sreadAsleep lets the receiver fall asleep before the message comes: it must be woken at once.
func sreadAsleep(t *test) {
	if !t.canBlock() || t.alone() {
		return
	}
	p := t.pair()
	p.b.uncounted, p.a.uncounted = true, true
	for i := range 3 {
		r := p.b.recv(call{Form: "trecv", N: 8})
		var took string
		wait := t.background(func() {
			a := p.b.do(&request{Verb: vProgram, Program: "sread", Bytes: t.long()})
			t.check(a.err())
			took = string(a.Bytes)
		}, p.a)
		pause(30 * time.Millisecond) // long enough to be parked
		sent := time.Now()
		s := p.a.to(p.b, call{Form: "tsend", N: 8, Seed: uint64(i)})
		wait()
		if late := time.Since(sent); late > t.patience {
			t.Errorf("a sleeping reader was woken %v after the message was sent (it slept %s)", late, took)
		}
		r.expect, r.maybe = 0, 0 // its completion was read by the program
		t.wait(s)
	}
}

// sreadLatePost posts the receive when the reader is asleep already.
func sreadLatePost(t *test) {
	if !t.canBlock() || !t.cell.threadSafe() || !t.cell.automatic() {
		return
	}
	p := t.pair()
	p.b.uncounted, p.a.uncounted = true, true
	for i := range 2 {
		wait := t.background(func() { t.check(sreadOnce(p.b.n.rxq, t.long())) })
		pause(20 * time.Millisecond) // long enough to be parked
		t.check(p.b.n.trecv(make([]byte, 8), anyone, 1, 0, nil))
		start := time.Now()
		s := p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 1, Seed: uint64(i)})
		wait()
		if late := time.Since(start); late > t.patience {
			t.Errorf("a reader that slept when the receive was posted was woken %v after the message was sent", late)
		}
		t.wait(s)
	}
}

func sreadError(t *test) {
	if !t.canBlock() || t.alone() {
		return
	}
	p := t.pair()
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	r := p.b.recv(call{Form: "trecv", N: 8})
	wait := t.background(func() {
		var e [1]cq.Entry
		if n, err := p.b.n.rxq.SRead(ctx, e[:]); n != 0 || err != fi.ErrAvail { //nolint:errorlint // the bare value is promised
			t.Errorf("a blocking read while an error comes: %d, %v, want FI_EAVAIL", n, err)
		}
	})
	runtimeSettle()
	t.check(r.cancel())
	wait()
	t.fails(r, fi.ErrCanceled)
}

func sreadNone(t *test) {
	p := t.pair(func(o *openOpts) { o.Wait, o.WaitSet = fi.WaitNone, true })
	var e [1]cq.Entry
	q := p.b.n.rxq
	if _, err := q.SRead(context.Background(), e[:]); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("a blocking read with FI_WAIT_NONE: %v, want FI_ENOSYS", err)
	}
	if err := q.Signal(); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("a signal with FI_WAIT_NONE: %v, want FI_ENOSYS", err)
	}
	if _, err := q.FD(); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("the descriptor with FI_WAIT_NONE: %v, want FI_ENOSYS", err)
	}
	if err := q.TryWait(); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("FI_TRYWAIT with FI_WAIT_NONE: %v, want FI_ENOSYS", err)
	}
	p.exchange(call{Form: "tsend", N: 8}, call{Form: "trecv", N: 8})
}

// sreadNothing reads into no buffer: it drives, and does not block.
func sreadNothing(t *test) {
	s := t.open(1)[0]
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	start := time.Now()
	if n, err := s.n.rxq.SRead(ctx, nil); n != 0 || err != nil && !errors.Is(err, fi.ErrAgain) {
		t.Errorf("SRead(nil): %d, %v", n, err)
	}
	if took := time.Since(start); took > t.patience/2 {
		t.Errorf("SRead(nil) took %v", took)
	}
}

// sreadDeadline ends by its context: FI_EAGAIN and the context's error, not before and not long after.
func sreadDeadline(t *test) {
	if !t.canBlock() {
		return
	}
	s := t.open(1)[0]
	var e [1]cq.Entry
	for _, d := range []time.Duration{0, time.Millisecond, 60 * time.Millisecond} {
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), d)
		n, err := s.n.rxq.SRead(ctx, e[:])
		took := time.Since(start)
		cancel()
		if n != 0 || !errors.Is(err, fi.ErrAgain) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %d, %v, want FI_EAGAIN and the context's error", d, n, err)
		}
		if took < d || took > d+t.patience/2 {
			t.Errorf("a wait of %v took %v", d, took)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	wait := t.background(func() {
		if _, err := s.n.rxq.SRead(ctx, e[:]); !errors.Is(err, context.Canceled) || !errors.Is(err, fi.ErrAgain) {
			t.Errorf("a canceled wait: %v", err)
		}
	})
	runtimeSettle()
	cancel()
	wait()
}

// cancelLosesNothing ends waits while completions come.
func cancelLosesNothing(t *test) {
	if !t.canBlock() || t.alone() {
		return
	}
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	const n = 300
	for i := range n {
		t.check(p.b.n.trecv(make([]byte, 8), anyone, uint64(i), 0, nil))
	}
	done := make(chan struct{})
	wait := t.background(func() {
		defer close(done)
		for i := range n {
			t.check(again(func() error { return p.a.n.tinject(make([]byte, 8), p.a.addr(p.b), uint64(i)) }))
			if i%16 == 0 {
				pause(200 * time.Microsecond)
			}
		}
	})
	seen := map[uint64]bool{}
	end := time.Now().Add(t.patience)
	for d := time.Microsecond; len(seen) < n && time.Now().Before(end); d = d%(500*time.Microsecond) + 7*time.Microsecond {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		var e [2]cq.Entry
		k, err := p.b.n.rxq.SRead(ctx, e[:])
		cancel()
		if err != nil && !errors.Is(err, fi.ErrAgain) {
			t.Fatalf("a wait: %v", err)
		}
		for _, x := range e[:k] {
			if seen[x.Tag] {
				t.Errorf("tag %d came twice", x.Tag)
			}
			seen[x.Tag] = true
		}
	}
	wait()
	if len(seen) != n {
		t.Errorf("%d of %d completions came", len(seen), n)
	}
}

// signal wakes blocked readers, all that wait now.
func signal(t *test) {
	if !t.canBlock() || t.alone() {
		return
	}
	s := t.open(1)[0]
	q := s.n.rxq
	for _, readers := range []int{1, 3} {
		if readers > 1 && !t.cell.threadSafe() {
			break
		}
		ctx, cancel := context.WithTimeout(context.Background(), t.patience)
		var wg sync.WaitGroup
		for range readers {
			wg.Go(func() {
				var e [1]cq.Entry
				n, err := q.SRead(ctx, e[:])
				if n != 0 || !errors.Is(err, fi.ErrAgain) || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a signaled read: %d, %v, want FI_EAGAIN", n, err)
				}
			})
		}
		all := make(chan struct{})
		go func() { wg.Wait(); close(all) }()
		runtimeSettle()
		start := time.Now()
		t.check(q.Signal())
		for waiting := true; waiting; { // a reader that was not blocked yet is woken by a later one
			select {
			case <-all:
				waiting = false
			case <-time.After(50 * time.Millisecond):
				if time.Since(start) > t.patience/2 {
					waiting = false
				}
				t.check(q.Signal())
			}
		}
		cancel()
		<-all
	}
}

// signalNobody signals with nobody waiting: a later reader is not woken.
func signalNobody(t *test) {
	if !t.canBlock() || t.alone() {
		return
	}
	s := t.open(1)[0]
	t.check(s.n.rxq.Signal())
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Millisecond)
	defer cancel()
	var e [1]cq.Entry
	start := time.Now()
	if _, err := s.n.rxq.SRead(ctx, e[:]); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a signal before the read ended it after %v: %v", time.Since(start), err)
	}
}

// manyReaders share a queue: each completion goes to one of them, and nobody sleeps while entries wait.
func manyReaders(t *test) {
	if !t.canBlock() || t.alone() {
		return
	}
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	const n, readers = 400, 4
	for i := range n {
		t.check(p.b.n.trecv(make([]byte, 8), anyone, uint64(i), 0, nil))
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	var mu sync.Mutex
	seen := map[uint64]bool{}
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			var e [3]cq.Entry
			for ctx.Err() == nil {
				k, _ := p.b.n.rxq.SRead(ctx, e[:])
				mu.Lock()
				for _, x := range e[:k] {
					if seen[x.Tag] {
						t.Errorf("tag %d came twice", x.Tag)
					}
					seen[x.Tag] = true
				}
				if len(seen) == n {
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	for i := range n {
		t.check(again(func() error { return p.a.n.tinject(make([]byte, 8), p.a.addr(p.b), uint64(i)) }))
		if i%40 == 0 {
			pause(time.Millisecond)
		}
	}
	wg.Wait()
	if len(seen) != n {
		t.Errorf("%d of %d completions came to %d readers", len(seen), n, readers)
	}
}

// closeWaiting closes an endpoint, and then its queue, while another goroutine waits for completions of it.
func closeWaiting(t *test) {
	if !t.canBlock() || t.alone() {
		return
	}
	s := t.newSide(t.opts(t.tc.need))
	d := s.n.dom
	q, err := d.OpenCQ(nil)
	t.check(err)
	ep, err := d.OpenEndpoint(s.n.info)
	t.check(err)
	t.check(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv))
	t.check(ep.BindAV(s.n.av))
	t.check(ep.Enable())
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	t.check(ep.TRecv(make([]byte, 8), anyone, 1, 0, nil))
	wait := t.background(func() {
		var e [1]cq.Entry
		if _, err := q.SRead(ctx, e[:]); !errors.Is(err, fi.ErrAvail) {
			t.Errorf("the endpoint closed, its receive must end in error: %v", err)
		}
	})
	runtimeSettle()
	t.check(ep.Close())
	wait()
	var ee cq.ErrEntry
	t.check(q.ReadErr(&ee))
	if ee.Err != fi.ErrCanceled {
		t.Errorf("a receive whose endpoint closed: %v", &ee)
	}
	wait = t.background(func() {
		var e [1]cq.Entry
		if _, err := q.SRead(ctx, e[:]); !errors.Is(err, fi.ErrBadFD) {
			t.Errorf("the queue was closed: %v, want FI_EBADF", err)
		}
	})
	runtimeSettle()
	t.check(q.Close())
	wait()
}
