package skeleton

import (
	"context"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// domain has the engine, whose lock guards all that belongs to it.
type domain struct {
	p       *Provider
	eng     *driver.Engine
	regions *mr.Table
}

// newDomain makes a domain. Its engine has no driver.Source, since here operations complete when they are posted. One
// that reads a device or a socket gives driver.NewEngine what polls it.
func newDomain(p *Provider, info *fi.Info) *domain {
	return &domain{p: p, eng: driver.NewEngineLock(&p.mu, &info.Domain, nil), regions: mr.NewTable()}
}

func (d *domain) Engine() *driver.Engine { return d.eng }

func (d *domain) OpenEndpoint(info *fi.Info) (driver.Endpoint, error) {
	return newEndpoint(d, info), nil
}

// OpenSharedRx is missing: rdm.NewRx makes one.
func (d *domain) OpenSharedRx(*fi.Info) (driver.SharedRx, error) { return nil, fi.ErrNoSys }

// RegisterMR keeps a region. Peers cannot reach it yet: that is FI_RMA.
func (d *domain) RegisterMR(r *mr.Region) error {
	d.eng.Lock()
	defer d.eng.Unlock()
	return d.regions.Add(r)
}

func (d *domain) CloseMR(r *mr.Region) error {
	d.eng.Lock()
	defer d.eng.Unlock()
	d.regions.Kill(r)
	return nil
}

// QueryAtomic says that there are no atomics.
func (d *domain) QueryAtomic(fi.AtomicKind, fi.Datatype, fi.AtomicOp) (fi.AtomicAttr, error) {
	return fi.AtomicAttr{}, fi.ErrNoSys
}

func (d *domain) Resolve(_ context.Context, node, _ string, _ fi.InfoFlags) ([][]byte, error) {
	raw, err := checkAddr([]byte(node))
	return [][]byte{raw}, err
}

func (d *domain) CheckAddr(raw []byte) ([]byte, error) { return checkAddr(raw) }

func (d *domain) FormatAddr(raw []byte) string {
	a, _ := checkAddr(raw)
	return string(a)
}

func (d *domain) Close() error {
	d.eng.Close()
	return nil
}
