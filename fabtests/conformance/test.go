package conformance

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// test is what a case gets. It records failures instead of reporting them, since a case may be expected to fail. Its
// methods are those of testing.TB that cases and rapid use.
type test struct {
	suite    *suite
	cell     *cell
	tc       *testCase
	patience time.Duration

	sides []*side
	over  *atomic.Bool // the case has taken too long: it ends where it next waits

	mu       sync.Mutex
	failures []string
	logs     []string
	cleanups []func()
}

// run runs one case and everything that is checked around it.
func (s *suite) run(c *cell, tc *testCase) *Result {
	t := &test{suite: s, cell: c, tc: tc, patience: s.h.Patience, over: new(atomic.Bool)}
	start := time.Now()
	if s.h.Pair == TwoProcess && tc.where == anywhere {
		if _, err := s.theAgent(); err != nil {
			t.record("second process: " + err.Error())
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		before := snapshot()
		t.protect(func() { tc.run(t) })
		t.protect(t.finish)
		for t.pop() {
		}
		if !t.Failed() {
			for _, problem := range before.leaks(t.patience) {
				t.Errorf("%s", problem)
			}
		}
	}()
	limit := time.NewTimer(s.limit)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		t.over.Store(true)
		buf := make([]byte, 64<<10)
		t.record(fmt.Sprintf("did not end; goroutines:\n%s", buf[:runtime.Stack(buf, true)]))
		s.dropAgent()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return &Result{Path: c.name + "/" + tc.family + "/" + tc.name, Failures: t.failures, Logs: t.logs, Took: time.Since(start)}
}

// protect makes a panic a failure, and an end by FailNow an end of f alone.
func (t *test) protect(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				t.record(fmt.Sprintf("panic: %v\n%s", p, debug.Stack()))
			}
		}()
		f()
	}()
	<-done
}

// pop runs the youngest cleanup.
func (t *test) pop() bool {
	t.mu.Lock()
	n := len(t.cleanups) - 1
	if n < 0 {
		t.mu.Unlock()
		return false
	}
	f := t.cleanups[n]
	t.cleanups = t.cleanups[:n]
	t.mu.Unlock()
	t.protect(f)
	return true
}

// thorough tells whether a case shall take its time.
func (t *test) thorough() bool { return *long && t.cell.listed }

// alive ends a case that has taken too long.
func (t *test) alive() {
	if t.over.Load() {
		runtime.Goexit()
	}
}

// Cleanup makes f run after the case, the youngest first.
func (t *test) Cleanup(f func()) {
	t.mu.Lock()
	t.cleanups = append(t.cleanups, f)
	t.mu.Unlock()
}

func (t *test) record(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.failures) < 20 {
		t.failures = append(t.failures, text)
	}
}

// position is the place in the suite's cases that the failure comes from.
func position() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	at := ""
	for {
		f, more := frames.Next()
		base := filepath.Base(f.File)
		if strings.HasPrefix(base, "family_") {
			return fmt.Sprintf("%s:%d: ", base, f.Line)
		}
		if !more {
			return at
		}
	}
}

func (t *test) Helper()      {}
func (t *test) Name() string { return t.cell.name + "/" + t.tc.family + "/" + t.tc.name }
func (t *test) Errorf(format string, args ...any) {
	t.record(position() + fmt.Sprintf(format, args...))
}
func (t *test) Error(args ...any) { t.record(position() + fmt.Sprint(args...)) }
func (t *test) Fatalf(format string, args ...any) {
	t.record(position() + fmt.Sprintf(format, args...))
	runtime.Goexit()
}
func (t *test) Fatal(args ...any) {
	t.record(position() + fmt.Sprint(args...))
	runtime.Goexit()
}
func (t *test) Fail() { t.record(position() + "failed") }
func (t *test) FailNow() {
	t.Fail()
	runtime.Goexit()
}
func (t *test) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.failures) > 0
}
func (t *test) Logf(format string, args ...any) {
	t.mu.Lock()
	t.logs = append(t.logs, fmt.Sprintf(format, args...))
	t.mu.Unlock()
}
func (t *test) Log(args ...any)             { t.Logf("%s", fmt.Sprint(args...)) }
func (t *test) Skipf(f string, args ...any) { t.Fatalf("skipped: "+f, args...) }
func (t *test) Skip(args ...any)            { t.Fatal(args...) }
func (t *test) SkipNow()                    { t.FailNow() }

// check fails the case when err is not nil.
func (t *test) check(err error) {
	if err != nil {
		t.record(position() + err.Error())
		runtime.Goexit()
	}
}

// must gives v, or fails the case.
func must[T any](t *test, v T, err error) T {
	if err != nil {
		t.record(position() + err.Error())
		runtime.Goexit()
	}
	return v
}
