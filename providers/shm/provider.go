package shm

import (
	"context"
	"os"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/internal/shmem"
)

// Name is the provider's name.
const Name = "shm"

// Provider finds peers on this host.
type Provider struct {
	env envknob.Lookup
}

// New makes the provider, with the process's environment.
func New() *Provider { return &Provider{env: os.LookupEnv} }

// NewEnv makes the provider with an environment of its own, for tests.
func NewEnv(env func(string) (string, bool)) *Provider { return &Provider{env: env} }

// Name gives "shm".
func (p *Provider) Name() string { return Name }

// Offers gives the endpoint types that there are, or says why there is none.
func (p *Provider) Offers(ctx context.Context, q *driver.Query) ([]*fi.Info, []fi.Rejection) {
	if err := shmem.Available(); err != nil {
		return nil, []fi.Rejection{{Provider: Name, Have: err.Error(), Fix: "use tcp"}}
	}
	c, err := readConfig(p.env)
	if err != nil {
		return nil, []fi.Rejection{envknob.Rejection(Name, err)}
	}
	info := offer(c)
	src, dest := q.Hints.SrcAddr, q.Hints.DestAddr
	if q.Node != "" || q.Service != "" {
		to, attr := &dest, "dest_addr"
		if q.Flags&fi.InfoSource != 0 {
			to, attr = &src, "src_addr"
		}
		if why := systemNodes.elsewhere(ctx, q.Node, q.Flags); why != "" {
			return nil, []fi.Rejection{{Provider: Name, Domain: Name, Attr: attr, Have: why, Fix: hereOnly}}
		}
		*to = []byte(address(q.Node, q.Service))
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
			return nil, []fi.Rejection{{Provider: Name, Domain: Name, Attr: a.attr, Want: printable(a.raw), Have: prefix + "NAME"}}
		}
		*a.to = raw
	}
	if why := c.unusable(info.SrcAddr); why != "" {
		return nil, []fi.Rejection{{Provider: Name, Attr: "sockets", Have: why, Fix: "set it to a folder that we may write to, or unset it"}}
	}
	return []*fi.Info{info, rdm.Connected(info, 0), datagrams(info)}, nil
}

// printable is what may be shown of a text that a user or a peer has chosen.
func printable(raw []byte) string {
	if len(raw) > maxReason {
		raw = raw[:maxReason]
	}
	b := make([]byte, len(raw))
	for i, c := range raw {
		if b[i] = c; c < ' ' || c > '~' {
			b[i] = '?'
		}
	}
	return string(b)
}

// OpenFabric opens this host.
func (p *Provider) OpenFabric(*fi.Info) (driver.Fabric, error) {
	c, err := readConfig(p.env)
	if err != nil {
		return nil, err
	}
	return &host{c: c}, nil
}

type host struct {
	c   *config
	log *driver.Log
}

func (h *host) SetLog(log *driver.Log) { h.log = log }

func (h *host) OpenDomain(info *fi.Info) (driver.Domain, error) {
	return newDomain(h.c, info, h.log.Logger(Name, driver.LogEPCtrl), nil)
}

// OpenPart opens a domain that is a part of another provider's.
func (h *host) OpenPart(info *fi.Info, w *driver.Whole) (driver.Part, error) {
	return newDomain(h.c, info, h.log.Logger(Name, driver.LogEPCtrl), w)
}

func (h *host) Close() error { return nil }
