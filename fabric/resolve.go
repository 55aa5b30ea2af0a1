package fabric

import "github.com/gofabric/gofabric/fi"

// resolve chooses the operations and the flags that each call gets, once.
func (ep *Endpoint) resolve() {
	c := ep.core
	caps := c.info.Caps
	var none stubs
	ep.msg, ep.tagged, ep.rma, ep.atomic, ep.coll = none, none, none, none, none
	if c.ops.Msg != nil && caps&fi.CapMsg != 0 {
		ep.msg = c.ops.Msg
	}
	if c.ops.Tagged != nil && caps&fi.CapTagged != 0 {
		ep.tagged = c.ops.Tagged
	}
	if c.ops.RMA != nil && caps&fi.CapRMA != 0 {
		ep.rma = c.ops.RMA
	}
	if c.ops.Atomic != nil && caps&fi.CapAtomic != 0 {
		ep.atomic = c.ops.Atomic
	}
	if c.ops.Coll != nil && caps&fi.CapCollective != 0 {
		ep.coll = c.ops.Coll
		if c.ops.Tagged != nil && caps&fi.CapTagged != 0 {
			ep.tagged = tagGuard{c.ops.Tagged}
		}
	}
	ep.txFlags, ep.rxFlags = ep.tx, ep.rx
	ep.txMsg, ep.rxMsg, ep.txNot, ep.rxNot = 0, 0, 0, 0
	if c.txCQ != nil && !c.txSel {
		ep.txFlags |= fi.OpCompletion
		ep.txMsg = fi.OpCompletion
	}
	if c.rxCQ != nil && !c.rxSel {
		ep.rxFlags |= fi.OpCompletion
		ep.rxMsg = fi.OpCompletion
	}
	if c.txCQ == nil {
		ep.txNot = fi.OpCompletion
	}
	if c.rxCQ == nil {
		ep.rxNot = fi.OpCompletion
	}
	ep.txFlags &^= ep.txNot
	ep.rxFlags &^= ep.rxNot
	ep.triggering()
}

// disable makes every operation return err.
func (ep *Endpoint) disable(err fi.Errno) {
	s := stubs{err: err}
	ep.msg, ep.tagged, ep.rma, ep.atomic, ep.coll = s, s, s, s, s
}
