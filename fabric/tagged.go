package fabric

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// TSend sends buf to a peer with a tag (fi_tsend). What nil and the completion say is said at [Endpoint.Send]: one of the
// completion and the endpoint's Close is to come before the process ends.
//
// Ownership: buf belongs to the operation until its completion.
// Errors: as Send.
func (ep *Endpoint) TSend(buf []byte, to fi.Addr, tag uint64, ctx any) error {
	return ep.tagged.TSend(buf, to, tag, 0, ctx, ep.txFlags)
}

// TSendV sends the bytes of several buffers as one tagged message (fi_tsendv).
//
// Ownership and errors: as SendV.
func (ep *Endpoint) TSendV(iov [][]byte, to fi.Addr, tag uint64, ctx any) error {
	return ep.tagged.TSendMsg(&fi.TaggedMsg{Iov: iov, Addr: to, Tag: tag, Context: ctx}, ep.txFlags)
}

// TSendMsg sends a tagged message of the general form, with flags of its own (fi_tsendmsg); fi.OpMatchComplete delays
// the completion until a receive has matched: MPI's synchronous send.
//
// Ownership and errors: as SendMsg.
func (ep *Endpoint) TSendMsg(m *fi.TaggedMsg, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if flags&^sendFlags != 0 {
		return ep.trigger(taggedWork(driver.WorkTSend, m), flags, sendFlags)
	}
	return ep.tagged.TSendMsg(m, (flags|ep.txMsg)&^ep.txNot)
}

// TInject sends buf with a tag and without a completion (fi_tinject). Nil says what it says of [Endpoint.Inject]: close
// the endpoint before the process ends.
//
// Ownership and errors: as Inject.
func (ep *Endpoint) TInject(buf []byte, to fi.Addr, tag uint64) error {
	return ep.tagged.TSend(buf, to, tag, 0, nil, fi.OpInject)
}

// TSendData is TSend with data that the peer's completion shows (fi_tsenddata).
//
// Ownership and errors: as Send.
func (ep *Endpoint) TSendData(buf []byte, data uint64, to fi.Addr, tag uint64, ctx any) error {
	return ep.tagged.TSend(buf, to, tag, data, ctx, ep.txFlags|fi.OpRemoteCQData)
}

// TInjectData is TInject with data that the peer's completion shows (fi_tinjectdata).
//
// Ownership and errors: as Inject.
func (ep *Endpoint) TInjectData(buf []byte, data uint64, to fi.Addr, tag uint64) error {
	return ep.tagged.TSend(buf, to, tag, data, nil, fi.OpInject|fi.OpRemoteCQData)
}

// TRecv posts a buffer for one tagged message (fi_trecv): the oldest that matches gets the first message whose tag
// equals tag in all bits that are not set in ignore. from is fi.AddrUnspec, or with FI_TAGGED_DIRECTED_RECV (or
// FI_DIRECTED_RECV) the only sender that is wanted.
//
// Ownership and errors: as Recv.
func (ep *Endpoint) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any) error {
	return ep.tagged.TRecv(buf, from, tag, ignore, ctx, ep.rxFlags)
}

// TRecvV posts several buffers for one tagged message (fi_trecvv).
//
// Ownership and errors: as RecvV.
func (ep *Endpoint) TRecvV(iov [][]byte, from fi.Addr, tag, ignore uint64, ctx any) error {
	return ep.tagged.TRecvMsg(&fi.TaggedMsg{Iov: iov, Addr: from, Tag: tag, Ignore: ignore, Context: ctx}, ep.rxFlags)
}

// TRecvMsg posts a tagged receive of the general form (fi_trecvmsg), or looks at messages that no receive has matched:
//
//   - fi.OpPeek: a completion with the length, tag, data and sender of the first that matches; an error completion with
//     fi.ErrNoMsg when there is none.
//   - fi.OpPeek|fi.OpClaim: the same, and the message is kept for a later call with the same Context.
//   - fi.OpClaim: receives the message that was claimed with this Context.
//   - with fi.OpDiscard: the message peeked or claimed is dropped.
//
// Ownership: as RecvV; a peek needs no buffer.
// Errors: as RecvMsg; fi.ErrNoMsg when nothing was claimed with this Context.
func (ep *Endpoint) TRecvMsg(m *fi.TaggedMsg, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if flags&^(recvFlags|fi.OpPeek|fi.OpClaim|fi.OpDiscard) != 0 {
		return ep.trigger(taggedWork(driver.WorkTRecv, m), flags, recvFlags)
	}
	return ep.tagged.TRecvMsg(m, (flags|ep.rxMsg)&^ep.rxNot)
}
