package fabric

import (
	"fmt"
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
)

// half says which context of a scalable endpoint an endpoint is.
type half struct {
	s  *ScalableEndpoint
	at int
	rx bool

	gone atomic.Bool // closed, though the provider's endpoint may go on for the other half
}

// The capabilities and the bindings of the two directions.
const (
	txModifiers = fi.CapSend | fi.CapRead | fi.CapWrite
	rxModifiers = fi.CapRecv | fi.CapRemoteRead | fi.CapRemoteWrite
	txCounts    = fi.CountSend | fi.CountRead | fi.CountWrite
	rxCounts    = fi.CountRecv | fi.CountRemoteRead | fi.CountRemoteWrite
)

// TxContext opens transmit context i, from 0 (fi_tx_context): an endpoint that sends, reads and writes. A nil attr gives what
// the scalable endpoint's Info says. Bind its queue and counters, and enable it.
//
// Errors: fi.ErrInvalid for an index out of range, a context that is open or was, one whose receive context has been closed
// before this one was opened, and an attr that asks for more than the Info has; fi.ErrBadFD after Close.
func (s *ScalableEndpoint) TxContext(i int, attr *fi.TxAttr) (*Endpoint, error) {
	info := s.info.Clone()
	if attr != nil {
		info.Tx = *attr
	}
	return s.openHalf("tx_context", &half{s: s, at: i}, info, s.info.EP.TxCtxCount, txModifiers)
}

// RxContext opens receive context i, from 0 (fi_rx_context): an endpoint that receives. Remote accesses to the memory of the
// domain are the first one's matter. A nil attr gives what the scalable endpoint's Info says.
//
// Errors: as TxContext.
func (s *ScalableEndpoint) RxContext(i int, attr *fi.RxAttr) (*Endpoint, error) {
	info := s.info.Clone()
	if attr != nil {
		info.Rx = *attr
	}
	return s.openHalf("rx_context", &half{s: s, at: i, rx: true}, info, s.info.EP.RxCtxCount, rxModifiers)
}

func (s *ScalableEndpoint) openHalf(op string, h *half, info *fi.Info, count int, modifiers fi.Caps) (*Endpoint, error) {
	if mods := info.Caps & fi.ModifierCaps; mods == 0 {
		info.Caps |= modifiers
	} else if info.Caps &^= fi.ModifierCaps &^ modifiers; info.Caps&fi.ModifierCaps == 0 {
		return nil, s.fail(op, fi.ErrInvalid, "the endpoint has no such direction: its caps have only "+mods.String())
	}
	if h.at < 0 || h.at >= count {
		return nil, s.fail(op, fi.ErrInvalid, fmt.Sprintf("there is no context %d: the endpoint has %d, by the Info that it was opened with", h.at, count))
	}
	if why := s.domain.beyond(info); why != "" {
		return nil, s.fail(op, fi.ErrInvalid, why+": give less than the endpoint's Info says, or nil")
	}
	c := &epCore{domain: s.domain, info: info, half: h}
	c.setLimits(info)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch mine := s.lanes[h.at].half(h.rx); {
	case s.closed:
		return nil, s.fail(op, fi.ErrBadFD, closedHint("sep"))
	case *mine != nil:
		return nil, s.fail(op, fi.ErrInvalid, fmt.Sprintf("context %d is open: a scalable endpoint has it once in its life", h.at))
	case s.ready && s.lanes[h.at].drv == nil:
		return nil, s.fail(op, fi.ErrInvalid, fmt.Sprintf("the other context %d was the only one of its number when it was closed, and that was the end of both: open a pair before one is closed", h.at))
	default:
		*mine = c
	}
	c.initLocked("ep", s.prov, &s.object)
	s.domain.totals.add(c)
	ep := &Endpoint{core: c, tx: info.Tx.OpFlags, rx: info.Rx.OpFlags}
	ep.disable(fi.ErrOpBadState)
	c.views = append(c.views, ep)
	return ep, nil
}

// half is where a lane has a context.
func (l *lane) half(rx bool) **epCore {
	if rx {
		return &l.rx
	}
	return &l.tx
}

// refuses tells what a context cannot be bound to; "" for nothing.
func (h *half) refuses(b fi.BindFlags, counts fi.CountFlags) string {
	switch {
	case h == nil:
		return ""
	case h.rx && (b&fi.BindTransmit != 0 || counts&txCounts != 0):
		return "a receive context does not transmit: bind what is to report that to a transmit context"
	case !h.rx && (b&fi.BindRecv != 0 || counts&rxCounts != 0):
		return "a transmit context does not receive: bind what is to report that to a receive context"
	}
	return ""
}

// enable is the Enable of a context: it works now, or as soon as the scalable endpoint is enabled, too.
func (h *half) enable(c *epCore) error {
	h.s.mu.Lock() // before c.mu
	defer h.s.mu.Unlock()
	c.mu.Lock()
	err := c.complete()
	if err == nil {
		c.enabled = true
	}
	c.mu.Unlock()
	if err == nil && h.s.ready {
		h.s.start(h.at)
	}
	return err
}

// start makes those contexts of a number work that have been enabled and do not work yet. The caller holds s.mu.
func (s *ScalableEndpoint) start(at int) {
	l := &s.lanes[at]
	if l.drv == nil {
		return
	}
	for _, c := range []*epCore{l.tx, l.rx} {
		if c == nil {
			continue
		}
		c.mu.Lock()
		if c.enabled && !c.closed && c.drv == nil {
			l.bind(c)
			l.drv.Rebind(&l.b)
			c.drv, c.av = l.drv, s.av
			ops := l.ops
			if c.half.rx {
				ops.RMA, ops.Atomic = nil, nil
			}
			byName(&ops, &s.av.ctx, &c.half.gone)
			c.work(ops)
		}
		c.mu.Unlock()
	}
}

// bind adds what a context is bound to. The caller holds c.mu.
func (l *lane) bind(c *epCore) {
	if b := &c.b; c.half.rx {
		l.b.RxCQ, l.b.CntRecv, l.b.CntRemoteRead, l.b.CntRemoteWrite = b.RxCQ, b.CntRecv, b.CntRemoteRead, b.CntRemoteWrite
	} else {
		l.b.TxCQ, l.b.CntSend, l.b.CntRead, l.b.CntWrite = b.TxCQ, b.CntSend, b.CntRead, b.CntWrite
		l.b.Max, l.b.Inject = b.Max, b.Inject
	}
}

// close is the Close of a context, which is marked as closed: the provider's endpoint ends with the last of its contexts,
// and they let go of their queues then.
func (h *half) close(c *epCore) error {
	s := h.s
	h.gone.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &s.lanes[h.at]
	for _, other := range []*epCore{l.tx, l.rx} {
		if other != nil && other.open("close") == nil {
			return nil
		}
	}
	var err error
	if l.drv != nil {
		err = l.drv.Close()
		l.drv = nil
	}
	for _, c := range []*epCore{l.tx, l.rx} {
		if c != nil {
			c.release()
			c.domain.totals.drop(c)
		}
	}
	return err
}
