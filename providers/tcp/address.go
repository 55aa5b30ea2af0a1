package tcp

import (
	"bytes"
	"context"
	"net/netip"
	"strconv"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/inet"
)

// ip is what providers over IP share, told who we are.
var ip = &inet.Provider{Name: Name, Network: "tcp", IfaceVar: knobIface.Name()}

func itoa(n int) string { return strconv.Itoa(n) }

func canonical(a netip.AddrPort) netip.AddrPort    { return inet.Canonical(a) }
func withZoneName(a netip.AddrPort) netip.AddrPort { return inet.WithZoneName(a) }
func rawOf(a netip.AddrPort) []byte                { return inet.Raw(a) }
func checkAddr(raw []byte) (netip.AddrPort, error) { return ip.CheckAddr(raw) }
func noPort(a netip.AddrPort) string               { return inet.NoPort(a) }
func reason(err error) string                      { return inet.Reason(err) }

func resolve(ctx context.Context, node, service string, flags fi.InfoFlags) ([]netip.AddrPort, error) {
	return ip.Resolve(ctx, node, service, flags)
}

func ofFormat(in []netip.AddrPort, f fi.AddrFormat) []netip.AddrPort { return inet.OfFormat(in, f) }

// greater orders listeners' addresses as the rule of simultaneous connects wants it: the IP's bytes first, then the
// port.
func greater(a, b netip.AddrPort) bool {
	x, y := a.Addr().AsSlice(), b.Addr().AsSlice()
	if c := bytes.Compare(x, y); c != 0 {
		return c > 0
	}
	return a.Port() > b.Port()
}
