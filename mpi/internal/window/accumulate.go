package window

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
)

// Operation is an atomic on numbers.
type Operation struct {
	Type fi.Datatype
	Op   fi.AtomicOp // fi.AtomicRead and fi.AtomicWrite too
}

// Accumulate updates a member's numbers, from an element on, with those of src (MPI_Accumulate). Each number is updated
// atomically, and the updates of one member in the order of its calls. src belongs to the window until the accesses to that
// member are flushed.
func (w *Window) Accumulate(src []byte, rank, at int, o Operation) error {
	return w.accumulate(src, nil, rank, at, o, nil)
}

// GetAccumulate is Accumulate that also reads what was there into dst (MPI_Get_accumulate). With fi.AtomicRead it only
// reads, and src may be nil.
func (w *Window) GetAccumulate(src, dst []byte, rank, at int, o Operation) error {
	if o.Op != fi.AtomicRead && len(src) != len(dst) {
		return fault(Argument, rank, "%d bytes to combine and %d to read: both have the same elements", len(src), len(dst))
	}
	return w.accumulate(src, dst, rank, at, o, nil)
}

// Raccumulate is Accumulate with a request, which is over when src may be used again (MPI_Raccumulate).
func (w *Window) Raccumulate(src []byte, rank, at int, o Operation) (*Request, error) {
	return w.accumulating(src, nil, rank, at, o)
}

// RgetAccumulate is GetAccumulate with a request, which is over when dst has what was read (MPI_Rget_accumulate).
func (w *Window) RgetAccumulate(src, dst []byte, rank, at int, o Operation) (*Request, error) {
	if o.Op != fi.AtomicRead && len(src) != len(dst) {
		return nil, fault(Argument, rank, "%d bytes to combine and %d to read: both have the same elements", len(src), len(dst))
	}
	return w.accumulating(src, dst, rank, at, o)
}

func (w *Window) accumulating(src, dst []byte, rank, at int, o Operation) (*Request, error) {
	if uint(rank) >= uint(len(w.targets)) {
		return nil, w.stranger(rank)
	}
	r := begin(w.targets[rank].world, w.tag(msgAccess, rank))
	err := w.accumulate(src, dst, rank, at, o, r)
	r.part(nil)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (w *Window) accumulate(src, dst []byte, rank, at int, o Operation, r *Request) error {
	n, class := len(src), fi.AtomicBase
	if dst != nil {
		n, class = len(dst), fi.AtomicFetch
	}
	t, mem, err := w.reach(rank, at, n)
	if err != nil || n == 0 {
		return err
	}
	k, err := w.kernel(t, class, o)
	if err != nil {
		return err
	}
	if t.mem != nil && k.Shared() {
		return k.ApplyShared(mem, src, nil, dst, n/k.Size())
	}
	return w.atomicAll(t, at, class, o, k.Size(), src, dst, r)
}

// kernel finds an operation, and whether a member's memory can have it.
//
//fabric:fastpath
func (w *Window) kernel(t *target, class fi.AtomicKind, o Operation) (*fiatomic.Kernel, error) {
	k, err := fiatomic.Lookup(class, o.Type, o.Op)
	if err != nil || int(t.align) < k.Size() && w.c.Flavor != Dynamic {
		return nil, w.noKernel(t, o, err)
	}
	return k, nil
}

//go:noinline
func (w *Window) noKernel(t *target, o Operation, err error) error {
	if err != nil {
		return &Error{Kind: Type, Rank: t.rank, Err: err, Hint: o.Op.String() + " of " + o.Type.String() + " does not exist"}
	}
	return fault(Memory, t.rank, "its memory begins at no multiple of the element's %d bytes, which atomics need: take memory of WinAllocate", o.Type.Size())
}

// atomicAll does an atomic by the fabric, in pieces.
func (w *Window) atomicAll(t *target, at int, class fi.AtomicKind, o Operation, size int, src, dst []byte, r *Request) error {
	place, err := w.remote(t, at, max(len(src), len(dst)))
	if err != nil {
		return err
	}
	k, most := kindAtomic, 0
	if class == fi.AtomicFetch {
		k = kindFetch
		most, err = w.ep.FetchAtomicValid(o.Type, o.Op)
	} else {
		most, err = w.ep.AtomicValid(o.Type, o.Op)
	}
	if err != nil {
		return w.noKernel(t, o, err)
	}
	if w.c.Flavor == Dynamic && place.Addr%uint64(size) != 0 && size > 1 {
		return w.noKernel(t, o, nil)
	}
	if err := w.inOrder(w.life, t, dst != nil, o.Op != fi.AtomicRead); err != nil {
		return err
	}
	for left := max(len(src), len(dst)); left > 0; {
		n := min(left, most*size)
		x := w.take(t, r)
		x.atomic.Datatype, x.atomic.Op = o.Type, o.Op
		if o.Op != fi.AtomicRead {
			x.iov[0], src = src[:n], src[n:]
		}
		if dst != nil {
			x.result[0], dst = dst[:n], dst[n:]
		}
		if err := w.post(x, k, place, n); err != nil {
			return err
		}
		left, place = left-n, place.At(uint64(n))
	}
	return nil
}
