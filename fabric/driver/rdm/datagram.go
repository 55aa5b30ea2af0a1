package rdm

import "github.com/gofabric/gofabric/fi"

// Unserved are flags that a datagram cannot have: nobody tells that it has come.
const Unserved = fi.OpDeliveryComplete | fi.OpMatchComplete

// Lossy is the [Wire] of peers that send datagrams: nobody tells them anything, and what is more than the budget is dropped.
type Lossy struct{}

// Ack does nothing.
func (Lossy) Ack(uint64) {}

// Discard does nothing.
func (Lossy) Discard([3]uint64) {}

// Hold does nothing.
func (Lossy) Hold(bool) {}

// Fetch does nothing: a provider whose peers are lossy lets none of them announce.
func (Lossy) Fetch(*Transfer) {}

// Tail is 0.
func (Lossy) Tail() int { return 0 }

// Datagram gives what a provider can do with unreliable datagrams (FI_EP_DGRAM) of at most size bytes, made of what it
// offers for reliable ones: messages, tagged or not, in no order that is promised.
func Datagram(o *fi.Info, size uint64) *fi.Info {
	const remote = fi.CapRMA | fi.CapAtomic | fi.CapRead | fi.CapWrite | fi.CapRemoteRead | fi.CapRemoteWrite | fi.CapRMAEvent |
		fi.CapFence | fi.CapNamedRxCtx | fi.CapCollective
	i := o.Clone()
	i.EP.Type = fi.EPDgram
	i.EP.MaxMsgSize = size
	i.EP.MaxOrderRAWSize, i.EP.MaxOrderWARSize, i.EP.MaxOrderWAWSize = 0, 0, 0
	i.Tx.InjectSize = min(i.Tx.InjectSize, int(size))
	i.Tx.MsgOrder, i.Rx.MsgOrder, i.Tx.RMAIovLimit = 0, 0, 0
	i.Domain.MaxGroupID, i.Domain.MaxEPTxCtx, i.Domain.MaxEPRxCtx, i.Domain.MaxEPStxCtx = 0, 1, 1, 0
	for _, c := range []*fi.Caps{&i.Caps, &i.Tx.Caps, &i.Rx.Caps, &i.Domain.Caps} {
		*c &^= remote
	}
	return i
}
