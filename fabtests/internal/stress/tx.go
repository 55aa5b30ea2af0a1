package stress

import (
	"sync"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// txStream posts what a port transmits, in the order of the plan.
type txStream struct {
	p     *port
	mu    sync.Mutex
	steps []*step
	next  int
	cur   *op // made, but not accepted yet
	out   int
	again []*op // compare-and-swaps that came too late
	all   []*op
	turns int
}

// turn posts some operations and tells whether it has posted any.
func (t *txStream) turn() (busy bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turns++
	n := t.p.n
	for len(t.again) > 0 && !n.stop.Load() {
		o := t.again[0]
		if err := t.postSwap(o); err == fi.ErrAgain {
			return busy
		} else if err != nil {
			n.fail(o.s, "", "posting: %v", t.p.ep.Explain(err))
			return false
		}
		o.posted = true
		t.again = t.again[1:]
		busy = true
	}
	for budget := 1 + t.turns%7; budget > 0 && t.next < len(t.steps) && t.out < n.TxWindow && !n.stop.Load(); budget-- {
		s := t.steps[t.next]
		if t.cur == nil {
			t.cur = t.make(s)
		}
		o := t.cur
		err := t.post(o)
		if err == fi.ErrAgain {
			return busy
		}
		if err != nil {
			n.fail(s, "", "posting: %v", t.p.ep.Explain(err))
			return false
		}
		busy = true
		t.cur, o.posted = nil, true
		t.next++
		t.all = append(t.all, o)
		silent := n.Selective && (s.Form == plain || s.Form == vector) && s.Kind != read && !(s.Kind == atomically && n.kindOf(s).fetches)
		if s.Form == injected || s.Level&fi.OpInject != 0 {
			soil(o.buf)
		}
		if s.Form == injected || silent {
			o.done = true
			t.p.want[txCounter(n.h, s)]++
			n.finished(s)
		} else {
			t.out++
		}
	}
	return busy
}

func (n *node) kindOf(s *step) *slotKind { return &slotKinds[n.h.Slots[s.Slot].Kind] }

// txCounter is the counter of a transmit.
func txCounter(h *phase, s *step) int {
	switch {
	case s.Kind == read, s.Kind == atomically && slotKinds[h.Slots[s.Slot].Kind].fetches:
		return cntRead
	case s.Kind == write, s.Kind == atomically:
		return cntWrite
	}
	return cntSend
}

// make makes the operation of a step.
func (t *txStream) make(s *step) *op {
	h := t.p.n.h
	o := t.p.newOp(s, opSend, s.Size)
	switch s.Kind {
	case read:
		soil(o.buf)
	case atomically:
		put(o.buf, h.operand(s))
		o.cmp, o.res = make([]byte, s.Size), make([]byte, s.Size)
	default:
		h.fillMessage(o.buf, s)
	}
	o.iov = split(o.buf, s.Parts, h.key(s.ID))
	return o
}

// name is the one that a step uses for its peer.
func (n *node) name(s *step) fi.Addr {
	if s.Second {
		return n.second[s.To]
	}
	return n.addr[s.To]
}

// post hands the operation to the endpoint.
func (t *txStream) post(o *op) error {
	n, s, ep := t.p.n, o.s, t.p.ep
	to, data, flags := n.name(s), uint64(0), s.Level
	if s.Data {
		data = n.h.data(s)
		flags |= fi.OpRemoteCQData
	}
	if n.Selective {
		flags |= fi.OpCompletion
	}
	switch s.Kind {
	case sendMsg:
		switch {
		case s.Form == vector:
			return ep.SendV(o.iov, to, o)
		case s.Form == general:
			return ep.SendMsg(&fi.Msg{Iov: o.iov, Addr: to, Context: o, Data: data}, flags)
		case s.Form == injected && s.Data:
			return ep.InjectData(o.buf, data, to)
		case s.Form == injected:
			return ep.Inject(o.buf, to)
		case s.Data:
			return ep.SendData(o.buf, data, to, o)
		}
		return ep.Send(o.buf, to, o)
	case sendTagged:
		switch {
		case s.Form == vector:
			return ep.TSendV(o.iov, to, s.Tag, o)
		case s.Form == general:
			return ep.TSendMsg(&fi.TaggedMsg{Iov: o.iov, Addr: to, Tag: s.Tag, Context: o, Data: data}, flags)
		case s.Form == injected && s.Data:
			return ep.TInjectData(o.buf, data, to, s.Tag)
		case s.Form == injected:
			return ep.TInject(o.buf, to, s.Tag)
		case s.Data:
			return ep.TSendData(o.buf, data, to, s.Tag, o)
		}
		return ep.TSend(o.buf, to, s.Tag, o)
	case write:
		at := n.remote[s.To.Rank].At(uint64(s.Off))
		switch {
		case s.Form == vector:
			return ep.WriteV(o.iov, to, at, o)
		case s.Form == general:
			return ep.WriteMsg(&fi.RMAMsg{Iov: o.iov, Addr: to, RMAIov: n.ranges(s, at), Context: o, Data: data}, flags)
		case s.Form == injected && s.Data:
			return ep.InjectWriteData(o.buf, data, to, at)
		case s.Form == injected:
			return ep.InjectWrite(o.buf, to, at)
		case s.Data:
			return ep.WriteData(o.buf, data, to, at, o)
		}
		return ep.Write(o.buf, to, at, o)
	case read:
		at := n.remote[s.To.Rank].At(uint64(s.Off))
		switch {
		case s.Form == general || n.Selective:
			return ep.ReadMsg(&fi.RMAMsg{Iov: o.iov, Addr: to, RMAIov: n.ranges(s, at), Context: o}, flags)
		case s.Form == vector:
			return ep.ReadV(o.iov, to, at, o)
		}
		return ep.Read(o.buf, to, at, o)
	}
	return t.postAtomic(o, to, flags)
}

// postAtomic hands an atomic to the endpoint.
func (t *txStream) postAtomic(o *op, to fi.Addr, flags fi.OpFlags) error {
	n, s, ep := t.p.n, o.s, t.p.ep
	k := n.kindOf(s)
	at := n.remote[s.To.Rank].At(uint64(n.h.slotsAt(s.To.Rank) + n.h.Slots[s.Slot].Off))
	m := fi.AtomicMsg{Iov: o.iov, Addr: to, RMAIov: []fi.RMAIov{{Addr: at.Addr, Len: uint64(s.Size), Key: at.Key}}, Datatype: k.dt, Op: k.op, Context: o}
	switch {
	case k.swaps:
		return t.postSwap(o)
	case k.fetches && n.Selective:
		return ep.FetchAtomicMsg(&m, [][]byte{o.res}, flags)
	case k.fetches:
		return ep.FetchAtomic(o.buf, o.res, to, at, k.dt, k.op, o)
	case s.Form == injected:
		return ep.InjectAtomic(o.buf, to, at, k.dt, k.op)
	case s.Form == general:
		return ep.AtomicMsg(&m, flags)
	}
	return ep.Atomic(o.buf, to, at, k.dt, k.op, o)
}

// postSwap tries to count a slot up by one from the value in cmp.
func (t *txStream) postSwap(o *op) error {
	n, s := t.p.n, o.s
	k := n.kindOf(s)
	put(o.buf, get(o.cmp)+1)
	at := n.remote[s.To.Rank].At(uint64(n.h.slotsAt(s.To.Rank) + n.h.Slots[s.Slot].Off))
	if !n.Selective {
		return t.p.ep.CompareAtomic(o.buf, o.cmp, o.res, n.name(s), at, k.dt, k.op, o)
	}
	return t.p.ep.CompareAtomicMsg(&fi.AtomicMsg{Iov: [][]byte{o.buf}, Addr: n.name(s), RMAIov: []fi.RMAIov{{Addr: at.Addr, Len: uint64(s.Size), Key: at.Key}},
		Datatype: k.dt, Op: k.op, Context: o}, [][]byte{o.cmp}, [][]byte{o.res}, fi.OpCompletion)
}

// rangesOf is how many remote ranges a step has.
func (n *node) rangesOf(s *step) int {
	if s.Parts == 1 || s.Form != general && (s.Kind != read || !n.Selective) {
		return 1
	}
	return 1 + s.Parts%max(1, n.Limits.RMAIov)
}

// ranges cuts the remote side of a step into as many parts as the provider allows, at other places than the local one.
func (n *node) ranges(s *step, at mr.Remote) []fi.RMAIov {
	parts := n.rangesOf(s)
	left := uint64(s.Size)
	var out []fi.RMAIov
	for i := parts; i > 1; i-- {
		l := mix(n.h.key(s.ID)+uint64(i)) % (left/uint64(i) + 1)
		out = append(out, fi.RMAIov{Addr: at.Addr, Len: l, Key: at.Key})
		at.Addr += l
		left -= l
	}
	return append(out, fi.RMAIov{Addr: at.Addr, Len: left, Key: at.Key})
}

// complete takes a completion of a transmit.
func (t *txStream) complete(o *op) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, s := t.p.n, o.s
	counter := txCounter(n.h, s)
	t.p.want[counter]++
	switch {
	case s.Kind == read:
		whole := make([]byte, readable)
		fill(whole, n.h.readKey(s.To.Rank))
		if i := firstDifference(o.buf, whole[s.Off:][:s.Size]); i >= 0 {
			n.fail(s, "", "byte %d of what it read is %#02x, there was %#02x", i, o.buf[i], whole[s.Off+i])
		}
	case s.Kind == atomically && n.kindOf(s).fetches:
		old := get(o.res)
		n.mu.Lock()
		n.reads[s.To.Rank][s.To.Lane]++
		n.mu.Unlock()
		if n.kindOf(s).swaps && old != get(o.cmp) {
			put(o.cmp, old)
			o.done, o.posted = false, false
			t.again = append(t.again, o)
			return
		}
		n.mu.Lock()
		n.fetched = append(n.fetched, fetched{s.Slot, s.ID, old})
		n.mu.Unlock()
	default:
		soil(o.buf)
	}
	if s.Kind == read {
		n.mu.Lock()
		n.reads[s.To.Rank][s.To.Lane]++ // one, whatever the number of its ranges
		n.mu.Unlock()
	}
	if !o.guarded() {
		n.fail(s, "", "bytes behind its buffer have changed")
	}
	t.out--
	n.finished(s)
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
