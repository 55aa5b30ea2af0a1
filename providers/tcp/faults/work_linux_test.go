package faults

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Work is what an agent shall do. Operations of a kind are numbered from First on; the number is the tag of a message, and
// says what its data is.
type Work struct {
	Peer       fi.Addr
	Peers      int // writes go to so many, from Peer on, in turn; 0: to one
	First      int
	Send, Recv int // messages
	Write      int // remote writes of whole regions' parts
	Fetch      int // fetching atomics
	Remote     mr.Remote
	Size       int  // bytes of a message or a write
	Sizes      bool // sizes from 0 to Size, by number
	Window     int  // operations under way; 0: 16
	Delivered  bool // sends complete when they are delivered
	Lazy       bool // nothing is read from the queue until everything is posted
	Limit      time.Duration
}

// Report is what became of it.
type Report struct {
	Posted int
	OK     int
	Errors map[string]int // by name of the error
	Text   string         // of the last one
	Twice  int            // completions beyond the first of an operation
	Wrong  int            // messages whose data is not right
	Took   time.Duration
}

// open is the number of operations that have not completed.
func (r *Report) open() int { return r.Posted - r.OK - r.failed() }

func (r *Report) failed() (n int) {
	for _, k := range r.Errors {
		n += k
	}
	return n
}

// task is one operation.
type task struct {
	n    int // its number
	buf  []byte
	recv bool
	done int
}

func (w *Work) size(n int) int {
	if w.Sizes {
		return []int{8, w.Size, 4096, 0, 5000, w.Size / 3, 64}[n%7]
	}
	return w.Size
}

// fill writes the data of message n; right compares.
func fill(b []byte, n int) {
	for i := range b {
		b[i] = byte(n*7 + i + i>>8)
	}
}

func right(b []byte, n int) bool {
	for i := range b {
		if b[i] != byte(n*7+i+i>>8) {
			return false
		}
	}
	return true
}

// Run does some work, and returns when all of it has completed, or at its limit.
func (a *Agent) Run(w Work, out *Report) error {
	r := &runner{a: a, w: &w, r: out}
	out.Errors = map[string]int{}
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), w.Limit)
	defer cancel()
	err := r.run(ctx)
	out.Took = time.Since(start)
	return err
}

type runner struct {
	a *Agent
	w *Work
	r *Report
}

func (r *runner) run(ctx context.Context) error {
	w := r.w
	window := w.Window
	if window == 0 {
		window = 16
	}
	kinds := []struct {
		n    int
		post func(*task) error
	}{{w.Recv, r.recv}, {w.Send, r.send}, {w.Write, r.write}, {w.Fetch, r.fetch}}
	most := max(w.Recv, w.Send, w.Write, w.Fetch)
	for i := range most {
		for _, k := range kinds {
			if i >= k.n {
				continue
			}
			t := &task{n: w.First + i}
			for {
				err := k.post(t)
				if err == nil {
					r.r.Posted++
					break
				}
				if !errors.Is(err, fi.ErrAgain) {
					return err
				}
				if err := r.take(ctx, false); err != nil || ctx.Err() != nil {
					return err
				}
			}
		}
		for !w.Lazy && r.r.open() >= window*len(kinds) && ctx.Err() == nil {
			if err := r.take(ctx, true); err != nil {
				return err
			}
		}
	}
	for r.r.open() > 0 && ctx.Err() == nil {
		if err := r.take(ctx, true); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) recv(t *task) error {
	t.recv, t.buf = true, make([]byte, r.w.size(t.n))
	return r.a.ep.TRecv(t.buf, fi.AddrUnspec, uint64(t.n), 0, t)
}

func (r *runner) send(t *task) error {
	t.buf = make([]byte, r.w.size(t.n))
	fill(t.buf, t.n)
	if r.w.Delivered {
		return r.a.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{t.buf}, Addr: r.w.Peer, Context: t, Tag: uint64(t.n)},
			fi.OpCompletion|fi.OpDeliveryComplete)
	}
	return r.a.ep.TSend(t.buf, r.w.Peer, uint64(t.n), t)
}

func (r *runner) write(t *task) error {
	t.buf = make([]byte, r.w.Size)
	fill(t.buf, t.n)
	at := r.w.Remote
	at.Addr += uint64(t.n * r.w.Size % (regionSize - r.w.Size))
	return r.a.ep.Write(t.buf, r.w.Peer+fi.Addr(t.n%max(1, r.w.Peers)), at, t)
}

func (r *runner) fetch(t *task) error {
	t.buf = make([]byte, 16)
	binary.NativeEndian.PutUint64(t.buf, 1)
	return r.a.ep.FetchAtomic(t.buf[:8], t.buf[8:], r.w.Peer, r.w.Remote, fi.TypeUint64, fi.AtomicSum, t)
}

// take reads completions; wait: until there is at least one, or ctx ends.
func (r *runner) take(ctx context.Context, wait bool) error {
	var e [16]cq.Entry
	var n int
	var err error
	if wait {
		n, err = r.a.q.SRead(ctx, e[:])
	} else {
		n, err = r.a.q.Read(e[:])
	}
	for _, c := range e[:n] {
		t := c.Context.(*task)
		if t.done++; t.done > 1 {
			r.r.Twice++
			continue
		}
		r.r.OK++
		if t.recv && !right(t.buf[:c.Len], t.n) || t.recv && c.Len != r.w.size(t.n) {
			r.r.Wrong++
		}
	}
	switch {
	case err == nil, errors.Is(err, fi.ErrAgain), ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil
	}
	var bad cq.ErrEntry
	if r.a.q.ReadErr(&bad) != nil {
		return err
	}
	t := bad.Context.(*task)
	if t.done++; t.done > 1 {
		r.r.Twice++
		return nil
	}
	r.r.Errors[bad.Err.Name()]++
	r.r.Text = bad.Text
	return nil
}
