package udp

import (
	"net/netip"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/inet"
	"github.com/gofabric/gofabric/internal/lock"
)

// endpoint is a socket and its receives. The domain's lock guards it from Enable on.
type endpoint struct {
	rdm.Endpoint
	known
	d       *domain
	mu      *lock.Lock     // the domain's
	want    netip.AddrPort // where to bind
	name    netip.AddrPort // where peers find it
	wild    bool           // it is bound to all addresses of this host
	sock    *sock
	enabled atomic.Bool
	closed  bool

	dests  []*dest  // by index in the vector
	groups []*group // that were joined
	from   rdm.Peer // whoever has sent the datagram at hand: nothing is kept of senders
	maxMsg int
	inject int
}

func newEndpoint(d *domain, info *fi.Info) (*endpoint, error) {
	e := &endpoint{d: d, mu: d.eng.Mutex()}
	e.byKey, e.lastID = make(map[key]fi.Addr), fi.AddrNotAvail
	var err error
	if e.want, err = ip.Home(info, d.cfg.iface); err != nil {
		return nil, err
	}
	e.Info = info
	e.Rx = rdm.NewRx(d.eng, info)
	return e, nil
}

// SetName chooses where to bind.
func (e *endpoint) SetName(raw []byte) error {
	a, err := ip.CheckAddr(raw)
	if err != nil {
		return err
	}
	e.want = a
	return nil
}

// Name is the socket's address.
func (e *endpoint) Name() ([]byte, error) {
	if !e.enabled.Load() {
		return nil, fi.ErrOpBadState
	}
	return inet.Raw(e.name), nil
}

// Enable opens the socket.
func (e *endpoint) Enable(b *driver.Bindings) (driver.Ops, error) {
	s := &sock{e: e}
	at, err := s.open(e.want, e.d.cfg.soft, e.d.src)
	if err != nil {
		return driver.Ops{}, cannotBind("enable", e.want, err)
	}
	if at = inet.Canonical(at); at.Addr().IsUnspecified() {
		e.wild = true
		at = netip.AddrPortFrom(ip.AddressOf(at.Addr(), e.Info.Domain.Name, e.d.cfg.iface), at.Port())
	}
	e.d.eng.Lock()
	e.Init(e.d.eng, e.Info, e.d.regions, b)
	e.name, e.sock = at, s
	e.maxMsg, e.inject = int(b.Max.Msg), int(b.Inject.Msg)
	e.from = rdm.Peer{EP: &e.Endpoint, Addr: fi.AddrNotAvail}
	err = e.d.src.add(s)
	e.d.eng.Unlock()
	if err != nil {
		s.close()
		return driver.Ops{}, cannotBind("enable", e.want, err)
	}
	e.enabled.Store(true)
	e.AV.Watch(e)
	e.recogniseAll()
	return driver.Ops{Msg: &ops{e: e, rx: e.Rx, src: e.d.src}}, nil
}

func cannotBind(op string, at netip.AddrPort, err error) error {
	out := &fi.Error{Op: op, Provider: Name, Object: at.String(), Err: fi.FromSyscall(err), Hint: inet.Reason(err)}
	if out.Err == fi.ErrAddrInUse {
		out.Hint = "another socket has this port: choose another one, or 0"
	}
	return out
}

// Cancel ends a posted receive; sends have ended when they return.
func (e *endpoint) Cancel(ctx any) error { return e.Rx.Cancel(ctx) }

// SetMinMultiRecv sets when a multi-receive buffer ends.
func (e *endpoint) SetMinMultiRecv(n int) error { return e.Rx.SetMinMultiRecv(n) }

// MinMultiRecv gives what SetMinMultiRecv set.
func (e *endpoint) MinMultiRecv() int { return e.Rx.MinMultiRecv() }

// Close ends receives with fi.ErrCanceled and closes the socket. What was sent has left.
func (e *endpoint) Close() error {
	if !e.enabled.Load() {
		return nil
	}
	e.AV.Unwatch(e)
	e.d.eng.Lock()
	e.closed = true
	e.Drain()
	e.d.src.remove(e.sock)
	e.d.eng.Unlock()
	e.sock.close()
	return nil
}
