package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// paper is a stream that many ranks write to. Lines come whole: a rank's text waits for its line end, or until nothing
// came for a while, as after a prompt. When another rank then writes, a line end comes between.
type paper struct {
	prefix bool // each line starts with its rank

	mu   sync.Mutex
	w    io.Writer
	open *pen // whose unfinished line stands at the end
	err  error
}

// pen is one rank's access to a paper.
type pen struct {
	paper *paper
	mark  []byte
	held  []byte // guarded by the paper's mu: text without a line end
	timer *time.Timer
}

const (
	heldTime = 200 * time.Millisecond // how long a text without a line end waits
	heldMax  = 64 << 10               // how much of it
)

func newPaper(w io.Writer, prefix bool) *paper { return &paper{w: w, prefix: prefix} }

func (p *paper) pen(rank int) *pen {
	q := &pen{paper: p}
	if p.prefix {
		q.mark = fmt.Appendf(nil, "[%d] ", rank)
	}
	return q
}

// Write takes text of the rank.
func (q *pen) Write(text []byte) (int, error) {
	p := q.paper
	p.mu.Lock()
	defer p.mu.Unlock()
	q.held = append(q.held, text...)
	end := bytes.LastIndexByte(q.held, '\n') + 1
	if len(q.held)-end > heldMax {
		end = len(q.held)
	}
	q.put(end)
	if len(q.held) > 0 && q.timer == nil {
		q.timer = time.AfterFunc(heldTime, q.flush)
	} else if q.timer != nil {
		if len(q.held) > 0 {
			q.timer.Reset(heldTime)
		} else {
			q.timer.Stop()
		}
	}
	return len(text), p.err
}

// flush writes what has no line end.
func (q *pen) flush() {
	q.paper.mu.Lock()
	defer q.paper.mu.Unlock()
	q.put(len(q.held))
}

// put writes the first n bytes of what is held. The caller holds mu.
func (q *pen) put(n int) {
	if n == 0 {
		return
	}
	p := q.paper
	text := q.held[:n]
	var out []byte
	if p.open != nil && p.open != q {
		out = append(out, '\n')
		p.open = nil
	}
	for len(text) > 0 {
		if p.open != q {
			out = append(out, q.mark...)
		}
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			out, p.open = append(out, text...), q
			break
		}
		out, text = append(out, text[:i+1]...), text[i+1:]
		p.open = nil
	}
	q.held = append(q.held[:0], q.held[n:]...)
	if _, err := p.w.Write(out); err != nil && p.err == nil {
		p.err = err
	}
}
