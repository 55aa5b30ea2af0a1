package chaos

import (
	"runtime"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

func (w wrapped) Write(buf []byte, to fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, false)
	e.loseEvents(to)
	return e.post(fl, func() error {
		switch {
		case e.m == ZeroUnchecked && len(buf) == 0:
			e.forge(ctx, fl, fi.CompWrite|fi.CompRMA, 0, 0)
			return nil
		case e.m == WriteByteTooFar && len(buf) > 8:
			if mem := e.memory(to, dst, len(buf)+1, fi.AccessRemoteWrite); mem != nil {
				e.eng.Lock()
				mem[len(buf)] ^= 0xff
				e.eng.Unlock()
			}
		case e.m == InjectKeepsBuffer && fl&fi.OpInject != 0 && fl&fi.OpCompletion == 0:
			e.later(func() { e.ops.RMA.Write(buf, to, dst, data, ctx, fl) })
			return nil
		}
		return e.ops.RMA.Write(buf, to, dst, data, ctx, fl)
	})
}

// loseEvents takes the counters from the regions of a peer.
func (e *endpoint) loseEvents(to fi.Addr) {
	if e.m != LoseEvents {
		return
	}
	if p := e.peer(to); p != nil {
		e.eng.Lock()
		p.d.mu.Lock()
		for r := range p.d.regions {
			r.OnWrite, r.OnRead = nil, nil
		}
		p.d.mu.Unlock()
		e.eng.Unlock()
	}
}

func (w wrapped) WriteMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, false)
	e.loseEvents(m.Addr)
	c := *m
	c.Iov = e.vector(m.Iov)
	return e.post(fl, func() error {
		if e.m == WriteLate && fl&fi.OpDeliveryComplete != 0 && len(m.Iov) == 1 && len(m.RMAIov) == 1 {
			v := m.RMAIov[0]
			at := mr.Remote{Addr: v.Addr, Key: v.Key}
			if e.memory(m.Addr, at, len(m.Iov[0]), fi.AccessRemoteWrite) != nil {
				late, to := append([]byte{}, m.Iov[0]...), m.Addr
				e.forge(m.Context, fl, fi.CompWrite|fi.CompRMA, len(late), 0)
				e.later(func() { e.ops.RMA.Write(late, to, at, 0, nil, 0) })
				return nil
			}
		}
		return e.ops.RMA.WriteMsg(&c, fl)
	})
}

func (w wrapped) Read(buf []byte, from fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, false)
	e.loseEvents(from)
	return e.post(fl, func() error {
		switch {
		case e.m == ZeroUnchecked && len(buf) == 0:
			e.forge(ctx, fl, fi.CompRead|fi.CompRMA, 0, 0)
			return nil
		case e.m == ShortRead && len(buf) > 64:
			last := &buf[len(buf)-1]
			old := *last
			err := e.ops.RMA.Read(buf, from, src, ctx, fl)
			*last = old // the reference reads at once
			return err
		}
		return e.ops.RMA.Read(buf, from, src, ctx, fl)
	})
}

func (w wrapped) ReadMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, false)
	return e.post(fl, func() error { return e.ops.RMA.ReadMsg(m, fl) })
}

func (w wrapped) Atomic(k *fiatomic.Kernel, buf []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	e := w.e
	fl, k = e.flags(fl, false), e.m.wrong(k)
	return e.post(fl, func() error { return e.ops.Atomic.Atomic(k, buf, to, dst, ctx, fl) })
}

func (w wrapped) FetchAtomic(k *fiatomic.Kernel, buf, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	e := w.e
	fl, k = e.flags(fl, false), e.m.wrong(k)
	return e.post(fl, func() error {
		if e.m == NotAtomic && k.NeedsOperand() && len(buf) == k.Size() {
			const both = fi.AccessRemoteRead | fi.AccessRemoteWrite
			if mem := e.memory(to, dst, len(buf), both); mem != nil {
				e.inPieces(k, mem, buf, result, ctx, fl)
				return nil
			}
		}
		err := e.ops.Atomic.FetchAtomic(k, buf, result, to, dst, ctx, fl)
		if err == nil && e.m == FetchNew && k.NeedsOperand() && k.Datatype() == fi.TypeUint64 {
			k.Apply(result, buf, nil, nil, len(result)/k.Size()) // the reference completes at once
		}
		return err
	})
}

// inPieces reads, computes and writes: others may come between. The memory is that of a peer in this process.
func (e *endpoint) inPieces(k *fiatomic.Kernel, mem, buf, result []byte, ctx any, fl fi.OpFlags) {
	e.eng.Lock()
	copy(result, mem)
	e.eng.Unlock()
	now := append([]byte{}, result...)
	k.Apply(now, buf, nil, nil, 1)
	runtime.Gosched()
	e.eng.Lock()
	copy(mem, now)
	if e.b.CntRead != nil {
		e.b.CntRead.Done(len(buf))
	}
	e.eng.Unlock()
	e.forge(ctx, fl, fi.CompRead|fi.CompAtomic, len(buf), 0)
}

func (w wrapped) CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, false)
	if e.m == CompareSwapped && k.Op() == fi.AtomicCSwapGE {
		buf, compare = compare, buf
	}
	return e.post(fl, func() error { return e.ops.Atomic.CompareAtomic(k, buf, compare, result, to, dst, ctx, fl) })
}

func (w wrapped) AtomicMsg(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error {
	e := w.e
	fl, k = e.flags(fl, false), e.m.wrong(k)
	return e.post(fl, func() error { return e.ops.Atomic.AtomicMsg(k, m, compare, result, fl) })
}
