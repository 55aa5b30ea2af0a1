package runner

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// Run runs the tests of a plan, several at a time, and hands out their results in the order of the plan. When ctx ends the
// processes are ended, and the tests that did not come to an end have no result.
func (r *Runner) Run(ctx context.Context, plan []*Test, each func(Result)) {
	results := make([]chan Result, len(plan))
	for i := range results {
		results[i] = make(chan Result, 1)
	}
	slots := make(chan slot, r.Jobs)
	for n := range r.Jobs {
		sl := slot{number: n}
		if len(r.Cores) >= 2*(n+1) {
			sl.cores = r.Cores[2*n : 2*n+2]
		}
		slots <- sl
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i, t := range plan {
			if t.verdict != "" {
				results[i] <- Result{Test: t, Verdict: t.verdict, Reason: t.reason, Began: time.Now()}
				continue
			}
			var sl slot
			select {
			case sl = <-slots:
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				close(results[i])
				continue
			}
			wg.Go(func() {
				defer func() { slots <- sl }()
				if res, whole := r.test(ctx, t, sl); whole {
					results[i] <- res
				}
				close(results[i])
			})
		}
	})
	for i := range results {
		if res, whole := <-results[i]; whole {
			each(res)
		}
	}
	wg.Wait()
}

// test runs one; false when it was interrupted.
func (r *Runner) test(ctx context.Context, t *Test, sl slot) (Result, bool) {
	runtime.LockOSThread() // children die with the thread that started them
	defer runtime.UnlockOSThread()
	res := Result{Test: t, Began: time.Now()}
	o := r.ask(ctx, t)
	limited, cancel := ctx, func() {}
	if r.Limit > 0 {
		limited, cancel = context.WithTimeout(ctx, r.Limit)
	}
	defer cancel()
	var err error
	res.Sides, err = r.start(limited, t, sl)
	over := time.Duration(0)
	if limited.Err() != nil {
		over = r.Limit
	}
	if ctx.Err() != nil {
		return res, false
	}
	res.Took = time.Since(res.Began)
	if err != nil {
		res.Verdict, res.Reason = Fail, err.Error()
		return res, true
	}
	if t.configured() {
		judgeTests(&res, over, r.Strict)
	} else {
		res.Verdict, res.Reason = judge(t, res.Sides, over, o, r.Strict)
	}
	if res.Verdict != Pass {
		res.Said = said(res.Sides)
	}
	return res, true
}

// Totals count results.
type Totals struct{ Pass, NotRun, Excluded, Fail int }

// Add counts one.
func (t *Totals) Add(v Verdict) {
	switch v {
	case Pass:
		t.Pass++
	case NotRun:
		t.NotRun++
	case Excluded:
		t.Excluded++
	case Fail:
		t.Fail++
	}
}

// Plus adds both.
func (t Totals) Plus(o Totals) Totals {
	return Totals{t.Pass + o.Pass, t.NotRun + o.NotRun, t.Excluded + o.Excluded, t.Fail + o.Fail}
}

// Percent is the part of those that ran which passed, rounded down; 0 when none ran.
func (t Totals) Percent() int {
	if t.Pass+t.Fail == 0 {
		return 0
	}
	return 100 * t.Pass / (t.Pass + t.Fail)
}

// String is one line.
func (t Totals) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d not run, %d excluded", t.Pass, t.Fail, t.NotRun, t.Excluded)
}
