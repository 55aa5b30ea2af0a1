package match

import (
	"cmp"
	"reflect"
	"slices"
)

// Cancel takes the oldest posted receive with this context out of the queue (fi_cancel), as a receive that the caller
// completes with FI_ECANCELED and answers with Done; nil if there is none. Of a multi-receive into which transfers
// still run the last of these gives the buffer back, not the cancellation: Done tells.
func (q *Queue) Cancel(ctx any) *Recv {
	if q.recvs.keys == 0 || !equatable(ctx) {
		return nil
	}
	r := q.oldestOf(ctx)
	if r != nil {
		q.unpost(r)
		r.uses++
	}
	return r
}

// equatable says that comparing with ctx cannot panic. (reflect.Value.Comparable allocates.)
func equatable(ctx any) bool {
	t := reflect.TypeOf(ctx)
	if t == nil || t.Kind() == reflect.Pointer {
		return true
	}
	return t.Comparable() && reflect.ValueOf(ctx).Comparable()
}

// Drain takes all posted receives out of the queue, oldest first, and hands each to f, which completes it and answers
// with Done. Receives that f posts stay.
func (q *Queue) Drain(f func(r *Recv)) {
	q.byCtx.drop()
	last := q.seq
	all := make([]*node[Recv], 0, q.Posted())
	q.recvs.each(func(n *node[Recv]) { all = append(all, n) })
	slices.SortFunc(all, func(a, b *node[Recv]) int { return cmp.Compare(a.seq, b.seq) })
	for _, n := range all {
		r := n.owner
		if !r.posted() || n.seq > last { // f took it
			continue
		}
		q.unpost(r)
		r.uses++
		f(r)
	}
}
