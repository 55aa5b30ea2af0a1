package fabric

import (
	"math"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/coll"
)

// Barrier completes when all members of a group have called it (fi_barrier). coll is what [MC.Addr] gave.
//
// Like every collective call it returns at once, and the completion comes to the transmit queue, with fi.CompCollective,
// and is counted with the sends. All members of a group make the same calls in the same order, with the same counts; several
// calls may be under way. When a member has ended, what runs in the group completes in error, at every member, and so does
// what is posted later.
//
// Errors: fi.ErrNoSys without FI_COLLECTIVE, fi.ErrInvalid for a coll that is no group of the endpoint, fi.ErrOpBadState
// before the endpoint is enabled or the join has completed, fi.ErrOpNotSupp for an operation that the set's flags leave out,
// fi.ErrAgain (progress and try again); bare numbers.
func (ep *Endpoint) Barrier(coll fi.Addr, ctx any) error {
	err := ep.coll.Collective(fi.CollBarrier, coll, 0, nil, 0, nil, nil, ctx, ep.txFlags&fi.OpCompletion)
	if err != nil {
		return ep.core.refuseCollective(fi.CollBarrier, coll, 0, 0, 0, 0, err)
	}
	return nil
}

// Barrier2 is Barrier with flags of its own (fi_barrier2): fi.OpCompletion.
//
// Errors: as Barrier; fi.ErrBadFlags for flags that it does not have.
func (ep *Endpoint) Barrier2(coll fi.Addr, flags fi.OpFlags, ctx any) error {
	return ep.collective(fi.CollBarrier, coll, 0, nil, 0, nil, nil, flags, ctx)
}

// Broadcast brings buf of the member root to the others, into theirs (fi_broadcast). root is the member's address in the
// vector, as for all calls that have one.
//
// Ownership: buf belongs to the operation until its completion.
// Errors: as Barrier2; fi.ErrInvalid for a root that is no member, for a buffer that holds no whole elements, or none, and
// for fi.TypeVoid; fi.ErrMsgSize for more than a message takes.
func (ep *Endpoint) Broadcast(buf []byte, coll, root fi.Addr, dt fi.Datatype, flags fi.OpFlags, ctx any) error {
	return ep.collective(fi.CollBroadcast, coll, root, nil, dt.Size(), buf, buf, flags, ctx)
}

// Alltoall brings block i of each member's buf to member i, whose result has a block of each member (fi_alltoall). Both
// buffers have as many blocks as there are members.
//
// Ownership: buf and result belong to the operation until its completion, and must not overlap.
// Errors: as Broadcast; fi.ErrInvalid for buffers of different lengths, or that are no whole blocks.
func (ep *Endpoint) Alltoall(buf, result []byte, coll fi.Addr, dt fi.Datatype, flags fi.OpFlags, ctx any) error {
	return ep.collective(fi.CollAlltoall, coll, 0, nil, dt.Size(), buf, result, flags, ctx)
}

// Allreduce combines the elements of all members' bufs, into the result of each, which all get the same bits
// (fi_allreduce). op is one of those that Endpoint.Atomic takes: sums and products, minimum and maximum, logical operations
// and those on bits, in no particular order of the members; fi.AtomicDiff takes from the first member's element those of
// the others, one after the other, and fi.AtomicWrite gives the last member's.
//
// Ownership: as Alltoall; buf and result may be the same.
// Errors: as Alltoall; fi.ErrOpNotSupp when op is not valid for dt, or not for reductions.
func (ep *Endpoint) Allreduce(buf, result []byte, coll fi.Addr, dt fi.Datatype, op fi.AtomicOp, flags fi.OpFlags, ctx any) error {
	return ep.reduction(fi.CollAllreduce, buf, result, coll, 0, dt, op, flags, ctx)
}

// Allgather puts the bufs of all members into the result of each, one after the other (fi_allgather).
//
// Ownership and errors: as Alltoall; result has as many times the length of buf as there are members.
func (ep *Endpoint) Allgather(buf, result []byte, coll fi.Addr, dt fi.Datatype, flags fi.OpFlags, ctx any) error {
	return ep.collective(fi.CollAllgather, coll, 0, nil, dt.Size(), buf, result, flags, ctx)
}

// ReduceScatter combines elements as Allreduce and gives each member a block of what comes out (fi_reduce_scatter): member i
// block i.
//
// Ownership: as Alltoall.
// Errors: as Allreduce; buf has as many times the length of result as there are members.
func (ep *Endpoint) ReduceScatter(buf, result []byte, coll fi.Addr, dt fi.Datatype, op fi.AtomicOp, flags fi.OpFlags, ctx any) error {
	return ep.reduction(fi.CollReduceScatter, buf, result, coll, 0, dt, op, flags, ctx)
}

// Reduce combines elements as Allreduce, into the result of the member root (fi_reduce); that of others is not used and may
// be nil.
//
// Ownership and errors: as Allreduce; fi.ErrInvalid for a root that is no member.
func (ep *Endpoint) Reduce(buf, result []byte, coll, root fi.Addr, dt fi.Datatype, op fi.AtomicOp, flags fi.OpFlags, ctx any) error {
	return ep.reduction(fi.CollReduce, buf, result, coll, root, dt, op, flags, ctx)
}

// Scatter brings block i of root's buf to member i, into its result (fi_scatter). The buf of others is not used and may be
// nil.
//
// Ownership and errors: as Alltoall; fi.ErrInvalid for a root that is no member. root's buf has as many times the length of
// result as there are members.
func (ep *Endpoint) Scatter(buf, result []byte, coll, root fi.Addr, dt fi.Datatype, flags fi.OpFlags, ctx any) error {
	return ep.collective(fi.CollScatter, coll, root, nil, dt.Size(), buf, result, flags, ctx)
}

// Gather puts the bufs of all members into the result of the member root, one after the other (fi_gather). The result of
// others is not used and may be nil.
//
// Ownership and errors: as Scatter; root's result has as many times the length of buf as there are members.
func (ep *Endpoint) Gather(buf, result []byte, coll, root fi.Addr, dt fi.Datatype, flags fi.OpFlags, ctx any) error {
	return ep.collective(fi.CollGather, coll, root, nil, dt.Size(), buf, result, flags, ctx)
}

const collFlags = fi.OpCompletion | fi.OpMore | fi.OpInjectComplete

func (ep *Endpoint) collective(o fi.CollectiveOp, at, root fi.Addr, k *fiatomic.Kernel, size int, in, out []byte, flags fi.OpFlags, ctx any) error {
	if flags&^collFlags != 0 {
		return fi.ErrBadFlags
	}
	err := ep.coll.Collective(o, at, root, k, size, in, out, ctx, (flags|ep.txMsg)&^ep.txNot&fi.OpCompletion)
	if err != nil {
		return ep.core.refuseCollective(o, at, root, size, len(in), len(out), err)
	}
	return nil
}

func (ep *Endpoint) reduction(o fi.CollectiveOp, in, out []byte, at, root fi.Addr, dt fi.Datatype, op fi.AtomicOp, flags fi.OpFlags, ctx any) error {
	k, err := fiatomic.Lookup(fi.AtomicBase, dt, op)
	if err != nil {
		return ep.core.refuseReduction(o, dt, op, err)
	}
	return ep.collective(o, at, root, k, dt.Size(), in, out, flags, ctx)
}

// QueryCollective says how a collective is served (fi_query_collective): the largest count of one call's longest buffer,
// the size of an element, and how many members a group may have. dt is ignored for barriers, op for what reduces nothing.
//
// Errors: fi.ErrNoSys when the domain's Info has no FI_COLLECTIVE, fi.ErrOpNotSupp when op is not valid for dt or not for
// reductions, fi.ErrInvalid for unknown values.
func (d *Domain) QueryCollective(o fi.CollectiveOp, dt fi.Datatype, op fi.AtomicOp) (fi.CollectiveAttr, error) {
	const call = "query_collective"
	if err := d.open(call); err != nil {
		return fi.CollectiveAttr{}, err
	}
	a := fi.CollectiveAttr{Op: fi.AtomicNoop, Datatype: dt, MaxMembers: coll.MaxMembers}
	switch {
	case d.info.Caps&fi.CapCollective == 0:
		return fi.CollectiveAttr{}, d.fail(call, fi.ErrNoSys, "ask for FI_COLLECTIVE in the hints' caps")
	case o < fi.CollBarrier || o > fi.CollGather:
		return fi.CollectiveAttr{}, d.fail(call, fi.ErrInvalid, "no collective has this number: see fi.CollectiveOp")
	case o == fi.CollBarrier:
		a.Datatype = fi.TypeVoid
		return a, nil
	case o.Reduces():
		if err := fiatomic.Valid(fi.AtomicBase, dt, op); err != nil {
			return fi.CollectiveAttr{}, d.fail(call, err, op.String()+" of "+dt.String()+": see Allreduce for what can be reduced")
		}
		a.Op = op
	case dt.Size() == 0:
		return fi.CollectiveAttr{}, d.fail(call, fi.ErrInvalid, dt.String()+" has no elements to move")
	}
	a.DatatypeAttr = fi.AtomicAttr{Size: dt.Size(), Count: int(min(d.info.EP.MaxMsgSize, math.MaxInt)) / dt.Size()}
	return a, nil
}

// tagGuard keeps the bit of the tags that collectives use out of what the application sends and receives.
type tagGuard struct{ driver.Tagger }

func (g tagGuard) TSend(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error {
	if tag&driver.CollectiveTag != 0 {
		return fi.ErrInvalid
	}
	return g.Tagger.TSend(buf, to, tag, data, ctx, fl)
}

func (g tagGuard) TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	if m.Tag&driver.CollectiveTag != 0 {
		return fi.ErrInvalid
	}
	return g.Tagger.TSendMsg(m, fl)
}

func (g tagGuard) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error {
	if tag&^ignore&driver.CollectiveTag != 0 {
		return fi.ErrInvalid
	}
	return g.Tagger.TRecv(buf, from, tag&^driver.CollectiveTag, ignore&^driver.CollectiveTag, ctx, fl)
}

func (g tagGuard) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	tag, ignore := m.Tag, m.Ignore
	if tag&^ignore&driver.CollectiveTag != 0 {
		return fi.ErrInvalid
	}
	at := copyOf(&taggedMsgs, m)
	at.Tag, at.Ignore = tag&^driver.CollectiveTag, ignore&^driver.CollectiveTag
	err := g.Tagger.TRecvMsg(at, fl)
	taggedMsgs.put(at)
	return err
}

// guardWork is that for operations that the library begins; false when the tag has the bit.
func guardWork(w *driver.Work) bool {
	switch w.Kind {
	case driver.WorkTSend:
		return w.Tag&driver.CollectiveTag == 0
	case driver.WorkTRecv:
		if w.Tag&^w.Ignore&driver.CollectiveTag != 0 {
			return false
		}
		w.Tag, w.Ignore = w.Tag&^driver.CollectiveTag, w.Ignore&^driver.CollectiveTag
	}
	return true
}
