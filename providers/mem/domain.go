package mem

import (
	"context"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

type domain struct {
	p       *Provider
	eng     *driver.Engine
	regions *mr.Table
	provKey bool
}

func newDomain(p *Provider, info *fi.Info) *domain {
	return &domain{p: p, eng: driver.NewEngineLock(&p.mu, &info.Domain, nil), regions: mr.NewTable(),
		provKey: info.Domain.MRMode&fi.MRModeProvKey != 0}
}

func (d *domain) Engine() *driver.Engine { return d.eng }

func (d *domain) Close() error {
	d.eng.Close()
	return nil
}

func (d *domain) OpenEndpoint(info *fi.Info) (driver.Endpoint, error) { return newEndpoint(d, info) }

func (d *domain) OpenSharedRx(info *fi.Info) (driver.SharedRx, error) {
	x := rdm.NewRx(d.eng, info)
	if info.EP.Type == fi.EPDgram {
		x.SetBudget(dgramKept)
	}
	return x, nil
}

func (d *domain) RegisterMR(r *mr.Region) error {
	d.eng.Lock()
	defer d.eng.Unlock()
	if d.provKey {
		r.Key = d.regions.RandomKey()
	}
	return d.regions.Add(r)
}

func (d *domain) CloseMR(r *mr.Region) error {
	d.eng.Lock()
	defer d.eng.Unlock()
	d.regions.Kill(r)
	return nil
}

func (d *domain) QueryAtomic(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (fi.AtomicAttr, error) {
	if err := fiatomic.Valid(kind, dt, op); err != nil {
		return fi.AtomicAttr{}, err
	}
	return fi.AtomicAttr{Count: driver.MaxAtomicSize / dt.Size(), Size: dt.Size(), Native: true}, nil
}

func (d *domain) Resolve(_ context.Context, node, service string, _ fi.InfoFlags) ([][]byte, error) {
	raw, err := checkAddr([]byte(address(node, service)))
	return [][]byte{raw}, err
}

func (d *domain) CheckAddr(raw []byte) ([]byte, error) { return checkAddr(raw) }

func (d *domain) FormatAddr(raw []byte) string {
	if a, err := checkAddr(raw); err == nil {
		return string(a)
	}
	return ""
}
