package wrap

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// domain wraps a domain. The engine is the inner one's.
type domain struct {
	driver.Domain
	p    *Provider
	name string
}

func (d *domain) Inner() any { return d.Domain }

func (d *domain) OpenEndpoint(info *fi.Info) (driver.Endpoint, error) {
	e := &endpoint{d: d, p: d.p, eng: d.Engine(), name: number("ep", &d.p.endpoints)}
	e.pending.init()
	args := []Arg{{"type", info.EP.Type}, {"caps", info.Caps}}
	switch info.Handle.(type) {
	case *driver.ConnReq:
		args = append(args, Arg{"for", "a connection request"})
	case *passive:
		args = append(args, Arg{"for", info.Handle.(*passive).name})
	}
	err := d.p.call(&Call{API: Endpoint, Object: e.name, Parent: d.name, Args: args}, func() (_ string, err error) {
		e.Endpoint, err = d.Domain.OpenEndpoint(own(info))
		return "", err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (d *domain) OpenSharedRx(info *fi.Info) (driver.SharedRx, error) {
	s := &sharedRx{d: d, p: d.p, name: number("srx", &d.p.srxs)}
	s.pending.init()
	err := d.p.call(&Call{API: SharedRx, Object: s.name, Parent: d.name}, func() (_ string, err error) {
		s.SharedRx, err = d.Domain.OpenSharedRx(info)
		return "", err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (d *domain) RegisterMR(r *mr.Region) error {
	args := []Arg{{"bytes", r.Len}, {"access", r.Access}, {"key", fmt.Sprintf("%#x", r.Key)}}
	return d.p.call(&Call{API: MRReg, Object: "mr", Parent: d.name, Target: r, Args: args}, func() (string, error) {
		err := d.Domain.RegisterMR(r)
		return fmt.Sprintf("key %#x", r.Key), err
	})
}

func (d *domain) CloseMR(r *mr.Region) error {
	return d.p.call(&Call{API: MRClose, Object: "mr", Parent: d.name, Target: r, Args: []Arg{{"key", fmt.Sprintf("%#x", r.Key)}}},
		func() (string, error) { return "", d.Domain.CloseMR(r) })
}

func (d *domain) QueryAtomic(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (a fi.AtomicAttr, err error) {
	err = d.p.call(&Call{API: QueryAtomic, Object: d.name, Args: []Arg{{"type", dt}, {"op", op}}}, func() (_ string, err error) {
		a, err = d.Domain.QueryAtomic(kind, dt, op)
		return fmt.Sprintf("count %d", a.Count), err
	})
	return a, err
}

func (d *domain) Resolve(ctx context.Context, node, service string, flags fi.InfoFlags) (raw [][]byte, err error) {
	err = d.p.call(&Call{API: AVInsertSvc, Object: d.name, Args: []Arg{{"node", node}, {"service", service}, {"flags", flags}}}, func() (_ string, err error) {
		raw, err = d.Domain.Resolve(ctx, node, service, flags)
		return fmt.Sprintf("%d addresses", len(raw)), err
	})
	return raw, err
}

func (d *domain) CheckAddr(raw []byte) (good []byte, err error) {
	err = d.p.call(&Call{API: CheckAddr, Object: d.name, Args: []Arg{{"bytes", len(raw)}}}, func() (_ string, err error) {
		if good, err = d.Domain.CheckAddr(raw); err != nil {
			return "", err
		}
		return d.FormatAddr(good), nil
	})
	return good, err
}

func (d *domain) Close() error {
	return d.p.call(&Call{API: DomainClose, Object: d.name}, func() (string, error) { return "", d.Domain.Close() })
}
