package window

import (
	"context"

	"github.com/gofabric/gofabric/mr"
)

// share makes the memory of a shared window: rank 0 takes one piece for all, in which the members' parts follow each other
// in the order of ranks, and all map it.
func (w *Window) share(ctx context.Context) error {
	total, starts := 0, make([]int, len(w.targets))
	for r := range w.targets {
		starts[r] = total
		total += w.targets[r].size
	}
	mine := offer{flavor: Shared}
	if w.c.Rank == 0 && total > 0 {
		mine.err = w.makeShared(&mine, total)
		mine.failed = mine.err != nil
	}
	all, err := w.c.Gather(ctx, mine.marshal())
	if err != nil {
		return err
	}
	var o offer
	o.unmarshal(all[0])
	switch {
	case mine.err != nil:
		return mine.err
	case o.failed:
		return fault(Memory, 0, "the window's memory could not be made there")
	}
	whole := w.local
	var noMap error
	if w.c.Rank != 0 && total > 0 {
		if whole, noMap = w.mapping(ctx, &w.targets[0], o.data, total); whole == nil && noMap == nil {
			noMap = fault(Cannot, 0, "its memory cannot be mapped: the members are on several hosts, or the provider (%s) has no shared memory", w.d.Provider())
		}
	}
	mine = offer{failed: noMap != nil}
	if all, err = w.c.Gather(ctx, mine.marshal()); err != nil {
		return err
	}
	if noMap != nil {
		return noMap
	}
	for r, b := range all {
		if o.unmarshal(b); o.failed {
			return fault(Cannot, r, "it cannot map the window's memory: the members are on several hosts, or the provider (%s) has no shared memory", w.d.Provider())
		}
	}
	for r := range w.targets {
		t := &w.targets[r]
		t.mem = whole[starts[r] : starts[r]+t.size : starts[r]+t.size]
		if total == 0 {
			t.mem = []byte{}
		}
		if t.align = 16; t.size > 0 {
			t.align = alignment(t.mem)
		}
	}
	w.local = w.targets[w.c.Rank].mem
	return nil
}

func (w *Window) makeShared(o *offer, total int) error {
	mem, err := mr.Alloc(total)
	if err != nil {
		return &Error{Kind: Memory, Rank: -1, Err: err, Hint: "the window's memory: take fewer elements"}
	}
	w.blocks = append(w.blocks, mem)
	w.local = mem.Bytes()
	o.data, err = w.register(w.local)
	return err
}

// Part gives a member's memory of a shared window for loads and stores (MPI_Win_shared_query).
func (w *Window) Part(rank int) ([]byte, error) {
	if err := w.usable(); err != nil {
		return nil, err
	}
	if w.c.Flavor != Shared {
		return nil, fault(Closed, -1, "not a shared window: WinAllocateShared makes one")
	}
	if uint(rank) >= uint(len(w.targets)) {
		return nil, w.noRank(rank)
	}
	return w.targets[rank].mem, nil
}
