package mpi

import (
	"context"
	"reflect"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/element"
	"github.com/gofabric/gofabric/mpi/internal/reduce"
	"github.com/gofabric/gofabric/mpi/internal/window"
)

// Win is memory of the members of a communicator that they all reach (MPI_Win; MPI 4.1, 12). Each member has elements of
// its own, which Put, Get and their kin access from elsewhere by the member's rank and the number of an element; its process
// has nothing to do for that.
//
// Accesses are made in epochs, which Fence, Start, Lock or LockAll begin; ErrRMASync says that there is none. They are over,
// here and at the target, when the epoch ends or a Flush returns; until then buffers belong to the window. Two accesses to
// the same element that are not atomic, one of them a Put, are in no order unless an epoch's end, a Flush with a message, or
// an exclusive lock orders them.
//
// All methods may be called by any number of goroutines; an epoch belongs to the rank, not to the goroutine that began it.
type Win[T any] struct {
	w     *window.Window
	comm  *Comm
	info  *element.Info
	local []T
	ops   *winOps
}

// WinAllocate makes a window with n elements of the library's memory at this rank, zeroed (MPI_Win_allocate; MPI 4.1, 12.2.2).
// n may differ from rank to rank, and be 0. Collective. Ranks of one host map such memory, and access it as their own.
//
// Errors: ErrType; ErrMismatch when members give different types; ErrBuffer when a member has no memory; ErrComm for an
// intercommunicator; those of Dup.
func WinAllocate[T any](ctx context.Context, c *Comm, n int) (*Win[T], error) {
	return newWin[T](ctx, c, "WinAllocate", window.Config{Flavor: window.Allocate, Size: n})
}

// WinCreate makes a window of the program's memory (MPI_Win_create; MPI 4.1, 12.2.1), which may be empty. Collective.
//
// Ownership: mem belongs to the window until Free; the program may read and write it as its epochs allow.
//
// Errors: as WinAllocate.
func WinCreate[T any](ctx context.Context, c *Comm, mem []T) (*Win[T], error) {
	return newWin[T](ctx, c, "WinCreate", window.Config{Flavor: window.Create, Memory: element.Bytes(mem)})
}

// WinAllocateShared makes a window whose memory all members also load and store by themselves: SharedQuery gives it
// (MPI_Win_allocate_shared; MPI 4.1, 12.2.3). The parts follow each other in the order of ranks. Collective.
//
// Errors: as WinAllocate; ErrUnsupported when the members are not on one host, or their provider has no shared memory.
func WinAllocateShared[T any](ctx context.Context, c *Comm, n int) (*Win[T], error) {
	return newWin[T](ctx, c, "WinAllocateShared", window.Config{Flavor: window.Shared, Size: n})
}

// WinCreateDynamic makes a window without memory, to which members attach some later (MPI_Win_create_dynamic; MPI 4.1,
// 12.2.4). Collective.
//
// Errors: as WinAllocate.
func WinCreateDynamic[T any](ctx context.Context, c *Comm) (*Win[T], error) {
	return newWin[T](ctx, c, "WinCreateDynamic", window.Config{Flavor: window.Dynamic})
}

func newWin[T any](ctx context.Context, c *Comm, call string, cfg window.Config) (*Win[T], error) {
	e, err := element.Of[T]()
	if err != nil {
		return nil, &Error{Op: call, Class: ErrType, Rank: NoRank, Err: err}
	}
	if cfg.Size < 0 || cfg.Size > 1<<46/e.Size {
		cfg.Size = -1 // refused there, at all members
	} else {
		cfg.Size *= e.Size
	}
	if c != nil && c.inter != nil {
		return nil, bad(call, ErrComm, NoRank, "the communicator is one of two groups: Merge makes one that windows can have")
	}
	own, err := c.Dup(ctx)
	if err != nil {
		return nil, within(call, err)
	}
	cfg.Device, cfg.ID, cfg.Rank, cfg.World = c.job.dev, own.id, own.rank, own.members()
	cfg.Unit, cfg.Kind = e.Size, e.Hash
	cfg.Barrier = own.barrier
	cfg.Gather = own.gatherBytes
	w := &Win[T]{comm: own, info: e, ops: opsOf(e)}
	if w.w, err = window.Open(ctx, &cfg); err != nil {
		_ = own.Close()
		return nil, winFault(call, NoRank, err)
	}
	w.local, _ = element.Slice[T](w.w.Local())
	c.job.windows.add(w.w)
	return w, nil
}

// gatherBytes gives every member's bytes, which have one length.
func (c *Comm) gatherBytes(ctx context.Context, mine []byte) ([][]byte, error) {
	all := make([]byte, len(mine)*c.size)
	if err := Allgather(ctx, c, mine, all); err != nil {
		return nil, err
	}
	parts := make([][]byte, c.size)
	for r := range parts {
		parts[r] = all[r*len(mine) : (r+1)*len(mine)]
	}
	return parts, nil
}

// Local is one's own memory of the window; nil of dynamic windows. It must not be used after Free.
func (w *Win[T]) Local() []T { return w.local }

// Rank is one's own rank in the window, which is that in its communicator.
func (w *Win[T]) Rank() int { return w.comm.rank }

// Size is the number of members.
func (w *Win[T]) Size() int { return w.comm.size }

// Len is how many elements a member has; 0 in dynamic windows.
//
// Errors: ErrRank.
func (w *Win[T]) Len(rank int) (int, error) {
	n, err := w.w.Bytes(rank)
	return n / w.info.Size, winFault("Len", rank, err)
}

// SharedQuery gives a member's memory of a window of WinAllocateShared, for loads and stores; with ProcNull that of the first
// member that has some (MPI_Win_shared_query). Stores and loads of different ranks are ordered as those of goroutines are:
// by atomics, or by Sync on both sides of a Barrier.
//
// Errors: ErrRank; ErrWin for another kind of window.
func (w *Win[T]) SharedQuery(rank int) ([]T, error) {
	if rank == ProcNull {
		for rank = 0; rank < w.comm.size-1; rank++ {
			if n, _ := w.w.Bytes(rank); n > 0 {
				break
			}
		}
	}
	b, err := w.w.Part(rank)
	if err != nil {
		return nil, winFault("SharedQuery", rank, err)
	}
	s, _ := element.Slice[T](b)
	return s, nil
}

// Attach makes memory reachable in a window of WinCreateDynamic, and gives the number of its first element, by which other
// ranks access it: they learn it by a message, say; the next elements have the next numbers (MPI_Win_attach, and MPI_Get_address).
//
// Ownership: mem belongs to the window until Detach or Free.
//
// Errors: ErrWin for another kind of window; ErrBuffer for no memory, and when 1024 pieces are attached.
func (w *Win[T]) Attach(mem []T) (at int, err error) {
	at, err = w.w.Attach(element.Bytes(mem))
	return at, winFault("Attach", NoRank, err)
}

// Detach ends that; at is what Attach gave (MPI_Win_detach). Accesses that come later fail with ErrRMARange.
//
// Errors: ErrWin; ErrBuffer when nothing is attached there.
func (w *Win[T]) Detach(at int) error { return winFault("Detach", NoRank, w.w.Detach(at)) }

// Free ends the use of the window (MPI_Win_free). Collective: it waits for the other members, since they may still access
// this one's memory. Freeing twice does nothing.
//
// Errors: ErrRMASync while an epoch is open: nothing is changed; ErrProcFailed; ErrPending with ctx's: call it again.
func (w *Win[T]) Free(ctx context.Context) error {
	if err := w.w.Close(ctx); err != nil {
		return winFault("Free", NoRank, err)
	}
	w.local = nil
	w.comm.job.windows.remove(w.w)
	return w.comm.Close()
}

// winOps are the operations that an element type has in windows, by Op.num.
type winOps [predefinedOps + 1]winOp

// predefinedOps is the largest number of an operation that windows have.
const predefinedOps = 14

type winOp struct {
	window.Operation
	err error
}

// opsOf finds what can be done with a type.
func opsOf(e *element.Info) *winOps {
	t := e.Type
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	dt, isNumber := fi.TypeUint8, t.Kind() == reflect.Bool
	if !isNumber {
		if b, err := element.OfType(t); err == nil {
			dt, isNumber = b.Datatype()
		}
	}
	ops := new(winOps)
	for _, o := range []Op{Sum, Prod, Min, Max, Band, Bor, Bxor, Land, Lor, Lxor, MinLoc, MaxLoc, Replace, NoOp} {
		a, there := o.op.Atomic()
		x := &ops[o.num]
		x.Operation = window.Operation{Type: dt, Op: a}
		if _, x.err = o.op.Kernel(e); x.err == nil && (!there || !isNumber) {
			x.err = noAtomic(o.op, e)
		}
	}
	return ops
}

func noAtomic(o reduce.Op, e *element.Info) error {
	return &Error{Op: "window", Class: ErrOp, Rank: NoRank, Hint: o.String() + " of " + e.String() +
		": windows have it for numbers, bools and arrays of them; Lock with Get and Put does the same for others"}
}
