package tcp

import (
	"context"
	"net"
	"net/netip"
	"runtime"
	"time"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/lock"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/mr"
)

// domain holds everything that its lock (its engine's) guards: endpoints, connections, regions.
type domain struct {
	cfg       *config
	info      *fi.Info
	eng       *driver.Engine
	src       *source
	regions   *mr.Table
	provKey   bool
	part      bool                    // of another provider's domain, which has the engine and the table of regions
	own       map[netip.Addr]struct{} // addresses of this host
	endpoints map[*endpoint]struct{}
	crowdedAt time.Time // when it was last told that connections cannot be taken
}

// newDomain makes a domain; w is what it is a part of, or nil.
func newDomain(c *config, info *fi.Info, log driver.Logger, w *driver.Whole) (*domain, error) {
	d := &domain{cfg: c, info: info, regions: mr.NewTable(), provKey: info.Domain.MRMode&fi.MRModeProvKey != 0,
		own: ownAddrs(), endpoints: make(map[*endpoint]struct{})}
	var err error
	if d.src, err = newSource(d); err != nil {
		return nil, &fi.Error{Op: "domain", Provider: Name, Err: fi.FromSyscall(err), Hint: reason(err)}
	}
	d.src.notes.Log = log
	if w != nil {
		d.part, d.eng, d.regions = true, w.Engine, w.Regions
		d.src.mu = d.eng.Mutex()
		return d, nil
	}
	var private func()
	if shmem.RegisterBarriers()&shmem.PrivateBarriers != 0 {
		private = shmem.PrivateBarrier
	}
	kind := lock.Spin
	if info.Domain.Threading == fi.ThreadDomain { // with manual progress, too: our goroutine serves handshakes
		kind = lock.Biased
	}
	mu := new(driver.Lock)
	mu.Init(kind, private)
	d.src.mu = mu
	d.eng = driver.NewEngineLock(mu, &info.Domain, d.src)
	return d, nil
}

func ownAddrs() map[netip.Addr]struct{} {
	m := make(map[netip.Addr]struct{})
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return m // peers of this host then look like others
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			m[p.Addr().Unmap()] = struct{}{}
		}
	}
	return m
}

// home is the address that an endpoint of info has: its own, or one of its interface.
func (c *config) home(info *fi.Info) (netip.AddrPort, error) { return ip.Home(info, c.iface) }

// address gives an address of an interface, of the family of like.
func (c *config) address(like netip.Addr, domain string) netip.Addr {
	return ip.AddressOf(like, domain, c.iface)
}

// Engine drives the domain.
func (d *domain) Engine() *driver.Engine { return d.eng }

// Source is what the engine of a whole polls.
func (d *domain) Source() driver.Source { return d.src }

// OpenEndpoint makes an endpoint.
func (d *domain) OpenEndpoint(info *fi.Info) (driver.Endpoint, error) {
	e, err := newEndpoint(d, info)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// OpenSharedRx makes a receive context for several endpoints.
func (d *domain) OpenSharedRx(info *fi.Info) (driver.SharedRx, error) {
	x := rdm.NewRx(d.eng, info)
	x.SetBudget(d.cfg.unexpected)
	return x, nil
}

// RegisterMR makes a region reachable.
func (d *domain) RegisterMR(r *mr.Region) error {
	if d.part {
		return nil
	}
	d.eng.Lock()
	defer d.eng.Unlock()
	if d.provKey {
		r.Key = d.regions.RandomKey()
	}
	return d.regions.Add(r)
}

// CloseMR ends access to a region; nothing reads or writes it any more when it returns.
func (d *domain) CloseMR(r *mr.Region) error {
	d.eng.Lock()
	defer d.eng.Unlock()
	d.regions.Kill(r)
	for i := 0; i < len(d.src.conns); i++ {
		c := d.src.conns[i]
		if c.release(r); c.state == connDead {
			i--
		}
	}
	return nil
}

// QueryAtomic says how an operation on a type is served.
func (d *domain) QueryAtomic(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (fi.AtomicAttr, error) {
	k, err := fiatomic.Lookup(kind, dt, op)
	if err != nil {
		return fi.AtomicAttr{}, err
	}
	return k.Attr(driver.MaxAtomicSize), nil
}

// Resolve gives the addresses of a node and a service, those of our family only.
func (d *domain) Resolve(ctx context.Context, node, service string, flags fi.InfoFlags) ([][]byte, error) {
	found, err := resolve(ctx, node, service, flags)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, a := range ofFormat(found, d.info.AddrFormat) {
		out = append(out, rawOf(a))
	}
	return out, nil
}

// CheckAddr gives the address at the beginning of a buffer.
func (d *domain) CheckAddr(raw []byte) ([]byte, error) {
	a, err := checkAddr(raw)
	if err != nil {
		return nil, err
	}
	return rawOf(a), nil
}

// FormatAddr gives an address as text.
func (d *domain) FormatAddr(raw []byte) string {
	a, err := checkAddr(raw)
	if err != nil {
		return ""
	}
	return fi.FormatAddr(d.info.AddrFormat, rawOf(a))
}

// Close ends the domain's goroutine and gives its descriptors back.
func (d *domain) Close() error {
	d.src.stopWatch()
	if !d.part {
		d.eng.Close()
	}
	d.src.close()
	d.src.notes.Flush()
	return nil
}

func yield() {
	osx.SchedYield()
	runtime.Gosched()
}
