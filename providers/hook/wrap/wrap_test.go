package wrap_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/selftalk"
	"github.com/gofabric/gofabric/providers/hook/wrap"
	"github.com/gofabric/gofabric/providers/mem"
)

// watcher notes what it is told of operations.
type watcher struct {
	wrap.Nothing
	mu        sync.Mutex
	posting   []wrap.API
	completed map[uint64]int
	queued    int // completions that go on to the application
	place     string
}

func (w *watcher) Posting(o *wrap.Op) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.posting = append(w.posting, o.API)
	w.place = wrap.Here().String()
}

func (w *watcher) Completed(o *wrap.Op, c *wrap.Completion) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o != nil {
		w.completed[o.N]++
	}
	if c.Queue != nil {
		w.queued++
	}
}

// TestAllCompletionsAreSeen posts operations with and without completions, with equal contexts and none: the observer is
// told of each once, and the application gets those that it asked for, with its contexts.
func TestAllCompletionsAreSeen(t *testing.T) {
	w := &watcher{completed: map[uint64]int{}}
	k := selftalk.Open(t, wrap.New(mem.New(), "watcher", w), fi.CapTagged|fi.CapRMA)
	ep, err := k.Domain.OpenEndpoint(k.Info) // reports only what asks for it
	k.Check(err)
	q, err := k.Domain.OpenCQ(nil)
	k.Check(err, ep.BindCQ(q, fi.BindTransmit|fi.BindRecv|fi.BindSelectiveCompletion), ep.BindAV(k.AV), ep.Enable())
	same := new(int)
	for range 2 {
		k.Check(k.EP.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, same))
	}
	k.Check(ep.TSend([]byte("x"), 0, 1, same),
		ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{[]byte("y")}, Tag: 1, Context: same}, fi.OpCompletion),
		ep.TInject([]byte("z"), 0, 2))
	if got, _ := k.Read(2); got[0].Context != same || got[1].Context != same {
		t.Errorf("contexts %v, want %p", got, same)
	}
	var e [4]cq.Entry
	if n, err := q.Read(e[:]); n != 1 || err != nil || e[0].Context != same {
		t.Errorf("the selective queue gives %d, %v, %v", n, e[0], err)
	}
	k.Check(ep.Close(), q.Close())
	k.Close()
	if len(w.completed) != 4 || w.queued != 3 {
		t.Errorf("completed: %v, %d of them queued", w.completed, w.queued)
	}
	for n, times := range w.completed {
		if times != 1 {
			t.Errorf("operation %d completed %d times", n, times)
		}
	}
	var names []string
	for _, a := range w.posting {
		names = append(names, a.String())
	}
	if got := strings.Join(names, " "); got != "fi_trecv fi_trecv fi_tsend fi_tsendmsg fi_tinject" {
		t.Errorf("posted: %s", got)
	}
	if !strings.HasPrefix(w.place, "wrap_test.go:") {
		t.Errorf("the place of the last one is %s", w.place)
	}
}

// TestCancel cancels the oldest of two operations with a context, then the other one, then none.
func TestCancel(t *testing.T) {
	k := selftalk.Open(t, wrap.New(wrap.New(mem.New(), "inner", wrap.Nothing{}), "outer", wrap.Nothing{}), fi.CapTagged)
	ctx, bufs := new(int), [2][]byte{make([]byte, 8), make([]byte, 8)}
	for i := range bufs {
		k.Check(k.EP.TRecv(bufs[i], fi.AddrUnspec, 1, 0, ctx))
	}
	k.Check(k.EP.Cancel(ctx), k.EP.TSend([]byte("x"), 0, 1, nil))
	if _, bad := k.Read(3); bad != 1 || bufs[0][0] != 0 || bufs[1][0] != 'x' {
		t.Errorf("%d in error, buffers %q", bad, bufs)
	}
	if k.EP.Cancel(ctx) == nil {
		t.Error("a receive that has completed was canceled")
	}
}

// TestAPIs sees that every call has a name.
func TestAPIs(t *testing.T) {
	seen := map[string]bool{}
	for a := range wrap.APIs {
		n := a.String()
		if n == "" || seen[n] || a.IsOp() != (a >= wrap.Send) {
			t.Errorf("call %d is %q", a, n)
		}
		seen[n] = true
	}
	if wrap.APIs.String() != "unknown" || wrap.Bucket(64) != 0 || wrap.Bucket(65) != 1 || wrap.BucketName(wrap.Bucket(5<<20)) != "4M-" {
		t.Error("ends of tables")
	}
}

// TestLater does things in order, by whoever comes first, and waits for them.
func TestLater(t *testing.T) {
	var l wrap.Later
	var mu sync.Mutex
	var got []int
	note := func(n int) func() {
		return func() {
			mu.Lock()
			got = append(got, n)
			mu.Unlock()
		}
	}
	for i := range 100 {
		if i%2 == 0 {
			l.Do(note(i))
		} else {
			l.Now(note(i))
		}
	}
	l.Settle()
	for i := range 100 {
		if len(got) != 100 || got[i] != i {
			t.Fatalf("done: %v", got)
		}
	}
}
