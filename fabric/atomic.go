package fabric

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Atomic updates a peer's memory (fi_atomic): each element of type dt at dst becomes the result of op with the element
// of buf. len(buf) is a whole number of elements, at most what AtomicValid says.
//
// Nil says that the operation was accepted. Its completion, or the endpoint's Close, is to come before the process ends.
//
// Ownership: buf belongs to the operation until its completion.
// Errors: as Write; fi.ErrOpNotSupp when op is not valid for dt, fi.ErrInvalid when buf holds no whole elements or when
// the target is not aligned to its type in memory that the peer shares, fi.ErrMsgSize for too many elements.
func (ep *Endpoint) Atomic(buf []byte, to fi.Addr, dst mr.Remote, dt fi.Datatype, op fi.AtomicOp, ctx any) error {
	k, err := kernel(fi.AtomicBase, dt, op, len(buf))
	if err != nil {
		return err
	}
	return ep.atomic.Atomic(k, buf, to, dst, ctx, ep.txFlags)
}

// AtomicV is Atomic with operands in several buffers (fi_atomicv).
//
// Ownership: the buffers belong to the operation until its completion, the slice iov only until the call returns.
// Errors: as Atomic.
func (ep *Endpoint) AtomicV(iov [][]byte, to fi.Addr, dst mr.Remote, dt fi.Datatype, op fi.AtomicOp, ctx any) error {
	m := &fi.AtomicMsg{Iov: iov, Addr: to, RMAIov: remote(dst, iov), Datatype: dt, Op: op, Context: ctx}
	return ep.atomicMsg(fi.AtomicBase, m, nil, nil, ep.txFlags)
}

// AtomicMsg is Atomic of the general form, with flags of its own (fi_atomicmsg).
//
// Ownership: as AtomicV; m may be reused when the call returns.
// Errors: as Atomic; fi.ErrBadFlags for flags that it does not have.
func (ep *Endpoint) AtomicMsg(m *fi.AtomicMsg, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if flags&^atomicFlags != 0 {
		return ep.triggerAtomic(fi.AtomicBase, m, nil, nil, flags)
	}
	return ep.atomicMsg(fi.AtomicBase, m, nil, nil, (flags|ep.txMsg)&^ep.txNot)
}

// InjectAtomic is Atomic without a completion (fi_inject_atomic). A failure gives an error completion all the same.
//
// Nil says what it says of [Endpoint.Inject]: close the endpoint before the process ends.
//
// Ownership: buf is the caller's again when the call returns.
// Errors: as Atomic; fi.ErrMsgSize when buf is longer than the Info's Tx.InjectSize.
func (ep *Endpoint) InjectAtomic(buf []byte, to fi.Addr, dst mr.Remote, dt fi.Datatype, op fi.AtomicOp) error {
	k, err := kernel(fi.AtomicBase, dt, op, len(buf))
	if err != nil {
		return err
	}
	return ep.atomic.Atomic(k, buf, to, dst, nil, fi.OpInject)
}

// FetchAtomic is Atomic that also brings the old values into result (fi_fetch_atomic). fi.AtomicRead only brings them:
// buf may be nil.
//
// Ownership: buf and result belong to the operation until its completion.
// Errors: as Atomic; fi.ErrInvalid when buf and result differ in length.
func (ep *Endpoint) FetchAtomic(buf, result []byte, from fi.Addr, src mr.Remote, dt fi.Datatype, op fi.AtomicOp, ctx any) error {
	k, err := kernel(fi.AtomicFetch, dt, op, len(result))
	if err != nil {
		return err
	}
	if len(buf) != len(result) {
		if op != fi.AtomicRead {
			return fi.ErrInvalid
		}
		buf = nil
	}
	return ep.atomic.FetchAtomic(k, buf, result, from, src, ctx, ep.txFlags)
}

// FetchAtomicV is FetchAtomic with vectors (fi_fetch_atomicv).
//
// Ownership: as AtomicV. Errors: as FetchAtomic.
func (ep *Endpoint) FetchAtomicV(iov, result [][]byte, from fi.Addr, src mr.Remote, dt fi.Datatype, op fi.AtomicOp, ctx any) error {
	m := &fi.AtomicMsg{Iov: iov, Addr: from, RMAIov: remote(src, result), Datatype: dt, Op: op, Context: ctx}
	return ep.atomicMsg(fi.AtomicFetch, m, nil, result, ep.txFlags)
}

// FetchAtomicMsg is FetchAtomic of the general form, with flags of its own (fi_fetch_atomicmsg).
//
// Ownership: as AtomicMsg; the slice result only until the call returns. Errors: as FetchAtomic.
func (ep *Endpoint) FetchAtomicMsg(m *fi.AtomicMsg, result [][]byte, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if flags&^atomicFlags != 0 {
		return ep.triggerAtomic(fi.AtomicFetch, m, nil, result, flags)
	}
	return ep.atomicMsg(fi.AtomicFetch, m, nil, result, (flags|ep.txMsg)&^ep.txNot)
}

// CompareAtomic replaces elements of a peer's memory under a condition and brings the old values into result
// (fi_compare_atomic): fi.AtomicCSwapLT puts buf's element where compare's is less than the target's, and so on;
// fi.AtomicMSwap replaces the bits that are set in compare.
//
// Ownership: buf, compare and result belong to the operation until its completion.
// Errors: as FetchAtomic.
func (ep *Endpoint) CompareAtomic(buf, compare, result []byte, to fi.Addr, dst mr.Remote, dt fi.Datatype, op fi.AtomicOp, ctx any) error {
	k, err := kernel(fi.AtomicCompare, dt, op, len(buf))
	if err != nil {
		return err
	}
	if len(compare) != len(buf) || len(result) != len(buf) {
		return fi.ErrInvalid
	}
	return ep.atomic.CompareAtomic(k, buf, compare, result, to, dst, ctx, ep.txFlags)
}

// CompareAtomicV is CompareAtomic with vectors (fi_compare_atomicv).
//
// Ownership: as AtomicV. Errors: as CompareAtomic.
func (ep *Endpoint) CompareAtomicV(iov, compare, result [][]byte, to fi.Addr, dst mr.Remote, dt fi.Datatype, op fi.AtomicOp, ctx any) error {
	m := &fi.AtomicMsg{Iov: iov, Addr: to, RMAIov: remote(dst, iov), Datatype: dt, Op: op, Context: ctx}
	return ep.atomicMsg(fi.AtomicCompare, m, compare, result, ep.txFlags)
}

// CompareAtomicMsg is CompareAtomic of the general form, with flags of its own (fi_compare_atomicmsg).
//
// Ownership: as FetchAtomicMsg. Errors: as CompareAtomic.
func (ep *Endpoint) CompareAtomicMsg(m *fi.AtomicMsg, compare, result [][]byte, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if flags&^atomicFlags != 0 {
		return ep.triggerAtomic(fi.AtomicCompare, m, compare, result, flags)
	}
	return ep.atomicMsg(fi.AtomicCompare, m, compare, result, (flags|ep.txMsg)&^ep.txNot)
}

const atomicFlags = fi.OpCompletion | fi.OpMore | fi.OpInject | fi.OpFence | levels

// AtomicValid gives the largest count of one call of Atomic (fi_atomicvalid). Errors: fi.ErrOpNotSupp when op is not
// valid for dt, fi.ErrNoSys without FI_ATOMIC.
func (ep *Endpoint) AtomicValid(dt fi.Datatype, op fi.AtomicOp) (count int, err error) {
	return ep.valid(fi.AtomicBase, dt, op)
}

// FetchAtomicValid is AtomicValid for FetchAtomic (fi_fetch_atomicvalid).
func (ep *Endpoint) FetchAtomicValid(dt fi.Datatype, op fi.AtomicOp) (count int, err error) {
	return ep.valid(fi.AtomicFetch, dt, op)
}

// CompareAtomicValid is AtomicValid for CompareAtomic (fi_compare_atomicvalid).
func (ep *Endpoint) CompareAtomicValid(dt fi.Datatype, op fi.AtomicOp) (count int, err error) {
	return ep.valid(fi.AtomicCompare, dt, op)
}

func (ep *Endpoint) valid(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (int, error) {
	if ep.core.info.Caps&fi.CapAtomic == 0 {
		return 0, fi.ErrNoSys
	}
	a, err := ep.core.domain.drv.QueryAtomic(kind, dt, op)
	return a.Count, err
}

// kernel checks what every provider would, validity and whole elements, and finds the kernel.
//
//fabric:fastpath
func kernel(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp, n int) (*fiatomic.Kernel, error) {
	k, err := fiatomic.Lookup(kind, dt, op)
	if err != nil {
		return nil, err
	}
	if n == 0 || n&(k.Size()-1) != 0 {
		return nil, fi.ErrInvalid
	}
	return k, nil
}

func (ep *Endpoint) atomicMsg(kind fi.AtomicKind, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error {
	k, err := checkAtomicMsg(kind, m, compare, result)
	if err != nil {
		return err
	}
	return ep.atomic.AtomicMsg(k, m, compare, result, fl)
}

// checkAtomicMsg checks what every provider would, and finds the kernel.
func checkAtomicMsg(kind fi.AtomicKind, m *fi.AtomicMsg, compare, result [][]byte) (*fiatomic.Kernel, error) {
	k, err := fiatomic.Lookup(kind, m.Datatype, m.Op)
	if err != nil {
		return nil, err
	}
	size := k.Size()
	total := 0
	for _, r := range m.RMAIov {
		if r.Len%uint64(size) != 0 || r.Len > 1<<40 {
			return nil, fi.ErrInvalid
		}
		total += int(r.Len)
	}
	if total == 0 {
		return nil, fi.ErrInvalid
	}
	iov := m.Iov
	if m.Op == fi.AtomicRead {
		iov = nil
	}
	whole := func(v [][]byte, want bool) bool {
		n := 0
		for _, b := range v {
			if len(b)%size != 0 {
				return false
			}
			n += len(b)
		}
		return n == total || !want && n == 0
	}
	if !whole(iov, m.Op != fi.AtomicRead) || !whole(compare, kind == fi.AtomicCompare) || !whole(result, kind != fi.AtomicBase) {
		return nil, fi.ErrInvalid
	}
	return k, nil
}
