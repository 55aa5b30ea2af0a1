package fabric

import (
	"container/heap"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/internal/relstore"
)

// waitlist are the operations that wait for one counter. The domain's lock guards it. A counter without a waitlist, or
// with an empty one, is not watched.
type waitlist struct {
	c     *cq.Counter
	d     *Domain
	items itemHeap
	due   bool // the engine will run us
}

// itemHeap has the item that comes next first: by threshold, then in the order in which they were queued.
type itemHeap []*workItem

func (h itemHeap) Len() int { return len(h) }
func (h itemHeap) Less(i, j int) bool {
	if h[i].threshold != h[j].threshold {
		return h[i].threshold < h[j].threshold
	}
	return h[i].seq < h[j].seq
}
func (h itemHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

// Push is for package heap.
func (h *itemHeap) Push(x any) {
	w := x.(*workItem)
	w.at = len(*h)
	*h = append(*h, w)
}

// Pop is for package heap.
func (h *itemHeap) Pop() any {
	old := *h
	n := len(old) - 1
	w := old[n]
	old[n] = nil
	*h = old[:n]
	w.at = -1
	return w
}

// add queues an item; one whose time has come runs at once.
func (l *waitlist) add(w *workItem) {
	d := l.d
	relstore.Uint64(&d.queued, d.queued+1)
	w.seq, w.list = d.queued, l
	heap.Push(&l.items, w)
	if len(l.items) == 1 {
		l.c.Watch(l.look)
		if d.waiting == nil {
			d.waiting = make(map[*waitlist]struct{})
		}
		d.waiting[l] = struct{}{}
	}
	if l.ready() {
		l.Run()
	}
}

// remove takes an item out.
func (l *waitlist) remove(w *workItem) {
	heap.Remove(&l.items, w.at)
	w.list = nil
	if len(l.items) == 0 {
		l.c.Watch(nil)
		delete(l.d.waiting, l)
	}
}

// ready tells whether the first item's time has come.
func (l *waitlist) ready() bool {
	return len(l.items) > 0 && l.c.Value()+l.c.Errs() >= l.items[0].threshold
}

// look is called when the counter has changed, in the middle of whatever the provider does.
func (l *waitlist) look() {
	if !l.due && l.ready() {
		l.due = true
		l.d.eng.Later(l)
	}
}

// Run begins what may begin.
func (l *waitlist) Run() {
	l.due = false
	for l.ready() {
		w := l.items[0]
		l.remove(w)
		w.begin()
	}
}

var _ driver.Task = (*waitlist)(nil)
