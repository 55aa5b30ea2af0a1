package fabric

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// SharedRx is a receive context that several endpoints share (what fi_srx_context makes, fi_endpoint(3)). Receives are
// posted on it; the completion goes to the queue of the endpoint at which the message arrived.
type SharedRx struct {
	object
	drv    driver.SharedRx
	domain *Domain
	flags  fi.OpFlags
	gone   atomic.Bool // closed, for calls that take no mutex
}

// OpenSharedRx makes a shared receive context for endpoints of info (fi_srx_context).
//
// Errors: as OpenEndpoint; fi.ErrNoSys where there are none.
func (d *Domain) OpenSharedRx(info *fi.Info) (*SharedRx, error) {
	if err := d.checkInfo("srx_context", info); err != nil {
		return nil, err
	}
	info = info.Clone()
	drv, err := d.drv.OpenSharedRx(info)
	if err != nil {
		return nil, d.fail("srx_context", err, "")
	}
	s := &SharedRx{drv: drv, domain: d, flags: info.Rx.OpFlags}
	s.init("srx", d.prov, &d.object)
	d.totals.add(s)
	return s, nil
}

// Recv posts a receive (fi_recv); see [Endpoint.Recv]. Whether its success is reported is the matter of the endpoint at
// which the message arrives.
func (s *SharedRx) Recv(buf []byte, from fi.Addr, ctx any) error {
	if s.gone.Load() {
		return fi.ErrBadFD
	}
	return s.drv.Recv(buf, from, ctx, s.flags)
}

// RecvMsg posts a receive of the general form (fi_recvmsg); see [Endpoint.RecvMsg].
func (s *SharedRx) RecvMsg(m *fi.Msg, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if flags&^recvFlags != 0 {
		return fi.ErrBadFlags
	}
	if s.gone.Load() {
		return fi.ErrBadFD
	}
	return s.drv.RecvMsg(m, flags)
}

// TRecv posts a tagged receive (fi_trecv); see [Endpoint.TRecv].
func (s *SharedRx) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any) error {
	if s.gone.Load() {
		return fi.ErrBadFD
	}
	return s.drv.TRecv(buf, from, tag, ignore, ctx, s.flags)
}

// TRecvMsg posts a tagged receive of the general form (fi_trecvmsg); see [Endpoint.TRecvMsg]. Peeks are not served
// (fi.ErrOpNotSupp): a shared context has no queue to report to.
func (s *SharedRx) TRecvMsg(m *fi.TaggedMsg, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if flags&^(recvFlags|fi.OpPeek|fi.OpClaim|fi.OpDiscard) != 0 {
		return fi.ErrBadFlags
	}
	if s.gone.Load() {
		return fi.ErrBadFD
	}
	return s.drv.TRecvMsg(m, flags)
}

// SetMinMultiRecv sets how many bytes must be left of a multi-receive buffer for it to take another message
// (FI_OPT_MIN_MULTI_RECV).
func (s *SharedRx) SetMinMultiRecv(n int) error {
	return s.fail("setopt", s.drv.SetMinMultiRecv(n), "")
}

// Cancel drops the oldest posted receive with that context (fi_cancel): it has no queue to complete on.
//
// Errors: fi.ErrNoEnt when there is none.
func (s *SharedRx) Cancel(ctx any) error { return s.fail("cancel", s.drv.Cancel(ctx), "") }

// Close releases the context; posted receives are dropped. fi.ErrBusy while endpoints use it.
func (s *SharedRx) Close() error {
	done, err := s.beginClose()
	if done || err != nil {
		return err
	}
	s.gone.Store(true)
	err = s.drv.Close()
	s.domain.totals.drop(s)
	s.endClose()
	return s.fail("srx_close", err, "")
}
