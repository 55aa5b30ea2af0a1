package conformance

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// issue makes the call that the form names.
func (n *node) issue(c *call, rec *opRec, ctx any) error {
	if c.SRX {
		return n.issueShared(c, rec, ctx)
	}
	ep := n.eps[c.EP]
	if c.View > 0 {
		ep = n.view[c.View-1]
	}
	buf, iov := rec.buf, split(rec.buf, c.Split)
	m := fi.Msg{Iov: iov, Desc: n.descs(iov), Addr: c.To, Context: ctx, Data: c.Data}
	tm := fi.TaggedMsg{Iov: iov, Desc: m.Desc, Addr: c.To, Tag: c.Tag, Ignore: c.Ignore, Context: ctx, Data: c.Data}
	switch c.Form {
	case "send":
		return ep.Send(buf, c.To, ctx)
	case "sendv":
		return ep.SendV(iov, c.To, ctx)
	case "sendmsg":
		return ep.SendMsg(&m, c.Flags)
	case "inject":
		return ep.Inject(buf, c.To)
	case "senddata":
		return ep.SendData(buf, c.Data, c.To, ctx)
	case "injectdata":
		return ep.InjectData(buf, c.Data, c.To)
	case "recv":
		return ep.Recv(buf, c.To, ctx)
	case "recvv":
		return ep.RecvV(iov, c.To, ctx)
	case "recvmsg":
		return ep.RecvMsg(&m, c.Flags)
	case "tsend":
		return ep.TSend(buf, c.To, c.Tag, ctx)
	case "tsendv":
		return ep.TSendV(iov, c.To, c.Tag, ctx)
	case "tsendmsg":
		return ep.TSendMsg(&tm, c.Flags)
	case "tinject":
		return ep.TInject(buf, c.To, c.Tag)
	case "tsenddata":
		return ep.TSendData(buf, c.Data, c.To, c.Tag, ctx)
	case "tinjectdata":
		return ep.TInjectData(buf, c.Data, c.To, c.Tag)
	case "trecv":
		return ep.TRecv(buf, c.To, c.Tag, c.Ignore, ctx)
	case "trecvv":
		return ep.TRecvV(iov, c.To, c.Tag, c.Ignore, ctx)
	case "trecvmsg":
		return ep.TRecvMsg(&tm, c.Flags)
	}
	return n.issueRemote(c, rec, ctx)
}

func (n *node) issueShared(c *call, rec *opRec, ctx any) error {
	iov := split(rec.buf, c.Split)
	switch c.Form {
	case "recv":
		return n.srx.Recv(rec.buf, c.To, ctx)
	case "recvmsg":
		return n.srx.RecvMsg(&fi.Msg{Iov: iov, Desc: n.descs(iov), Addr: c.To, Context: ctx}, c.Flags)
	case "trecv":
		return n.srx.TRecv(rec.buf, c.To, c.Tag, c.Ignore, ctx)
	case "trecvmsg":
		return n.srx.TRecvMsg(&fi.TaggedMsg{Iov: iov, Desc: n.descs(iov), Addr: c.To, Tag: c.Tag, Ignore: c.Ignore, Context: ctx}, c.Flags)
	}
	return fmt.Errorf("no call %q on a shared context", c.Form)
}

// issueRemote makes remote accesses and atomics.
func (n *node) issueRemote(c *call, rec *opRec, ctx any) error {
	ep := n.eps[c.EP]
	if c.View > 0 {
		ep = n.view[c.View-1]
	}
	buf, iov := rec.buf, split(rec.buf, c.Split)
	if c.NoBuf {
		buf, iov = nil, nil
	}
	m := fi.RMAMsg{Iov: iov, Desc: n.descs(iov), Addr: c.To, RMAIov: c.ranges(), Context: ctx, Data: c.Data}
	am := fi.AtomicMsg{Iov: iov, Desc: m.Desc, Addr: c.To, RMAIov: m.RMAIov, Datatype: c.Type, Op: c.Op, Context: ctx}
	res, cmp := split(rec.res, c.Split), split(rec.cmp, c.Split)
	switch c.Form {
	case "read":
		return ep.Read(buf, c.To, c.At, ctx)
	case "readv":
		return ep.ReadV(iov, c.To, c.At, ctx)
	case "readmsg":
		return ep.ReadMsg(&m, c.Flags)
	case "write":
		return ep.Write(buf, c.To, c.At, ctx)
	case "writev":
		return ep.WriteV(iov, c.To, c.At, ctx)
	case "writemsg":
		return ep.WriteMsg(&m, c.Flags)
	case "inject_write":
		return ep.InjectWrite(buf, c.To, c.At)
	case "writedata":
		return ep.WriteData(buf, c.Data, c.To, c.At, ctx)
	case "inject_writedata":
		return ep.InjectWriteData(buf, c.Data, c.To, c.At)
	case "atomic":
		return ep.Atomic(buf, c.To, c.At, c.Type, c.Op, ctx)
	case "atomicv":
		return ep.AtomicV(iov, c.To, c.At, c.Type, c.Op, ctx)
	case "atomicmsg":
		return ep.AtomicMsg(&am, c.Flags)
	case "inject_atomic":
		return ep.InjectAtomic(buf, c.To, c.At, c.Type, c.Op)
	case "fetch_atomic":
		return ep.FetchAtomic(buf, rec.res, c.To, c.At, c.Type, c.Op, ctx)
	case "fetch_atomicv":
		return ep.FetchAtomicV(iov, res, c.To, c.At, c.Type, c.Op, ctx)
	case "fetch_atomicmsg":
		return ep.FetchAtomicMsg(&am, res, c.Flags)
	case "compare_atomic":
		return ep.CompareAtomic(buf, rec.cmp, rec.res, c.To, c.At, c.Type, c.Op, ctx)
	case "compare_atomicv":
		return ep.CompareAtomicV(iov, cmp, res, c.To, c.At, c.Type, c.Op, ctx)
	case "compare_atomicmsg":
		return ep.CompareAtomicMsg(&am, cmp, res, c.Flags)
	}
	return fmt.Errorf("no call %q", c.Form)
}
