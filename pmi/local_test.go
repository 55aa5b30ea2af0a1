package pmi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/fi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// everyone runs f as each member, and gives the first error.
func everyone(jobs []*Job, f func(*Job) error) error {
	var all sync.WaitGroup
	errs := make([]error, len(jobs))
	for i, j := range jobs {
		all.Go(func() { errs[i] = f(j) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// trade publishes and reads values of n bytes, round by round under the same keys.
func trade(ctx context.Context, j *Job, n int) error {
	for round := range 3 {
		value := func(r int) string { return strings.Repeat(fmt.Sprint(round, r, ";"), n) }
		if err := j.Put(fmt.Sprint("k", j.Rank()), []byte(value(j.Rank()))); err != nil {
			return err
		}
		if err := j.Fence(ctx); err != nil {
			return err
		}
		for r := range j.Size() {
			v, err := j.Get(ctx, fmt.Sprint("k", r))
			if err != nil {
				return err
			}
			if string(v) != value(r) {
				return fmt.Errorf("round %d: rank %d has %d bytes of rank %d, want %d", round, j.Rank(), len(v), r, len(value(r)))
			}
		}
	}
	if _, err := j.Get(ctx, "nobody"); !errors.Is(err, fi.ErrNoEnt) {
		return fmt.Errorf("a key that nobody put: %v", err)
	}
	return nil
}

func TestLocal(t *testing.T) {
	jobs := NewLocal(5)
	other := NewLocal(1)[0]
	if err := everyone(jobs, func(j *Job) error { return trade(t.Context(), j, 200) }); err != nil {
		t.Error(err)
	}
	for i, j := range jobs {
		if j.Rank() != i || j.Size() != 5 || j.ID() != jobs[0].ID() || j.ID() == other.ID() || len(j.Nodes()) != 5 || j.UniverseSize() != 5 {
			t.Errorf("member %d is %d of %d in %s on %v", i, j.Rank(), j.Size(), j.ID(), j.Nodes())
		}
	}
	if NewLocal(0) != nil || NewLocal(-1) != nil {
		t.Error("a job of nobody")
	}
}

// TestFenceLeftByContext: the wait ends, the fence goes on.
func TestFenceLeftByContext(t *testing.T) {
	jobs := NewLocal(2)
	fenceLeft(t, jobs)
}

func fenceLeft(t *testing.T, jobs []*Job) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := jobs[0].Fence(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	if err := jobs[0].Put("a", nil); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("put in a fence: %v", err)
	}
	if _, err := jobs[0].Get(t.Context(), "a"); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("get in a fence: %v", err)
	}
	if err := everyone(jobs, func(j *Job) error { return j.Fence(t.Context()) }); err != nil {
		t.Error(err)
	}
	if err := everyone(jobs, func(j *Job) error { return trade(t.Context(), j, 1) }); err != nil {
		t.Error(err)
	}
}

func TestLeaving(t *testing.T) {
	jobs := NewLocal(3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := jobs[1].Fence(ctx); !errors.Is(err, context.Canceled) { // not entered
		t.Errorf("got %v", err)
	}
	for range 2 {
		if err := jobs[0].Close(); err != nil {
			t.Error(err)
		}
	}
	if err := everyone(jobs[1:], func(j *Job) error { return j.Fence(t.Context()) }); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{"put": jobs[0].Put("a", nil), "fence": jobs[0].Fence(t.Context())} {
		if !errors.Is(err, fi.ErrShutdown) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
}

func TestLocalAbort(t *testing.T) {
	jobs := NewLocal(3)
	err := everyone(jobs, func(j *Job) error {
		if j.Rank() == 1 {
			return j.Abort(3, "no more")
		}
		if err := j.Fence(t.Context()); !errors.Is(err, fi.ErrCanceled) || !strings.Contains(err.Error(), "no more") {
			return fmt.Errorf("fence: %w", err)
		}
		if err := j.Put("a", nil); !errors.Is(err, fi.ErrCanceled) {
			return fmt.Errorf("put: %w", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Every member gets every value, again and again under other names.
func TestExchange(t *testing.T) {
	jobs := NewLocal(5)
	for _, name := range []string{"a", "b"} {
		if err := everyone(jobs, func(j *Job) error {
			all, err := j.Exchange(t.Context(), name, fmt.Append(nil, name, j.Rank()))
			if err != nil {
				return err
			}
			for r, v := range all {
				if string(v) != fmt.Sprint(name, r) {
					return fmt.Errorf("rank %d has %q of %d", j.Rank(), v, r)
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	if _, err := jobs[0].Exchange(t.Context(), "no name", nil); err == nil {
		t.Error("a name with a blank")
	}
	if err := everyone(jobs, (*Job).Close); err != nil {
		t.Error(err)
	}
}
