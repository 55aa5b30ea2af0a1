package window

import (
	"context"

	"github.com/gofabric/gofabric/fi"
)

// orders are those between atomics of one member to another that the provider keeps by itself. MPI's default for
// accumulates is all of them (accumulate_ordering; MPI 4.1, 12.7.2).
type orders struct {
	rar, raw, war, waw bool // a read after a read, a read after a write ...
}

func ordersOf(o fi.Order) orders {
	return orders{
		rar: o&(fi.OrderRAR|fi.OrderAtomicRAR) != 0,
		raw: o&(fi.OrderRAW|fi.OrderAtomicRAW) != 0,
		war: o&(fi.OrderWAR|fi.OrderAtomicWAR) != 0,
		waw: o&(fi.OrderWAW|fi.OrderAtomicWAW) != 0,
	}
}

// inOrder waits for earlier accesses that an atomic by the fabric could overtake.
func (w *Window) inOrder(ctx context.Context, t *target, reads, writes bool) error {
	if t.pending.Load() == 0 {
		t.fetching.Store(reads)
		return nil
	}
	o := &w.order
	behindWrite := reads && !o.raw || writes && !o.waw
	behindRead := reads && !o.rar || writes && !o.war
	if behindWrite || behindRead && t.fetching.Load() {
		if err := w.await(ctx, t); err != nil {
			return err
		}
		t.fetching.Store(reads)
	} else if reads {
		t.fetching.Store(true)
	}
	return nil
}
