package session

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// openEndpoints opens and enables the endpoints; the first is the one that sends and receives.
func (s *Session) openEndpoints() error {
	info := s.active
	for i := range max(1, s.need.Endpoints) {
		if i == 1 && !s.Connected() {
			var err error
			if info, err = s.Anywhere(); err != nil {
				return err
			}
		}
		if err := s.OpenEndpoint(info); err != nil {
			return err
		}
	}
	s.EP = s.EPs[0]
	sizes := s.EP.InjectSizes()
	offered := sizes.Msg
	if s.tagged {
		offered = sizes.Tagged
	}
	s.inject = s.limitInject(offered)
	return nil
}

// Anywhere is an info like ours at an address of the provider's choice: one endpoint only can be where peers look.
func (s *Session) Anywhere() (*fi.Info, error) {
	o := s.Opt
	h := Hints(o, s.need)
	h.Fabric.ProvName, h.Domain.Name, h.Fabric.Name = s.Info.Fabric.ProvName, s.Info.Domain.Name, s.Info.Fabric.Name
	var opts []fabric.Option
	if o.SrcAddr != "" {
		opts = append(opts, fabric.WithNode(o.SrcAddr, ""), fabric.WithFlags(fi.InfoSource))
	}
	infos, err := fabric.GetInfo(s.env.Ctx, h, opts...)
	if err != nil {
		return nil, NotOffered(fail.Call("fi_getinfo", err), o)
	}
	return infos[0], nil
}

// OpenEndpoint opens and enables another endpoint.
func (s *Session) OpenEndpoint(info *fi.Info) error {
	ep, err := s.Domain.OpenEndpoint(info)
	if err != nil {
		return fail.Call("fi_endpoint", err)
	}
	s.EPs = append(s.EPs, ep)
	if err := s.bind(ep); err != nil {
		return fail.Call("fi_ep_bind", err)
	}
	if n := s.Opt.MaxMsgSize; n > 0 {
		if err = ep.SetMaxSizes(fabric.Sizes{Msg: uint64(n)}); err != nil {
			return fail.Call("fi_setopt", err)
		}
	}
	if err = ep.Enable(); err != nil {
		err = fail.Call("fi_enable", err)
		if errors.Is(err, fi.ErrAddrInUse) {
			err = &fail.Hint{Err: err, Next: fmt.Sprintf("another -B than %s, and the same with -P at the client", s.Opt.SrcPort)}
		}
	}
	return err
}

// bind gives an endpoint its queues and whatever else it works with.
func (s *Session) bind(ep *fabric.Endpoint) error {
	var errs []error
	if s.AV != nil {
		errs = append(errs, ep.BindAV(s.AV))
	}
	if s.EQ != nil {
		errs = append(errs, ep.BindEQ(s.EQ))
	}
	if s.SRX != nil {
		errs = append(errs, ep.BindSharedRx(s.SRX))
	}
	if s.STX != nil {
		errs = append(errs, ep.BindSharedTx(s.STX))
	}
	switch {
	case s.oneCQ:
		errs = append(errs, ep.BindCQ(s.TxCQ, fi.BindTransmit|fi.BindRecv))
	case s.TxCQ != nil:
		errs = append(errs, ep.BindCQ(s.TxCQ, fi.BindTransmit), ep.BindCQ(s.RxCQ, fi.BindRecv))
	default:
		errs = append(errs, ep.BindCounter(s.TxCntr, fi.CountSend|fi.CountRead|fi.CountWrite), ep.BindCounter(s.RxCntr, fi.CountRecv))
	}
	if s.RMA != nil {
		errs = append(errs, ep.BindCounter(s.RMA, fi.CountRemoteRead|fi.CountRemoteWrite))
	}
	return errors.Join(errs...)
}

func (s *Session) limitInject(offered uint64) int {
	n := int(min(offered, 1<<30))
	if s.Opt.InjectSize >= 0 {
		n = min(n, s.Opt.InjectSize)
	}
	return n
}
