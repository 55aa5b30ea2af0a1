package fabric

import (
	"context"
	"errors"
	"sync"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
)

// Fabric is an opened network (struct fid_fabric, fi_fabric(3)).
type Fabric struct {
	object
	drv    driver.Fabric
	maker  driver.Provider
	totals totals[fi.FabricStats]
}

// Open opens the network of an Info that GetInfo returned (fi_fabric).
//
// Errors: fi.ErrNoDev when its provider is not registered (give [WithRegistry] here too), fi.ErrInvalid for a nil Info, and for
// an FI_HOOK that names no hook.
func Open(info *fi.Info, opts ...Option) (*Fabric, error) {
	if info == nil {
		return nil, &fi.Error{Op: "fabric", Err: fi.ErrInvalid, Hint: "info is nil: take one from GetInfo"}
	}
	o := newOptions(opts)
	if !o.ownEnv {
		if err := o.registry.wrongHooks("fabric"); err != nil {
			return nil, err
		}
	}
	p, err := o.registry.find(info)
	if err != nil {
		return nil, err
	}
	drv, err := p.OpenFabric(info.Clone())
	if err != nil {
		return nil, (&object{prov: p.Name()}).fail("fabric", err, "")
	}
	f := &Fabric{drv: drv, maker: p}
	f.init("fabric", p.Name(), nil)
	f.setLog(o.log)
	if err := f.setTLS(o.tls); err != nil {
		_ = drv.Close()
		return nil, err
	}
	return f, nil
}

// OpenDomain opens the device of info (fi_domain).
//
// Errors: fi.ErrInvalid when info is nil or of another provider, and what the provider says.
func (f *Fabric) OpenDomain(info *fi.Info) (*Domain, error) {
	if err := f.open("domain"); err != nil {
		return nil, err
	}
	if err := f.check("domain", info); err != nil {
		return nil, err
	}
	if why := unservedKey(info, info.Domain.MaxEPAuthKey); why != "" {
		return nil, f.fail("domain", fi.ErrInvalid, why)
	}
	info = info.Clone()
	drv, err := f.drv.OpenDomain(info)
	if err != nil {
		return nil, f.fail("domain", err, "")
	}
	d := &Domain{drv: drv, fab: f, eng: drv.Engine(), info: info}
	if info.Domain.AVAuthKey {
		var ok bool
		if d.keyer, ok = driver.Ability[driver.AuthKeyer](drv); !ok {
			return nil, errors.Join(f.fail("domain", fi.ErrNoSys, noVectorKeys), drv.Close())
		}
	}
	d.offers = sync.OnceValue(func() []*fi.Info {
		all, _ := f.maker.Offers(context.Background(), &driver.Query{Hints: &fi.Hints{}})
		return all
	})
	d.init("domain", f.prov, &f.object)
	f.totals.add(d)
	d.logger(zlog.Domain).Info("domain opened", "domain", info.Domain.Name, "threading", info.Domain.Threading, "progress", info.Domain.Progress)
	return d, nil
}

func (f *Fabric) check(op string, info *fi.Info) error {
	switch {
	case info == nil:
		return f.fail(op, fi.ErrInvalid, "info is nil: take one from GetInfo")
	case info.Fabric.ProvName != f.prov:
		return f.fail(op, fi.ErrInvalid, "info is of provider "+info.Fabric.ProvName+": give one of this fabric's")
	}
	return nil
}

// Close releases the network (fi_close). fi.ErrBusy while domains, event queues or passive endpoints are open; closing twice does nothing.
func (f *Fabric) Close() error {
	done, err := f.beginClose()
	if done || err != nil {
		return err
	}
	err = f.drv.Close()
	f.endClose()
	return f.fail("fabric_close", err, "")
}
