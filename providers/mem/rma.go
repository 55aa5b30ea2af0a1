package mem

import (
	"context"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

func (o ops) Write(buf []byte, to fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	return o.e.access(true, [][]byte{buf}, to, one(dst, len(buf)), data, ctx, fl)
}

func (o ops) WriteMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	return o.e.access(true, clone(m.Iov), m.Addr, append([]fi.RMAIov(nil), m.RMAIov...), m.Data, m.Context, fl)
}

func (o ops) Read(buf []byte, from fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.e.access(false, [][]byte{buf}, from, one(src, len(buf)), 0, ctx, fl)
}

func (o ops) ReadMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	return o.e.access(false, clone(m.Iov), m.Addr, append([]fi.RMAIov(nil), m.RMAIov...), 0, m.Context, fl)
}

// access reads or writes a peer's memory.
func (e *endpoint) access(write bool, iov [][]byte, to fi.Addr, rma []fi.RMAIov, data uint64, ctx any, fl fi.OpFlags) error {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	return e.accessLocked(write, iov, to, rma, data, ctx, fl)
}

func (e *endpoint) accessLocked(write bool, iov [][]byte, to fi.Addr, rma []fi.RMAIov, data uint64, ctx any, fl fi.OpFlags) error {
	n := length(iov)
	if len(iov) > iovLimit || len(rma) > iovLimit || len(rma) == 0 || !rdm.SameLength(n, rma) {
		return fi.ErrInvalid
	}
	if uint64(n) > e.Max.RMA || fl&fi.OpInject != 0 && uint64(n) > e.Inject.RMA {
		return fi.ErrMsgSize
	}
	kind := rdm.KindRead
	if write {
		kind = rdm.KindWrite
	}
	return e.post(to, fl, func(d *dest, target *endpoint, _ uint32) {
		p := target.sender(e, d.key)
		err := p.accessed(write, iov, rma)
		if err != 0 {
			e.TxFail(ctx, fl, kind, 0, 0, err, "")
			return
		}
		if fl&fi.OpRemoteCQData != 0 {
			target.WrittenData(n, data, p.Addr)
		}
		e.TxEnd(ctx, fl, kind, n, 0, 0, "")
	}, func(err fi.Errno) { e.TxFail(ctx, fl, kind, 0, 0, err, why(err)) }, func() {
		if write && fl&fi.OpInject != 0 {
			iov = [][]byte{gather(iov)}
		}
	})
}

// accessed checks and does a remote access of the peer's to our memory: all of it or nothing.
func (p *peer) accessed(write bool, iov [][]byte, rma []fi.RMAIov) fi.Errno {
	e, need := p.EP, fi.AccessRemoteRead
	if write {
		need = fi.AccessRemoteWrite
	}
	at, offs := make([]rdm.Range, len(rma)), make([]uint64, len(rma))
	for i, v := range rma {
		r, off, err := p.Target(v.Key, v.Addr, int(v.Len), need)
		if err != 0 {
			return err
		}
		at[i], offs[i] = rdm.Range{Region: r, N: int(v.Len)}, off
	}
	if write {
		src := flat(iov)
		for i, v := range rma {
			at[i].Region.CopyIn(offs[i], src[:v.Len])
			src = src[v.Len:]
		}
		e.WrittenRanges(at)
		return 0
	}
	buf := make([]byte, length(iov))
	got := buf
	for i, v := range rma {
		at[i].Region.CopyOut(got[:v.Len], offs[i])
		got = got[v.Len:]
	}
	e.ReadRanges(at)
	scatter(iov, buf)
	return 0
}

func (o ops) Atomic(k *fiatomic.Kernel, buf []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.e.atomic(k, vec(buf), nil, nil, to, one(dst, len(buf)), ctx, fl)
}

func (o ops) FetchAtomic(k *fiatomic.Kernel, buf, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.e.atomic(k, vec(buf), nil, vec(result), to, one(dst, len(result)), ctx, fl)
}

func (o ops) CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.e.atomic(k, vec(buf), vec(compare), vec(result), to, one(dst, len(buf)), ctx, fl)
}

func (o ops) AtomicMsg(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error {
	return o.e.atomic(k, clone(m.Iov), clone(compare), clone(result), m.Addr, append([]fi.RMAIov(nil), m.RMAIov...), m.Context, fl)
}

func one(at mr.Remote, n int) []fi.RMAIov {
	return []fi.RMAIov{{Addr: at.Addr, Len: uint64(n), Key: at.Key}}
}

func vec(b []byte) [][]byte {
	if b == nil {
		return nil
	}
	return [][]byte{b}
}

func (e *endpoint) atomic(k *fiatomic.Kernel, iov, compare, result [][]byte, to fi.Addr, rma []fi.RMAIov, ctx any, fl fi.OpFlags) error {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	return e.atomicLocked(k, iov, compare, result, to, rma, ctx, fl)
}

func (e *endpoint) atomicLocked(k *fiatomic.Kernel, iov, compare, result [][]byte, to fi.Addr, rma []fi.RMAIov, ctx any, fl fi.OpFlags) error {
	n := 0
	for _, v := range rma {
		n += int(v.Len)
	}
	if len(iov) > iovLimit || len(compare) > iovLimit || len(result) > iovLimit || len(rma) > iovLimit {
		return fi.ErrInvalid
	}
	if uint64(n) > e.Max.Atomic || fl&fi.OpInject != 0 && uint64(n) > e.Inject.Atomic {
		return fi.ErrMsgSize
	}
	comp := rdm.KindFetch
	if k.Kind() == fi.AtomicBase {
		comp = rdm.KindAtomic
	}
	return e.post(to, fl, func(d *dest, target *endpoint, _ uint32) {
		p := target.sender(e, d.key)
		operand, cmp, all := flat(iov), flat(compare), make([]byte, length(result))
		old := all
		did := make([]rdm.Range, 0, len(rma))
		for _, v := range rma {
			var o, c, r []byte
			if k.NeedsOperand() {
				o, operand = operand[:v.Len], operand[v.Len:]
			}
			if k.NeedsCompare() {
				c, cmp = cmp[:v.Len], cmp[v.Len:]
			}
			if k.GivesResult() {
				r, old = old[:v.Len], old[v.Len:]
			}
			at, err := p.AtomicRange(k, v.Key, v.Addr, o, c, r, int(v.Len)/k.Size())
			if err != 0 {
				target.Spent(did)
				e.TxFail(ctx, fl, comp, 0, 0, err, "")
				return
			}
			did = append(did, rdm.Range{Region: at, N: int(v.Len)})
		}
		if rdm.AtomicWrites(k) {
			target.WrittenRanges(did)
		} else {
			target.ReadRanges(did)
		}
		scatter(result, all)
		e.TxEnd(ctx, fl, comp, n, 0, 0, "")
	}, func(err fi.Errno) { e.TxFail(ctx, fl, comp, 0, 0, err, why(err)) }, func() {
		if fl&fi.OpInject != 0 {
			iov = [][]byte{gather(iov)}
		}
	})
}

// Map gives the peer's memory itself.
func (e *endpoint) Map(_ context.Context, to fi.Addr, at mr.Remote, n int) ([]byte, func() error, error) {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	d := e.dest(to)
	if err := e.unreachable(d); err != 0 {
		return nil, nil, err
	}
	target, no := e.target(d)
	if no != 0 {
		return nil, nil, no
	}
	r, off, err := target.sender(e, d.key).Target(at.Key, at.Addr, n, fi.AccessRemoteRead|fi.AccessRemoteWrite)
	if err != 0 {
		return nil, nil, err
	}
	mem := r.Slice(off, n)
	if mem == nil {
		return nil, nil, fi.ErrOpNotSupp
	}
	return mem, func() error { return nil }, nil
}
