package conformance

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// tap is a provider that lets a case see the driver's endpoints behind those of package fabric.
type tap struct {
	driver.Provider
	eng *driver.Engine    // of the youngest domain
	eps []driver.Endpoint // in the order in which they were opened
}

// OpenFabric opens the provider's.
func (p *tap) OpenFabric(info *fi.Info) (driver.Fabric, error) {
	f, err := p.Provider.OpenFabric(info)
	if err != nil {
		return nil, err
	}
	if o, ok := driver.Ability[driver.PassiveOpener](f); ok {
		return &tapConnecting{tapFabric{f, p}, o}, nil
	}
	return &tapFabric{f, p}, nil
}

type tapFabric struct {
	driver.Fabric
	p *tap
}

type tapConnecting struct {
	tapFabric
	driver.PassiveOpener
}

func (f *tapFabric) OpenDomain(info *fi.Info) (driver.Domain, error) {
	d, err := f.Fabric.OpenDomain(info)
	if err != nil {
		return nil, err
	}
	f.p.eng = d.Engine()
	return &tapDomain{d, f.p}, nil
}

type tapDomain struct {
	driver.Domain
	p *tap
}

func (d *tapDomain) OpenEndpoint(info *fi.Info) (driver.Endpoint, error) {
	e, err := d.Domain.OpenEndpoint(info)
	if err == nil {
		d.p.eps = append(d.p.eps, e)
	}
	return e, err
}
