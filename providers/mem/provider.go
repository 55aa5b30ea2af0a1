package mem

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/lock"
)

// Name is the provider's name.
const Name = "mem"

// prefix begins every address.
const prefix = "fi_mem://"

// Provider is a network within this process.
type Provider struct {
	mu       lock.Lock      // guards all that belongs to the network's endpoints
	byName   map[string]any // who has an address: an *endpoint or a *passive
	nextName atomic.Uint64
}

// New makes a network.
func New() *Provider {
	return &Provider{byName: make(map[string]any)}
}

// Name gives "mem".
func (p *Provider) Name() string { return Name }

// Offers gives the endpoint types that there are.
func (p *Provider) Offers(_ context.Context, q *driver.Query) ([]*fi.Info, []fi.Rejection) {
	info := offer()
	src, dest := q.Hints.SrcAddr, q.Hints.DestAddr
	if q.Node != "" || q.Service != "" {
		a := []byte(address(q.Node, q.Service))
		if q.Flags&fi.InfoSource != 0 {
			src = a
		} else {
			dest = a
		}
	}
	for _, a := range []struct {
		attr string
		raw  []byte
		to   *[]byte
	}{{"src_addr", src, &info.SrcAddr}, {"dest_addr", dest, &info.DestAddr}} {
		if len(a.raw) == 0 {
			continue
		}
		raw, err := checkAddr(a.raw)
		if err != nil {
			return nil, []fi.Rejection{{Provider: Name, Domain: Name, Attr: a.attr, Want: string(a.raw), Have: prefix + "NAME"}}
		}
		*a.to = raw
	}
	return []*fi.Info{info, rdm.Connected(info, 0), rdm.Datagram(info, dgramSize)}, nil
}

// OpenFabric opens the network.
func (p *Provider) OpenFabric(*fi.Info) (driver.Fabric, error) { return &network{p}, nil }

type network struct{ p *Provider }

func (n *network) OpenDomain(info *fi.Info) (driver.Domain, error) { return newDomain(n.p, info), nil }
func (n *network) OpenPassive(info *fi.Info) (driver.PassiveEndpoint, error) {
	return newPassive(n.p, info)
}
func (n *network) Close() error { return nil }

// address is what a node and a service stand for: a node that is an address itself, or the service as a name.
func address(node, service string) string {
	switch {
	case strings.HasPrefix(node, prefix):
		return node
	case service != "":
		return prefix + service
	}
	return prefix + node
}

// take gives an address to who; fi.ErrAddrInUse when somebody has it. With the lock.
func (p *Provider) take(name []byte, who any) error {
	if _, used := p.byName[string(name)]; used {
		return &fi.Error{Op: "enable", Provider: Name, Object: string(name), Err: fi.ErrAddrInUse,
			Hint: "another endpoint of this process has the name: choose another one, or none"}
	}
	p.byName[string(name)] = who
	return nil
}

// free gives it back, if who has it. With the lock.
func (p *Provider) free(name []byte, who any) {
	if p.byName[string(name)] == who {
		delete(p.byName, string(name))
	}
}

func (p *Provider) freshName() []byte {
	return []byte(prefix + strconv.FormatUint(p.nextName.Add(1), 10))
}

// checkAddr gives the address at the beginning of a buffer that may be longer, and end in zeros.
func checkAddr(raw []byte) ([]byte, error) {
	s := string(raw)
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	if len(s) <= len(prefix) || !strings.HasPrefix(s, prefix) {
		return nil, &fi.Error{Op: "addr", Provider: Name, Err: fi.ErrInvalid, Hint: "addresses are " + prefix + "NAME"}
	}
	return []byte(s), nil
}
