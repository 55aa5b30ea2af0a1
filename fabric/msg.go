package fabric

import "github.com/gofabric/gofabric/fi"

// Send sends buf to a peer (fi_send). A connected endpoint has one and ignores to.
//
// Nil says that the message was accepted. Its completion says that buf may be used again and that the message is out of
// the process's hands (FI_INJECT_COMPLETE, or more); that the peer has it says one with fi.OpTransmitComplete or
// fi.OpDeliveryComplete, in Tx.OpFlags of the Info that the endpoint is opened with, or in a call of SendMsg. A process
// that ends before the completion loses the message without a word: read the completion, or close the endpoint, which
// sends what was accepted.
//
// Ownership: buf belongs to the operation until its completion.
// Errors: fi.ErrAgain (progress and try again), fi.ErrInvalid (no such peer), fi.ErrMsgSize, fi.ErrNoSys,
// fi.ErrOpBadState, on a connected endpoint fi.ErrNotConn before there is a connection and fi.ErrShutdown when it has
// ended; bare numbers, for which Explain has the words.
func (ep *Endpoint) Send(buf []byte, to fi.Addr, ctx any) error {
	return ep.msg.Send(buf, to, 0, ctx, ep.txFlags)
}

// SendV sends the bytes of several buffers as one message (fi_sendv). At most the Info's Tx.IovLimit buffers.
//
// Ownership: the buffers belong to the operation until its completion, the slice iov only until the call returns.
// Errors: as Send; fi.ErrInvalid for too many buffers.
func (ep *Endpoint) SendV(iov [][]byte, to fi.Addr, ctx any) error {
	return ep.msg.SendMsg(&fi.Msg{Iov: iov, Addr: to, Context: ctx}, ep.txFlags)
}

// SendMsg sends a message of the general form, with flags of its own instead of the endpoint's defaults (fi_sendmsg).
//
// Ownership: as SendV; m may be reused when the call returns. To allocate nothing, use one Msg again and again.
// Errors: as SendV; fi.ErrBadFlags for flags that it does not have. fi.OpMulticast, which says that m.Addr is that of a group,
// needs FI_MULTICAST.
func (ep *Endpoint) SendMsg(m *fi.Msg, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if extra := flags &^ sendFlags; extra != 0 && (extra != fi.OpMulticast || !ep.mayCast()) {
		return ep.trigger(sendWork(m), flags, sendFlags)
	}
	return ep.msg.SendMsg(m, (flags|ep.txMsg)&^ep.txNot)
}

// Inject sends buf without a completion (fi_inject). At most the Info's Tx.InjectSize bytes.
//
// Nil says that the message was accepted and buf copied, not that it is sent. A process that ends at once loses it without
// a word: close the endpoint before, or wait for an answer.
//
// Ownership: buf is the caller's again when the call returns.
// Errors: as Send; fi.ErrMsgSize when buf is too long.
func (ep *Endpoint) Inject(buf []byte, to fi.Addr) error {
	return ep.msg.Send(buf, to, 0, nil, fi.OpInject)
}

// SendData is Send with data that the peer's completion shows (fi_senddata).
//
// Ownership and errors: as Send.
func (ep *Endpoint) SendData(buf []byte, data uint64, to fi.Addr, ctx any) error {
	return ep.msg.Send(buf, to, data, ctx, ep.txFlags|fi.OpRemoteCQData)
}

// InjectData is Inject with data that the peer's completion shows (fi_injectdata).
//
// Ownership and errors: as Inject.
func (ep *Endpoint) InjectData(buf []byte, data uint64, to fi.Addr) error {
	return ep.msg.Send(buf, to, data, nil, fi.OpInject|fi.OpRemoteCQData)
}

// Recv posts a buffer for one message (fi_recv). from is fi.AddrUnspec, or with FI_DIRECTED_RECV the only sender that is
// wanted. A longer message completes with fi.ErrTruncated. A nil buffer receives messages of no bytes. On a connected
// endpoint receives may be posted before there is a connection; when it has ended one that finds no message completes with
// fi.ErrCanceled.
//
// Ownership: buf belongs to the operation until its completion.
// Errors: fi.ErrInvalid (no such peer; fi.AddrUnspec with FI_EXACT_DIRECTED_RECV), fi.ErrNoSys, fi.ErrOpBadState;
// fi.ErrOpNotSupp on an endpoint with a shared receive context.
func (ep *Endpoint) Recv(buf []byte, from fi.Addr, ctx any) error {
	return ep.msg.Recv(buf, from, ctx, ep.rxFlags)
}

// RecvV posts several buffers for one message, filled in order (fi_recvv). At most the Info's Rx.IovLimit buffers.
//
// Ownership: the buffers belong to the operation until its completion, the slice iov only until the call returns.
// Errors: as Recv; fi.ErrInvalid for too many buffers.
func (ep *Endpoint) RecvV(iov [][]byte, from fi.Addr, ctx any) error {
	return ep.msg.RecvMsg(&fi.Msg{Iov: iov, Addr: from, Context: ctx}, ep.rxFlags)
}

// RecvMsg posts a receive of the general form (fi_recvmsg). fi.OpMultiRecv makes the buffer take messages until fewer
// than MinMultiRecv bytes are left; the completion that gives it back has fi.CompMultiRecv.
//
// Ownership: as RecvV; m may be reused when the call returns.
// Errors: as RecvV; fi.ErrBadFlags for flags that it does not have.
func (ep *Endpoint) RecvMsg(m *fi.Msg, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if flags&^recvFlags != 0 {
		return ep.trigger(recvWork(m), flags, recvFlags)
	}
	return ep.msg.RecvMsg(m, (flags|ep.rxMsg)&^ep.rxNot)
}

const (
	levels    = fi.OpInjectComplete | fi.OpTransmitComplete | fi.OpDeliveryComplete | fi.OpMatchComplete
	sendFlags = fi.OpRemoteCQData | fi.OpCompletion | fi.OpMore | fi.OpInject | fi.OpFence | levels
	recvFlags = fi.OpCompletion | fi.OpMore | fi.OpMultiRecv | fi.OpTransmitComplete
)
