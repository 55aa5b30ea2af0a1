package cpingpong

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// pingPong is one side of a run.
type pingPong struct {
	env    *scenario.Env
	opt    *options.Options
	ctl    control
	tagged bool

	info *fi.Info
	f    *fabric.Fabric
	d    *fabric.Domain
	q    *fabric.CQ
	av   *fabric.AV
	eq   *fabric.EQ
	pep  *fabric.PassiveEndpoint
	ep   *fabric.Endpoint
	mem  *fabric.MR // only where local buffers have to be registered
	peer fi.Addr

	transfer
}

// open finds the peer: what is left is to send.
func (p *pingPong) open() error {
	if p.opt.EPType == fi.EPMsg {
		if p.env.Client {
			return p.connect()
		}
		return p.accept()
	}
	return p.meetRDM()
}

// hints are what both kinds ask for.
func (p *pingPong) hints() *fi.Hints {
	return session.Hints(p.opt, session.Need{Caps: caps(p.opt)})
}

// getInfo chooses an interface. dest is the peer's address if that is known; else we offer the address at which the
// other side has reached us already.
func (p *pingPong) getInfo(dest []byte) error {
	h := p.hints()
	h.DestAddr = dest
	infos, err := fabric.GetInfo(p.env.Ctx, h)
	if err != nil {
		return session.NotOffered(fail.Call("fi_getinfo", err), p.opt)
	}
	p.info = infos[0]
	ip := p.ownIP()
	if dest != nil || ip == "" || p.info.AddrFormat != fi.AddrFormatSockaddrIn && p.info.AddrFormat != fi.AddrFormatSockaddr6 {
		return nil
	}
	if better, err := fabric.GetInfo(p.env.Ctx, h, fabric.WithNode(ip, "0"), fabric.WithFlags(fi.InfoSource)); err == nil {
		p.info = better[0]
	}
	return nil
}

// ownIP is our end of the control channel.
func (p *pingPong) ownIP() string {
	a, ok := p.ctl.LocalAddr().(*net.TCPAddr)
	if !ok {
		return ""
	}
	ip, _ := netip.AddrFromSlice(a.IP)
	return ip.Unmap().WithZone("").String()
}

func (p *pingPong) openDomain() (err error) {
	if p.f == nil {
		if p.f, err = fabric.Open(p.info); err != nil {
			return fail.Call("fi_fabric", err)
		}
	}
	if p.d, err = p.f.OpenDomain(p.info); err != nil {
		return fail.Call("fi_domain", err)
	}
	p.q, err = p.d.OpenCQ(&fi.CQAttr{Size: 64, WaitObj: fi.WaitNone, Format: fi.CQFormatTagged})
	return fail.Call("fi_cq_open", err)
}

func (p *pingPong) openEndpoint(bind func() error) (err error) {
	if p.ep, err = p.d.OpenEndpoint(p.info); err != nil {
		return fail.Call("fi_endpoint", err)
	}
	if err = p.ep.BindCQ(p.q, fi.BindTransmit|fi.BindRecv); err != nil {
		return fail.Call("fi_ep_bind", err)
	}
	if err = bind(); err != nil {
		return fail.Call("fi_ep_bind", err)
	}
	if err = p.ep.Enable(); err != nil {
		return fail.Call("fi_enable", err)
	}
	return p.allocate()
}

// meetRDM exchanges addresses: the server's first, so that the client can choose the interface that leads there.
func (p *pingPong) meetRDM() (err error) {
	var peer []byte
	if p.env.Client {
		if peer, _, err = p.ctl.recvName(); err != nil {
			return err
		}
	}
	if err = p.getInfo(peer); err != nil {
		return err
	}
	if err = p.openDomain(); err != nil {
		return err
	}
	if p.av, err = p.d.OpenAV(&fi.AVAttr{Type: fi.AVTable, Count: 1}); err != nil {
		return fail.Call("fi_av_open", err)
	}
	if err = p.openEndpoint(func() error { return p.ep.BindAV(p.av) }); err != nil {
		return err
	}
	own, err := p.ep.Name()
	if err != nil {
		return fail.Call("fi_getname", err)
	}
	if err = p.ctl.sendName(own, p.info.AddrFormat); err != nil {
		return err
	}
	if !p.env.Client {
		if peer, _, err = p.ctl.recvName(); err != nil {
			return err
		}
	}
	out := make([]fi.Addr, 1)
	if _, err = p.av.Insert([][]byte{peer}, out, 0); err != nil {
		return fail.Call("fi_av_insert", err)
	}
	p.peer = out[0]
	return nil
}

// connect is the client of a connected endpoint.
func (p *pingPong) connect() error {
	peer, _, err := p.ctl.recvName()
	if err != nil {
		return err
	}
	if err = p.getInfo(peer); err != nil {
		return err
	}
	if err = p.openDomain(); err != nil {
		return err
	}
	if p.eq, err = p.f.OpenEQ(nil); err != nil {
		return fail.Call("fi_eq_open", err)
	}
	if err = p.openEndpoint(func() error { return p.ep.BindEQ(p.eq) }); err != nil {
		return err
	}
	if err = p.ep.Connect(peer, nil); err != nil {
		return fail.Call("fi_connect", err)
	}
	_, err = p.event(fi.EventConnected)
	return err
}

// accept is the server.
func (p *pingPong) accept() (err error) {
	if err = p.getInfo(nil); err != nil {
		return err
	}
	if p.f, err = fabric.Open(p.info); err != nil {
		return fail.Call("fi_fabric", err)
	}
	if p.eq, err = p.f.OpenEQ(nil); err != nil {
		return fail.Call("fi_eq_open", err)
	}
	if p.pep, err = p.f.OpenPassive(p.info); err != nil {
		return fail.Call("fi_passive_ep", err)
	}
	if err = p.pep.BindEQ(p.eq); err != nil {
		return fail.Call("fi_pep_bind", err)
	}
	if err = p.pep.Listen(); err != nil {
		return fail.Call("fi_listen", err)
	}
	own, err := p.pep.Name()
	if err != nil {
		return fail.Call("fi_getname", err)
	}
	if err = p.ctl.sendName(own, p.info.AddrFormat); err != nil {
		return err
	}
	e, err := p.event(fi.EventConnReq)
	if err != nil {
		return err
	}
	p.info = e.Info
	if err = p.openDomain(); err != nil {
		return err
	}
	if err = p.openEndpoint(func() error { return p.ep.BindEQ(p.eq) }); err != nil {
		return err
	}
	if err = p.ep.Accept(nil); err != nil {
		return fail.Call("fi_accept", err)
	}
	_, err = p.event(fi.EventConnected)
	return err
}

// event waits for one of a connection.
func (p *pingPong) event(want fi.EQEvent) (e fi.EQEntry, err error) {
	ctx, stop := p.limited()
	defer stop()
	err = p.eq.SRead(ctx, &e, 0)
	switch {
	case errors.Is(err, fi.ErrAvail):
		bad := new(fi.EQErrEntry)
		if err = p.eq.ReadErr(bad); err == nil {
			err = bad
		}
		return e, fail.Call("fi_eq_readerr", err)
	case err != nil && context.Cause(p.ctl.Ctx) != nil:
		return e, context.Cause(p.ctl.Ctx)
	case err != nil:
		return e, fail.Call("fi_eq_sread", err)
	case e.Event != want:
		return e, fail.Call("fi_eq_sread", fmt.Errorf("%v instead of %v: %w", e.Event, want, fi.ErrOther))
	}
	return e, nil
}

func (p *pingPong) limited() (context.Context, context.CancelFunc) {
	if p.opt.Timeout == 0 {
		return context.WithCancel(p.ctl.Ctx)
	}
	return context.WithTimeout(p.ctl.Ctx, p.opt.Timeout)
}

// close closes everything that was opened.
func (p *pingPong) close() error {
	var errs []error
	try := func(open bool, close func() error) {
		if open {
			errs = append(errs, close())
		}
	}
	try(p.ep != nil, p.ep.Close)
	try(p.pep != nil, p.pep.Close)
	try(p.mem != nil, p.mem.Close)
	try(p.q != nil, p.q.Close)
	try(p.av != nil, p.av.Close)
	try(p.eq != nil, p.eq.Close)
	try(p.d != nil, p.d.Close)
	try(p.f != nil, p.f.Close)
	return fail.Call("fi_close", errors.Join(errs...))
}
