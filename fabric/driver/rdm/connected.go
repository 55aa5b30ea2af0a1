package rdm

import "github.com/gofabric/gofabric/fi"

// onlyPeer is what an endpoint with one peer has no use for.
const onlyPeer = fi.CapDirectedRecv | fi.CapTaggedDirectedRecv | fi.CapExactDirectedRecv | fi.CapAVUserID |
	fi.CapSource | fi.CapSourceErr | fi.CapNamedRxCtx | fi.CapSharedAV | fi.CapCollective

// Connected gives what a provider can do on a connection (FI_EP_MSG), made of what it offers for datagrams; without are
// capabilities that it has not there, beside those that are of no use with one peer.
func Connected(o *fi.Info, without fi.Caps) *fi.Info {
	i := o.Clone()
	i.EP.Type = fi.EPMsg
	i.Domain.MaxGroupID = 0
	i.Domain.MaxEPAuthKey = min(i.Domain.MaxEPAuthKey, 1) // there is no vector that could have more
	i.Domain.MaxEPTxCtx, i.Domain.MaxEPRxCtx = 1, 1
	for _, c := range []*fi.Caps{&i.Caps, &i.Tx.Caps, &i.Rx.Caps, &i.Domain.Caps} {
		*c &^= onlyPeer | without
	}
	return i
}

// ConnRx posts the receives of a connected endpoint that has its own. After each that was posted it calls the provider,
// which ends those that came too late ([Endpoint.CancelReceives]).
type ConnRx struct {
	rx     *Rx
	posted func()
}

// NewConnRx makes one; posted is called without the lock.
func NewConnRx(rx *Rx, posted func()) ConnRx { return ConnRx{rx, posted} }

func (c ConnRx) after(err error) error {
	if err == nil {
		c.posted()
	}
	return err
}

// Recv is [Rx.Recv].
func (c ConnRx) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	return c.after(c.rx.Recv(buf, from, ctx, fl))
}

// RecvMsg is [Rx.RecvMsg].
func (c ConnRx) RecvMsg(m *fi.Msg, fl fi.OpFlags) error { return c.after(c.rx.RecvMsg(m, fl)) }

// TRecv is [Rx.TRecv].
func (c ConnRx) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error {
	return c.after(c.rx.TRecv(buf, from, tag, ignore, ctx, fl))
}

// TRecvMsg is [Rx.TRecvMsg].
func (c ConnRx) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error { return c.after(c.rx.TRecvMsg(m, fl)) }
