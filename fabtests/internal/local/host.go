package local

import (
	"context"
	"net/netip"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// loopback is where everything on this machine can be reached.
const loopback = "127.0.0.1"

// host is the address at which the client of this machine finds its server: that of the loopback interface, unless options
// name another of this machine's.
func (j *Job) host(ctx context.Context) string {
	o := j.Opt
	if j.Scenario.Sides != scenario.Pair {
		return loopback
	}
	if a, err := netip.ParseAddr(o.SrcAddr); err == nil && !a.IsUnspecified() {
		return o.SrcAddr
	}
	if o.Domain != "" || o.Fabric != "" {
		h := session.Hints(o, session.Need{})
		h.Fabric.ProvName = j.Provider
		if infos, err := fabric.GetInfo(ctx, h); err == nil {
			if at, err := fi.DecodeSockaddr(infos[0].SrcAddr); err == nil {
				return at.Addr().String()
			}
		}
	} else if o.AddrFormat == fi.AddrFormatSockaddr6 {
		return netip.IPv6Loopback().String()
	}
	return loopback
}
