package udp

import (
	"context"
	"net/netip"
	"os"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/internal/inet"
)

// Name is the provider's name.
const Name = "udp"

// ip is what providers over IP share, told who we are.
var ip = &inet.Provider{Name: Name, Network: "udp", IfaceVar: knobIface.Name()}

// Provider reaches peers by UDP packets.
type Provider struct {
	env envknob.Lookup
}

// New makes the provider, with the process's environment.
func New() *Provider { return &Provider{env: os.LookupEnv} }

// NewEnv makes the provider with an environment of its own, for tests.
func NewEnv(env func(string) (string, bool)) *Provider { return &Provider{env: env} }

// Name gives "udp".
func (p *Provider) Name() string { return Name }

// Offers lists an endpoint of each address of this host, best first, and why others are left out.
func (p *Provider) Offers(ctx context.Context, q *driver.Query) ([]*fi.Info, []fi.Rejection) {
	c, err := readConfig(p.env)
	if err != nil {
		return nil, []fi.Rejection{envknob.Rejection(Name, err)}
	}
	return ip.Offers(ctx, q, c.iface, func(i inet.Iface, own, dest netip.AddrPort) []*fi.Info {
		return []*fi.Info{offer(c, i, own, dest)}
	})
}

// OpenFabric opens the network of an interface.
func (p *Provider) OpenFabric(*fi.Info) (driver.Fabric, error) {
	c, err := readConfig(p.env)
	if err != nil {
		return nil, err
	}
	return &network{c}, nil
}

// network is an opened fabric.
type network struct{ c config }

func (n *network) OpenDomain(info *fi.Info) (driver.Domain, error) { return newDomain(n.c, info) }
func (n *network) Close() error                                    { return nil }
