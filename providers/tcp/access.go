package tcp

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// Write writes to a region of a peer.
func (o *ops) Write(buf []byte, to fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	return o.e.access(opWrite, buf, to, dst, data, ctx, fl)
}

// Read reads from a region of a peer.
func (o *ops) Read(buf []byte, from fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.e.access(opRead, buf, from, src, 0, ctx, fl)
}

// WriteMsg is Write in its general form.
func (o *ops) WriteMsg(m *fi.RMAMsg, fl fi.OpFlags) error { return o.e.accessVector(opWrite, m, fl) }

// ReadMsg is Read in its general form.
func (o *ops) ReadMsg(m *fi.RMAMsg, fl fi.OpFlags) error { return o.e.accessVector(opRead, m, fl) }

func (e *endpoint) access(kind opKind, buf []byte, to fi.Addr, at mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	if err := e.checkAccess(kind, len(buf), fl); err != 0 {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.newOp()
	if o == nil {
		return e.NoRoom()
	}
	o.iov = append(o.iov, buf)
	o.rma[0] = fi.RMAIov{Addr: at.Addr, Len: uint64(len(buf)), Key: at.Key}
	o.ranges = 1
	return e.submitAccess(o, kind, len(buf), to, data, ctx, fl)
}

func (e *endpoint) accessVector(kind opKind, m *fi.RMAMsg, fl fi.OpFlags) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.accessLocked(kind, m.Iov, m.Addr, m.RMAIov, m.Data, m.Context, fl)
}

func (e *endpoint) accessLocked(kind opKind, iov [][]byte, to fi.Addr, rma []fi.RMAIov, data uint64, ctx any, fl fi.OpFlags) error {
	n := length(iov)
	if len(iov) > iovLimit || len(rma) > rmaLimit || !rdm.SameLength(n, rma) {
		return fi.ErrInvalid
	}
	if err := e.checkAccess(kind, n, fl); err != 0 {
		return err
	}
	o := e.newOp()
	if o == nil {
		return e.NoRoom()
	}
	o.iov = append(o.iov, iov...)
	o.ranges = copy(o.rma[:], rma)
	return e.submitAccess(o, kind, n, to, data, ctx, fl)
}

func (e *endpoint) checkAccess(kind opKind, n int, fl fi.OpFlags) fi.Errno {
	if uint64(n) > e.Max.RMA || kind == opWrite && fl&fi.OpInject != 0 && uint64(n) > e.Inject.RMA {
		return fi.ErrMsgSize
	}
	return 0
}

func (e *endpoint) submitAccess(o *op, kind opKind, n int, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	o.kind, o.fl, o.ctx, o.data, o.n = kind, fl, ctx, data, n
	o.comp = rdm.KindWrite
	if kind == opRead {
		o.comp = rdm.KindRead
	}
	return e.submit(o, to)
}

// issueAccess puts a write or a read request into the stream.
func (c *conn) issueAccess(o *op) outcome {
	rma := o.rma[:o.ranges]
	if o.kind == opRead {
		b := c.room(wire.BaseSize + 8 + 24*o.ranges)
		if b == nil {
			return full
		}
		n := 0
		if c.ext {
			n = c.enc.PutExtRead(b, o.id, rma)
		} else {
			n = c.enc.PutReadReq(b, rma)
			c.reads.Push(o)
		}
		c.trim(len(b) - n)
		c.launched(o, opUnderWay, waitAnswer)
		c.push(o.fl)
		return issued
	}
	var data wire.Flags
	if o.fl&fi.OpRemoteCQData != 0 {
		data = wire.FlagData
	}
	if o.n >= aliasFrom {
		c.unalias(wire.BaseSize+8+24*o.ranges+dataBytes(o.fl), o.iov[0])
	}
	b := c.header(wire.BaseSize+16+24*o.ranges, o)
	if b == nil {
		return full
	}
	if c.ext {
		return c.body(o, b, c.enc.PutExtWrite(b, data, o.id, o.data, rma, o.n), true)
	}
	flags := wireFlags(o.fl)
	if o.fl&fi.OpCommitComplete != 0 {
		flags |= wire.FlagCommit
	}
	if flags.WantsAck() {
		c.unacked.Push(o)
	}
	return c.body(o, b, c.enc.PutWrite(b, flags, o.data, rma, o.n), flags.WantsAck())
}

// Atomic is the base class.
func (o *ops) Atomic(k *fiatomic.Kernel, buf []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.e.atomic(k, buf, nil, nil, to, dst, len(buf), ctx, fl)
}

// FetchAtomic is the fetching class.
func (o *ops) FetchAtomic(k *fiatomic.Kernel, buf, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.e.atomic(k, buf, nil, result, to, dst, len(result), ctx, fl)
}

// CompareAtomic is the comparing class.
func (o *ops) CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.e.atomic(k, buf, compare, result, to, dst, len(buf), ctx, fl)
}

func (e *endpoint) atomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, at mr.Remote, n int, ctx any, fl fi.OpFlags) error {
	if err := e.checkAtomic(n, fl); err != 0 {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.newOp()
	if o == nil {
		return e.NoRoom()
	}
	if k.NeedsOperand() {
		o.iov = append(o.iov, buf)
	}
	if k.NeedsCompare() {
		o.compare = append(o.compare, compare)
	}
	if k.GivesResult() {
		o.result = append(o.result, result)
	}
	o.rma[0] = fi.RMAIov{Addr: at.Addr, Len: uint64(n), Key: at.Key}
	o.ranges = 1
	return e.submitAtomic(o, k, n, to, ctx, fl)
}

// AtomicMsg serves vectors of every class.
func (o *ops) AtomicMsg(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error {
	o.e.mu.Lock()
	defer o.e.mu.Unlock()
	return o.e.atomicLocked(k, m.Iov, compare, result, m.Addr, m.RMAIov, m.Context, fl)
}

func (e *endpoint) atomicLocked(k *fiatomic.Kernel, iov, compare, result [][]byte, to fi.Addr, rma []fi.RMAIov, ctx any, fl fi.OpFlags) error {
	n := 0
	for i := range rma {
		if rma[i].Len > driver.MaxAtomicSize {
			return fi.ErrMsgSize
		}
		n += int(rma[i].Len)
	}
	if len(iov) > iovLimit || len(compare) > iovLimit || len(result) > iovLimit || len(rma) > rmaLimit || n == 0 {
		return fi.ErrInvalid
	}
	if err := e.checkAtomic(n, fl); err != 0 {
		return err
	}
	w := e.newOp()
	if w == nil {
		return e.NoRoom()
	}
	if k.NeedsOperand() {
		w.iov = append(w.iov, iov...)
	}
	if k.NeedsCompare() {
		w.compare = append(w.compare, compare...)
	}
	if k.GivesResult() {
		w.result = append(w.result, result...)
	}
	w.ranges = copy(w.rma[:], rma)
	return e.submitAtomic(w, k, n, to, ctx, fl)
}

func (e *endpoint) checkAtomic(n int, fl fi.OpFlags) fi.Errno {
	if uint64(n) > e.Max.Atomic || n > driver.MaxAtomicSize || fl&fi.OpInject != 0 && uint64(n) > e.Inject.Atomic {
		return fi.ErrMsgSize
	}
	return 0
}

func (e *endpoint) submitAtomic(o *op, k *fiatomic.Kernel, n int, to fi.Addr, ctx any, fl fi.OpFlags) error {
	o.kind, o.k, o.n, o.ctx, o.fl = opAtomic, k, n, ctx, fl
	o.comp = rdm.KindFetch
	if k.Kind() == fi.AtomicBase {
		o.comp = rdm.KindAtomic
	}
	for _, v := range o.rma[:o.ranges] { // whole elements, and at least one
		if v.Len == 0 || v.Len%uint64(k.Size()) != 0 {
			e.recycle(o)
			return fi.ErrInvalid
		}
	}
	return e.submit(o, to)
}

// issueAtomic puts an atomic into the stream; one of several ranges as so many atomics. All of its values are copied.
func (c *conn) issueAtomic(o *op) outcome {
	if !c.ext || c.features&wire.FeatureAtomic == 0 {
		return c.refuse(o, "it has no atomics")
	}
	if o.ranges > 1 {
		return c.issueParts(o)
	}
	if !c.putAtomic(o, o.rma[0], 0) {
		return full
	}
	c.launched(o, opUnderWay, waitAnswer)
	c.push(o.fl)
	return issued
}

// putAtomic writes the message of one range, whose values begin at off of the buffers.
func (c *conn) putAtomic(o *op, at fi.RMAIov, off int) bool {
	a := wire.Atomic{Kind: o.k.Kind(), Type: o.k.Datatype(), Op: o.k.Op()}
	n := int(at.Len)
	hdr := wire.BaseSize + 8 + 24
	b := c.room(hdr + a.Payload(n))
	if b == nil {
		return false
	}
	c.enc.PutExtAtomic(b, o.id, a, at, c.part(o))
	b = b[hdr:]
	if o.k.NeedsOperand() {
		gather(b[:n], o.iov, off)
		b = b[n:]
	}
	if o.k.NeedsCompare() {
		gather(b[:n], o.compare, off)
	}
	return true
}

// part says where an atomic of one range stands among those that its operation was made into, to peers that listen.
func (c *conn) part(o *op) uint8 {
	if c.features&wire.FeatureRanges == 0 {
		return 0
	}
	return uint8(o.part)
}

// issueParts makes an operation of each range. Those that find no room wait in front of everything else.
func (c *conn) issueParts(w *op) outcome {
	e := c.owner
	if e.mostOps()-e.liveOps < w.ranges {
		return full
	}
	w.kind, w.parts = opWhole, w.ranges
	off := 0
	to := w.to
	var parts [rmaLimit]*op
	for i := range w.ranges {
		o := e.newPart()
		parts[i] = o
		n := int(w.rma[i].Len)
		o.kind, o.k, o.n, o.fl, o.to, o.parent = opAtomic, w.k, n, w.fl, to, w
		o.rma[0], o.ranges = w.rma[i], 1
		if i > 0 {
			o.part |= rdm.PartRest
		}
		if i < w.ranges-1 {
			o.part |= rdm.PartMore
		}
		o.iov = slice(o.iov, w.iov, off, n)
		o.compare = slice(o.compare, w.compare, off, n)
		o.result = slice(o.result, w.result, off, n)
		off += n
	}
	n, i := w.ranges, 0
	for i < n && c.issueAtomic(parts[i]) != full {
		i++
	}
	for k := n - 1; k >= i; k-- {
		parts[k].own()
		parts[k].state = opDeferred
		to.deferred.PutBack(parts[k])
		to.stall()
	}
	return issued
}

// slice appends the n bytes of iov at off to dst.
func slice(dst, iov [][]byte, off, n int) [][]byte {
	if len(iov) == 0 {
		return dst
	}
	for n > 0 {
		b := piece(iov, off, n)
		dst = append(dst, b)
		off += len(b)
		n -= len(b)
	}
	return dst
}
