package skeleton

import (
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// ops are the endpoint's operations. They take the lock themselves.
type ops struct{ e *endpoint }

// Recv and RecvMsg are rdm's: it keeps what is posted, and matches what arrives.
func (o ops) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	return o.e.Rx.Recv(buf, from, ctx, fl)
}

func (o ops) RecvMsg(m *fi.Msg, fl fi.OpFlags) error { return o.e.Rx.RecvMsg(m, fl) }

// SendMsg is missing: it is Send with flags of its own and up to Tx.IovLimit buffers.
func (o ops) SendMsg(*fi.Msg, fi.OpFlags) error { return fi.ErrNoSys }

// Send moves a message at once.
func (o ops) Send(buf []byte, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	e := o.e
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	raw, known := e.AV.Lookup(to)
	switch {
	case e.closed:
		return fi.ErrBadFD
	case !known:
		return fi.ErrInvalid
	case uint64(len(buf)) > e.Max.Msg, fl&fi.OpInject != 0 && uint64(len(buf)) > e.Inject.Msg:
		return fi.ErrMsgSize
	case !e.Reserve(fl): // a place for the completion
		return fi.ErrAgain
	}
	target := e.d.p.byName[string(raw)]
	if target == nil { // an error that comes later is a completion, not a result
		e.TxFail(ctx, fl, rdm.KindSend, len(buf), 0, fi.ErrConnRefused, "no endpoint of this process has the address")
		return nil
	}
	a := rdm.Arrival{Len: len(buf), Payload: buf}
	if fl&fi.OpRemoteCQData != 0 {
		a.Data, a.Flags = data, fi.CompRemoteCQData
	}
	target.sender(e).Arrive(&a) // copies the bytes into a receive, or keeps them
	e.TxDone(ctx, fl, rdm.KindSend, len(buf), 0)
	return nil
}

// peer is an endpoint that sends to us. Its methods are what rdm asks of a sender; messages that come whole, and whose
// senders want no answer, need none of them.
type peer struct{ rdm.Peer }

// sender gives our view of an endpoint that sends to us.
func (e *endpoint) sender(from *endpoint) *peer {
	p := e.senders[from]
	if p == nil {
		p = &peer{}
		p.EP, p.Raw, p.Wire, p.Addr = &e.Endpoint, from.name, p, e.AV.Reverse(from.name)
		e.senders[from] = p
	}
	return p
}

// Ack is for senders that want to hear that a message is matched: fi.OpDeliveryComplete, which is missing.
func (p *peer) Ack(uint64) {}

// Fetch and Discard are for messages that are announced, and whose bytes come later.
func (p *peer) Fetch(t *rdm.Transfer)   { t.EP.Finish(t, fi.ErrNoSys, "nothing is announced here") }
func (p *peer) Discard(token [3]uint64) {}

// Hold and Tail keep a sender from filling our memory.
func (p *peer) Hold(bool) {}
func (p *peer) Tail() int { return 1 << 30 }
