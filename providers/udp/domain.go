package udp

import (
	"context"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/inet"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/mr"
)

// domain is an interface. Its engine's lock guards endpoints and sockets.
type domain struct {
	cfg     config
	info    *fi.Info
	eng     *driver.Engine
	src     *source
	regions *mr.Table
	provKey bool
}

func newDomain(c config, info *fi.Info) (*domain, error) {
	d := &domain{cfg: c, info: info, regions: mr.NewTable(), provKey: info.Domain.MRMode&fi.MRModeProvKey != 0}
	var err error
	if d.src, err = newSource(c.soft); err != nil {
		return nil, &fi.Error{Op: "domain", Provider: Name, Err: fi.FromSyscall(err), Hint: inet.Reason(err)}
	}
	var private func()
	if shmem.RegisterBarriers()&shmem.PrivateBarriers != 0 {
		private = shmem.PrivateBarrier
	}
	d.eng = driver.NewEngine(&info.Domain, d.src, private)
	return d, nil
}

// Engine drives the domain.
func (d *domain) Engine() *driver.Engine { return d.eng }

// OpenEndpoint makes an endpoint.
func (d *domain) OpenEndpoint(info *fi.Info) (driver.Endpoint, error) {
	e, err := newEndpoint(d, info)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// OpenSharedRx gives fi.ErrNoSys: the Info says that there are none.
func (d *domain) OpenSharedRx(*fi.Info) (driver.SharedRx, error) { return nil, fi.ErrNoSys }

// RegisterMR notes a region, which nobody can reach.
func (d *domain) RegisterMR(r *mr.Region) error {
	d.eng.Lock()
	defer d.eng.Unlock()
	if d.provKey {
		r.Key = d.regions.RandomKey()
	}
	return d.regions.Add(r)
}

// CloseMR forgets it.
func (d *domain) CloseMR(r *mr.Region) error {
	d.eng.Lock()
	defer d.eng.Unlock()
	d.regions.Kill(r)
	return nil
}

// QueryAtomic gives fi.ErrOpNotSupp.
func (d *domain) QueryAtomic(fi.AtomicKind, fi.Datatype, fi.AtomicOp) (fi.AtomicAttr, error) {
	return fi.AtomicAttr{}, fi.ErrOpNotSupp
}

// Resolve gives the addresses of a node and a service, those of our family only.
func (d *domain) Resolve(ctx context.Context, node, service string, flags fi.InfoFlags) ([][]byte, error) {
	found, err := ip.Resolve(ctx, node, service, flags)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, a := range inet.OfFormat(found, d.info.AddrFormat) {
		out = append(out, inet.Raw(a))
	}
	return out, nil
}

// CheckAddr gives the address at the beginning of a buffer.
func (d *domain) CheckAddr(raw []byte) ([]byte, error) {
	a, err := ip.CheckAddr(raw)
	if err != nil {
		return nil, err
	}
	return inet.Raw(a), nil
}

// FormatAddr gives an address as text.
func (d *domain) FormatAddr(raw []byte) string {
	a, err := ip.CheckAddr(raw)
	if err != nil {
		return ""
	}
	return fi.FormatAddr(d.info.AddrFormat, inet.Raw(a))
}

// Close ends the domain's goroutine and gives its descriptors back.
func (d *domain) Close() error {
	d.eng.Close()
	d.src.bells.close()
	return nil
}
