package conformance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("eq",
	testCase{name: "write-and-read", connected: true, where: local, run: eqWrite},
	testCase{name: "overrun", connected: true, where: local, run: eqOverrun},
	testCase{name: "errors-in-order", connected: true, where: local, run: eqErrors},
	testCase{name: "peek", connected: true, where: local, run: eqPeek},
	testCase{name: "sread", connected: true, kind: core, where: local, run: eqSRead},
	testCase{name: "sread-driven", connected: true, kind: core, where: local, run: eqDriven},
	testCase{name: "close-while-waiting", connected: true, where: local, run: eqClose},
	testCase{name: "descriptor", connected: true, where: local, run: eqFD},
	testCase{name: "refused", connected: true, where: local, run: eqRefused},
	testCase{name: "unread-events-go", connected: true, where: local, run: eqRetire},
	testCase{name: "all", connected: true, where: local, run: eqAll},
)

// queue opens an event queue of its own at s.
func (s *side) queue(flags fi.EQFlags, size int, wait fi.WaitObj) *fabric.EQ {
	q, err := s.n.fab.OpenEQ(&fi.EQAttr{Flags: flags, Size: size, WaitObj: wait})
	s.t.check(err)
	s.n.later(q.Close)
	return q
}

// eqWrite inserts events; a reader gets what was written, in order.
func eqWrite(t *test) {
	a, _ := t.two()
	q := a.queue(fi.EQWrite, 0, t.cell.set.Wait)
	data := []byte("abc")
	for i := range 5 {
		t.check(q.Write(fi.EQEntry{Event: fi.EQEvent(i), FID: a, CMData: data, Context: &data, Data: uint64(i) << 40}))
	}
	data[0] = 'x'
	var e fi.EQEntry
	for i := range 5 {
		t.check(q.Read(&e, 0))
		if e.Event != fi.EQEvent(i) || e.FID != any(a) || string(e.CMData) != "abc" || e.Context != any(&data) || e.Data != uint64(i)<<40 {
			t.Errorf("event %d came out as %+v", i, e)
		}
	}
	if err := q.Read(&e, 0); err != fi.ErrAgain { //nolint:errorlint // the bare value is promised
		t.Errorf("an empty queue: %v, want FI_EAGAIN", err)
	}
	var bad fi.EQErrEntry
	if err := q.ReadErr(&bad); err != fi.ErrAgain { //nolint:errorlint // the bare value is promised
		t.Errorf("no error: %v, want FI_EAGAIN", err)
	}
}

// eqOverrun fills the queue: what applications write is bounded, what connections report is not.
func eqOverrun(t *test) {
	a, b := t.two()
	q := a.queue(fi.EQWrite, 3, t.cell.set.Wait)
	for range 3 {
		t.check(q.Write(fi.EQEntry{}))
	}
	t.says(q.Write(fi.EQEntry{}), fi.ErrOverrun)
	ep, err := a.n.dom.OpenEndpoint(a.n.info)
	t.check(errors.Join(err, ep.BindEQ(q), ep.BindCQ(a.n.txq, fi.BindTransmit), ep.BindCQ(a.n.rxq, fi.BindRecv)))
	a.n.eps = append(a.n.eps, ep)
	t.check(ep.Connect(b.names[0], nil))
	b.answer(b.request(nil), nil)
	var e fi.EQEntry
	for range 3 {
		t.check(q.Read(&e, 0))
	}
	t.expect(q, fi.EventConnected, ep)
	t.check(q.Write(fi.EQEntry{}))
	t.check(ep.Close())
}

// eqErrors mixes events in error with others: each comes in its turn.
func eqErrors(t *test) {
	a, b := t.two()
	q := a.queue(fi.EQWrite, 0, t.cell.set.Wait)
	ep, err := a.n.dom.OpenEndpoint(a.n.info)
	t.check(errors.Join(err, ep.BindEQ(q), ep.BindCQ(a.n.txq, fi.BindTransmit), ep.BindCQ(a.n.rxq, fi.BindRecv)))
	a.n.eps = append(a.n.eps, ep)
	t.check(errors.Join(q.Write(fi.EQEntry{Data: 1}), ep.Connect(b.names[0], nil)))
	t.check(b.n.pep.Reject(b.request(nil).Info.Handle, []byte("no")))
	var e fi.EQEntry
	var bad fi.EQErrEntry
	if err := q.ReadErr(&bad); !errors.Is(err, fi.ErrAgain) {
		t.Errorf("an error before its turn: %v, %v", err, &bad)
	}
	t.check(q.Read(&e, 0))
	for end := time.Now().Add(t.patience); ; {
		err := q.Read(&e, 0)
		if err == fi.ErrAvail { //nolint:errorlint // the bare value is promised
			break
		}
		if !errors.Is(err, fi.ErrAgain) || time.Now().After(end) {
			t.Fatalf("an event in error: %v, want FI_EAVAIL", err)
		}
		t.stir()
	}
	t.check(q.Write(fi.EQEntry{Data: 2}))
	for range 3 { // it stays in the way
		if err := q.Read(&e, 0); err != fi.ErrAvail { //nolint:errorlint // the bare value is promised
			t.Errorf("behind an error: %v, want FI_EAVAIL", err)
		}
		if err := q.Read(&e, fi.EQPeek); err != fi.ErrAvail { //nolint:errorlint // the bare value is promised
			t.Errorf("a look behind an error: %v, want FI_EAVAIL", err)
		}
	}
	t.check(q.ReadErr(&bad))
	if bad.Err != fi.ErrConnRefused || bad.FID != any(ep) || string(bad.ErrData) != "no" || !errors.Is(&bad, fi.ErrConnRefused) || q.StrError(&bad) == "" {
		t.Errorf("the event in error is %+v", bad)
	}
	t.check(q.Read(&e, 0))
	if e.Data != 2 {
		t.Errorf("event %d, want 2", e.Data)
	}
	t.check(ep.Close())
}

// eqPeek looks without taking, also at a request, whose answer may come before it is read.
func eqPeek(t *test) {
	a, b := t.two()
	a.ask(b, []byte("x"))
	var e fi.EQEntry
	for end := time.Now().Add(t.patience); b.n.eq.Read(&e, fi.EQPeek) != nil; t.stir() {
		if time.Now().After(end) {
			t.Fatalf("no request within %v", t.patience)
		}
	}
	for range 3 {
		t.check(b.n.eq.Read(&e, fi.EQPeek))
		if e.Event != fi.EventConnReq || string(e.CMData) != "x" {
			t.Fatalf("a look at %v %q", e.Event, e.CMData)
		}
		e.CMData[0] = 'y' // ours
	}
	b.answer(b.request([]byte("x")), nil)
	t.expect(a.n.eq, fi.EventConnected, a.n.eps[0])
	t.expect(b.n.eq, fi.EventConnected, b.n.eps[0])
}

// eqSRead waits in vain, and for what comes.
func eqSRead(t *test) {
	a, _ := t.two()
	q := a.queue(fi.EQWrite, 0, t.cell.set.Wait)
	var e fi.EQEntry
	if t.cell.set.Wait == fi.WaitNone {
		t.says(q.SRead(context.Background(), &e, 0), fi.ErrNoSys, "FI_WAIT_NONE")
		return
	}
	for _, d := range []time.Duration{0, 5 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		if err := q.SRead(ctx, &e, 0); !errors.Is(err, fi.ErrAgain) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait of %v in vain: %v, want FI_EAGAIN and the context's error", d, err)
		}
		cancel()
	}
	got := make(chan error, 1)
	for i := range 3 {
		go func() {
			err := q.SRead(context.Background(), &e, 0)
			if err == nil && e.Data != uint64(i) {
				err = fmt.Errorf("event %d, want %d", e.Data, i)
			}
			got <- err
		}()
		if i > 0 {
			pause(20 * time.Millisecond) // it sleeps now
		}
		t.check(q.Write(fi.EQEntry{Data: uint64(i)}))
		t.check(<-got)
	}
}

// eqDriven connects with both sides asleep in blocking reads: these drive the connection, whatever the progress.
func eqDriven(t *test) {
	if t.cell.set.Wait == fi.WaitNone || t.cell.set.Threading == fi.ThreadDomain {
		return
	}
	a, b := t.two()
	ctx, cancel := context.WithTimeout(context.Background(), 2*t.patience)
	defer cancel()
	served := make(chan error, 1)
	go func() {
		var e fi.EQEntry
		err := b.n.eq.SRead(ctx, &e, 0)
		if err == nil {
			err = b.n.openEndpoint(&b.n.opts, e.Info)
		}
		if err == nil {
			pause(10 * time.Millisecond) // the other side sleeps, too
			err = b.n.eps[0].Accept(nil)
		}
		if err == nil {
			err = b.n.eq.SRead(ctx, &e, 0)
		}
		if err == nil && e.Event != fi.EventConnected {
			err = fmt.Errorf("event %v", e.Event)
		}
		served <- err
	}()
	pause(10 * time.Millisecond)
	ep := a.ask(b, nil)
	var e fi.EQEntry
	t.check(a.n.eq.SRead(ctx, &e, 0))
	if e.Event != fi.EventConnected || e.FID != any(ep) {
		t.Errorf("event %v", e.Event)
	}
	t.check(<-served)
	t.check(ep.Shutdown())
	t.check(b.n.eq.SRead(ctx, &e, 0))
	if e.Event != fi.EventShutdown {
		t.Errorf("event %v", e.Event)
	}
	if ctx.Err() != nil {
		t.Errorf("a read was ended by its context, and has found the event then: nothing had woken it")
	}
}

// eqClose closes a queue under a reader.
func eqClose(t *test) {
	a, _ := t.two()
	q := a.queue(0, 0, fi.WaitUnspec)
	got := make(chan error, 1)
	go func() {
		var e fi.EQEntry
		got <- q.SRead(context.Background(), &e, 0)
	}()
	pause(20 * time.Millisecond)
	t.check(errors.Join(q.Close(), q.Close()))
	t.says(<-got, fi.ErrBadFD)
	var e fi.EQEntry
	var bad fi.EQErrEntry
	for _, err := range []error{q.Read(&e, 0), q.ReadErr(&bad), q.SRead(context.Background(), &e, 0), q.Write(e), q.TryWait()} {
		if !errors.Is(err, fi.ErrBadFD) {
			t.Errorf("a closed queue: %v, want FI_EBADF", err)
		}
	}
}

// eqFD waits for events by the descriptor.
func eqFD(t *test) {
	if !canPoll {
		return
	}
	a, b := t.two()
	q := a.queue(fi.EQWrite, 0, fi.WaitFD)
	fd, err := q.FD()
	t.check(err)
	ep, err := a.n.dom.OpenEndpoint(a.n.info)
	t.check(errors.Join(err, ep.BindEQ(q), ep.BindCQ(a.n.txq, fi.BindTransmit), ep.BindCQ(a.n.rxq, fi.BindRecv)))
	a.n.eps = append(a.n.eps, ep)
	await := func() (e fi.EQEntry) {
		for {
			err := q.Read(&e, 0)
			if err == nil {
				return e
			}
			if !errors.Is(err, fi.ErrAgain) {
				t.Fatalf("EQ.Read: %v", err)
			}
			if err := q.TryWait(); errors.Is(err, fi.ErrAgain) {
				continue
			} else if err != nil {
				t.Fatalf("TryWait: %v", err)
			}
			if ok, err := readable(fd, t.patience); !ok {
				t.Fatalf("TryWait said that it is safe to block, and the descriptor never became readable: %v", err)
			}
		}
	}
	go func() {
		pause(5 * time.Millisecond)
		q.Write(fi.EQEntry{Data: 7})
	}()
	if e := await(); e.Data != 7 {
		t.Errorf("event %+v", e)
	}
	t.check(ep.Connect(b.names[0], nil))
	b.answer(b.request(nil), nil)
	if e := await(); e.Event != fi.EventConnected {
		t.Errorf("event %v", e.Event)
	}
	t.check(b.n.eps[0].Shutdown())
	if e := await(); e.Event != fi.EventShutdown {
		t.Errorf("event %v", e.Event)
	}
	t.check(ep.Close())
	_, err = b.queue(0, 0, fi.WaitUnspec).FD()
	t.says(err, fi.ErrNoSys, "FI_WAIT_FD")
}

// eqRefused asks for what cannot be.
func eqRefused(t *test) {
	a, _ := t.two()
	for _, c := range []struct {
		attr fi.EQAttr
		want fi.Errno
	}{
		{fi.EQAttr{Size: -1}, fi.ErrInvalid}, {fi.EQAttr{Flags: 1 << 40}, fi.ErrBadFlags}, {fi.EQAttr{Flags: fi.EQPeek}, fi.ErrBadFlags},
		{fi.EQAttr{WaitObj: fi.WaitSet}, fi.ErrNoSys}, {fi.EQAttr{WaitObj: fi.WaitMutexCond}, fi.ErrNoSys}, {fi.EQAttr{WaitObj: 99}, fi.ErrInvalid},
	} {
		_, err := a.n.fab.OpenEQ(&c.attr)
		t.says(err, c.want)
	}
	var e fi.EQEntry
	for _, f := range []fi.EQFlags{fi.EQWrite, 1 << 40} {
		if err := a.n.eq.Read(&e, f); err != fi.ErrBadFlags { //nolint:errorlint // the bare value is promised
			t.Errorf("a read with %v: %v, want FI_EBADFLAGS", f, err)
		}
	}
	t.says(a.n.eq.Write(e), fi.ErrInvalid, "EQWrite")
	t.says(a.n.eq.Close(), fi.ErrBusy, "1 pep")
	t.check(a.n.openEndpoint(&a.n.opts, a.n.info))
	t.says(a.n.eq.Close(), fi.ErrBusy, "1 pep", "1 ep")
	t.says(a.n.fab.Close(), fi.ErrBusy, "eq")
}

// eqRetire closes endpoints with unread events: these go, and others stay.
func eqRetire(t *test) {
	a, b := t.two()
	var asked []*fabric.Endpoint
	for range 3 {
		asked = append(asked, a.ask(b, nil))
		t.expect(b.n.eq, fi.EventConnected, b.answer(b.request(nil), nil))
	}
	for range 50 {
		t.stir()
	}
	t.check(asked[1].Close())
	t.expect(a.n.eq, fi.EventConnected, asked[0])
	t.expect(a.n.eq, fi.EventConnected, asked[2])
	t.noEvent(a.n.eq)
	t.expect(b.n.eq, fi.EventShutdown, b.n.eps[1])
}

// eqAll loops over events, errors among them.
func eqAll(t *test) {
	if !t.canBlock() {
		return
	}
	a, b := t.two()
	ep := a.ask(b, nil)
	t.check(b.n.pep.Reject(b.request(nil).Info.Handle, nil))
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	seen := 0
	for e, err := range a.n.eq.All(ctx) {
		seen++
		var bad *fi.EQErrEntry
		if !errors.As(err, &bad) || bad.Err != fi.ErrConnRefused || e.FID != any(ep) {
			t.Errorf("the loop gives %v, %v", e.Event, err)
		}
		break
	}
	if seen != 1 {
		t.Errorf("the loop ran %d times", seen)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for range a.n.eq.All(ended) {
		t.Errorf("the loop runs with a context that has ended")
	}
}
