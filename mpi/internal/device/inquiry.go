package device

import (
	"fmt"
	"strings"
	"time"
)

// inquiry is a question to all ranks where they are.
type inquiry struct {
	by      *Stall
	began   time.Time
	answers [][]where // by rank; nil: none
}

// report says in words where everybody is.
func (q *inquiry) report(d *Device) string {
	var b strings.Builder
	fmt.Fprintf(&b, "mpi: rank %d: nothing has moved for %v\n", d.Rank, ago(time.Since(q.by.since)))
	for r, ws := range q.answers {
		fmt.Fprintf(&b, "  rank %d: ", r)
		switch {
		case d.Failed(r):
			b.WriteString("its process has ended or cannot be reached\n")
		case ws == nil:
			b.WriteString("no answer: it computes, is stopped, or has no watchdog\n")
		case len(ws) == 0:
			b.WriteString("waits for nothing\n")
		}
		for i, w := range ws {
			if i > 0 {
				b.WriteString("          and ")
			}
			b.WriteString(w.text(d) + "\n")
		}
	}
	for _, c := range cycles(q.waitsFor()) {
		b.WriteString("  deadlock: rank " + c + "\n")
	}
	return b.String()
}

func ago(t time.Duration) time.Duration { return t.Round(time.Millisecond) }

func (w where) text(d *Device) string {
	s := w.call
	space, context, low := Space(w.tag>>spaceShift), w.tag>>contextShift&(1<<ContextBits-1), w.tag&MaxTag
	if space != Control {
		switch {
		case w.peer >= 0 && w.peer < d.Size:
			s += fmt.Sprintf(", rank %d of the world", w.peer)
		case space == PointToPoint:
			s += ", any rank"
		}
		switch {
		case space != PointToPoint:
		case low == MaxTag:
			s += ", any tag"
		default:
			s += fmt.Sprintf(", tag %d", low)
		}
		s += fmt.Sprintf(", communicator %d", context)
	}
	return s + fmt.Sprintf(", for %v, at %s", ago(w.waited), w.place)
}

// waitsFor gives for each rank the one for which it waits, -1 for none.
func (q *inquiry) waitsFor() []int {
	next := make([]int, len(q.answers))
	for r, ws := range q.answers {
		next[r] = -1
		if len(ws) > 0 && Space(ws[0].tag>>spaceShift) != Control && ws[0].peer >= 0 && ws[0].peer < len(next) {
			next[r] = ws[0].peer
		}
	}
	return next
}

// cycles names those who wait for each other.
func cycles(next []int) []string {
	var found []string
	seen := make([]int, len(next)) // the walk in which a rank was met, from 1
	for start := range next {
		r := start
		for r >= 0 && seen[r] == 0 {
			seen[r] = start + 1
			r = next[r]
		}
		if r < 0 || seen[r] != start+1 {
			continue
		}
		var text strings.Builder
		fmt.Fprint(&text, r)
		for n := next[r]; ; n = next[n] {
			fmt.Fprintf(&text, " waits for %d", n)
			if n == r {
				break
			}
		}
		found = append(found, text.String())
	}
	return found
}
