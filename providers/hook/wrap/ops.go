package wrap

import "github.com/gofabric/gofabric/fi"

// operations are those of an endpoint.
type operations struct{ e *endpoint }

func (e *endpoint) receive(a API, ctx any, fl fi.OpFlags) *Op {
	return e.p.receive(&e.pending, e.name, a, ctx, fl)
}

func (e *endpoint) posted(o *Op, err error) error { return o.posted(e.p, e.eng, e.tx, err) }

// full ends an operation for whose completion there is no place.
func (e *endpoint) full(o *Op) error {
	e.again.Add(1)
	return e.posted(o, fi.ErrAgain)
}

func size(iov [][]byte) (n int) {
	for _, b := range iov {
		n += len(b)
	}
	return n
}

// recv fills in a receive.
func (o *Op) recv(buf []byte, from fi.Addr, tag, ignore uint64) {
	o.Buf, o.Size, o.Addr, o.Tag, o.Ignore = buf, len(buf), from, tag, ignore
}

// ofMsg fills in a message of the general form.
func (o *Op) ofMsg(m *fi.Msg) {
	o.Iov, o.Desc, o.Size, o.Addr, o.Data = m.Iov, m.Desc, size(m.Iov), m.Addr, m.Data
	o.msg = *m
	o.msg.Context = o.passed()
}

// ofTagged fills in a tagged message of the general form.
func (o *Op) ofTagged(m *fi.TaggedMsg) {
	o.Iov, o.Desc, o.Size, o.Addr, o.Data, o.Tag, o.Ignore = m.Iov, m.Desc, size(m.Iov), m.Addr, m.Data, m.Tag, m.Ignore
	o.tagged = *m
	o.tagged.Context = o.passed()
}

func (w operations) Send(buf []byte, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	e := w.e
	o := e.start(of(fl, Send, SendData, Inject, InjectData), ctx, fl)
	o.Buf, o.Size, o.Addr, o.Data = buf, len(buf), to, data
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.Msg.Send(buf, to, data, o.passed(), o.flags()))
}

func (w operations) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	e := w.e
	o := e.start(SendMsg, m.Context, fl)
	o.ofMsg(m)
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.Msg.SendMsg(&o.msg, o.flags()))
}

func (w operations) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	e := w.e
	o := e.receive(Recv, ctx, fl)
	o.recv(buf, from, 0, 0)
	o.posting(e.p)
	return e.posted(o, e.ops.Msg.Recv(buf, from, o.passed(), o.flags()))
}

func (w operations) RecvMsg(m *fi.Msg, fl fi.OpFlags) error {
	e := w.e
	o := e.receive(RecvMsg, m.Context, fl)
	o.ofMsg(m)
	o.posting(e.p)
	return e.posted(o, e.ops.Msg.RecvMsg(&o.msg, o.flags()))
}

func (w operations) TSend(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error {
	e := w.e
	o := e.start(of(fl, TSend, TSendData, TInject, TInjectData), ctx, fl)
	o.Buf, o.Size, o.Addr, o.Tag, o.Data = buf, len(buf), to, tag, data
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.Tagged.TSend(buf, to, tag, data, o.passed(), o.flags()))
}

func (w operations) TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	e := w.e
	o := e.start(TSendMsg, m.Context, fl)
	o.ofTagged(m)
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.Tagged.TSendMsg(&o.tagged, o.flags()))
}

func (w operations) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error {
	e := w.e
	o := e.receive(TRecv, ctx, fl)
	o.recv(buf, from, tag, ignore)
	o.posting(e.p)
	return e.posted(o, e.ops.Tagged.TRecv(buf, from, tag, ignore, o.passed(), o.flags()))
}

func (w operations) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	e := w.e
	o := e.receive(TRecvMsg, m.Context, fl)
	o.ofTagged(m)
	o.posting(e.p)
	return e.posted(o, e.ops.Tagged.TRecvMsg(&o.tagged, o.flags()))
}
