package tcp

import (
	"context"
	"net/netip"
	"os"
	"sync"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/internal/inet"
)

// Name is the provider's name.
const Name = "tcp"

// Provider reaches peers over TCP.
type Provider struct {
	env envknob.Lookup
}

// New makes the provider, with the process's environment.
func New() *Provider { return &Provider{env: os.LookupEnv} }

// NewEnv makes the provider with an environment of its own, for tests.
func NewEnv(env func(string) (string, bool)) *Provider { return &Provider{env: env} }

// Name gives "tcp".
func (p *Provider) Name() string { return Name }

// Offers lists the endpoints of each address of this host, best first, and why others are left out.
func (p *Provider) Offers(ctx context.Context, q *driver.Query) ([]*fi.Info, []fi.Rejection) {
	c, err := readConfig(p.env)
	if err != nil {
		return nil, []fi.Rejection{envknob.Rejection(Name, err)}
	}
	return ip.Offers(ctx, q, c.iface, func(i inet.Iface, own, dest netip.AddrPort) []*fi.Info { return offers(c, i, own, dest) })
}

// OpenFabric opens the network of an interface.
func (p *Provider) OpenFabric(*fi.Info) (driver.Fabric, error) {
	c, err := readConfig(p.env)
	if err != nil {
		return nil, err
	}
	return &network{c: c}, nil
}

// network is an opened fabric.
type network struct {
	c       *config
	log     *driver.Log
	checked sync.Once // FI_TCP_CONGESTION
}

func (n *network) SetLog(log *driver.Log) { n.log = log }

func (n *network) OpenDomain(info *fi.Info) (driver.Domain, error) {
	log := n.log.Logger(Name, driver.LogEPCtrl)
	n.checked.Do(func() { n.c.checkCongestion(log) })
	return newDomain(n.c, info, log, nil)
}

// OpenPart opens a domain that is a part of another provider's.
func (n *network) OpenPart(info *fi.Info, w *driver.Whole) (driver.Part, error) {
	log := n.log.Logger(Name, driver.LogEPCtrl)
	n.checked.Do(func() { n.c.checkCongestion(log) })
	return newDomain(n.c, info, log, w)
}

func (n *network) Close() error { return nil }
