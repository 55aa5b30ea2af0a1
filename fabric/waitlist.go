package fabric

import (
	"container/heap"
	mathbits "math/bits"
	"slices"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/internal/relstore"
)

// waitlist are the operations that wait for one counter. The domain's lock guards it. A counter without a waitlist, or
// with nothing that waits, is not watched.
type waitlist struct {
	c     *cq.Counter
	d     *Domain
	items itemHeap
	come  []*workItem // whose time has come, though the counter may be set back before they begin; in order
	spare []*workItem // reused for come
	due   bool        // the engine will run us
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
	}
	if d.waiting == nil {
		d.waiting = make(map[*waitlist]struct{})
	}
	d.waiting[l] = struct{}{}
	if l.ready() {
		l.take()
		l.Run()
	}
}

// remove takes an item out.
func (l *waitlist) remove(w *workItem) {
	if w.at >= 0 {
		heap.Remove(&l.items, w.at)
	} else {
		l.come = slices.DeleteFunc(l.come, func(x *workItem) bool { return x == w })
	}
	w.list = nil
	l.rest()
}

// rest ends what a list does whose items have gone.
func (l *waitlist) rest() {
	if len(l.items) == 0 {
		l.c.Watch(nil)
		if len(l.come) == 0 {
			delete(l.d.waiting, l)
		}
	}
}

// each calls f with every item.
func (l *waitlist) each(f func(w *workItem)) {
	for _, w := range l.come {
		f(w)
	}
	for _, w := range l.items {
		f(w)
	}
}

// ready tells whether the first item's time has come.
func (l *waitlist) ready() bool {
	if len(l.items) == 0 {
		return false
	}
	sum, over := mathbits.Add64(l.c.Value(), l.c.Errs(), 0)
	return over != 0 || sum >= l.items[0].threshold
}

// take notes the items whose time has come.
func (l *waitlist) take() {
	for l.ready() {
		l.come = append(l.come, heap.Pop(&l.items).(*workItem))
	}
	l.rest()
}

// look is called when the counter has changed, in the middle of whatever the provider does.
func (l *waitlist) look() {
	if !l.ready() {
		return
	}
	l.take()
	if !l.due {
		l.due = true
		l.d.eng.Later(l)
	}
}

// Run begins what may begin. What follows from that comes by look.
func (l *waitlist) Run() {
	l.due = false
	all := l.come
	l.come = l.spare[:0]
	l.rest()
	for _, w := range all {
		w.list = nil
		w.begin()
	}
	clear(all)
	l.spare = all[:0]
}

var _ driver.Task = (*waitlist)(nil)
