package shm

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// lookupTime is how long the name of a node may take to resolve.
const lookupTime = 2 * time.Second

// nodes tells this host from others. Tests have their own.
type nodes struct {
	hostname func() (string, error)
	own      func() ([]net.Addr, error) // addresses of the interfaces
	lookup   func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

var systemNodes = &nodes{hostname: os.Hostname, own: net.InterfaceAddrs, lookup: net.DefaultResolver.LookupNetIP}

// elsewhere says why a node is not this host; empty when it is, or is an address of ours already. Only names that are no
// IP addresses, not localhost and not this host's name are looked up, and with fi.InfoNumericHost none.
func (n *nodes) elsewhere(ctx context.Context, node string, flags fi.InfoFlags) string {
	if node == "" || strings.HasPrefix(node, prefix) {
		return ""
	}
	if ip, err := netip.ParseAddr(node); err == nil {
		if n.ours(ip) {
			return ""
		}
		return printable([]byte(node)) + " is another host"
	}
	host := strings.ToLower(strings.TrimSuffix(node, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return ""
	}
	if own, err := n.hostname(); err == nil && host == strings.ToLower(own) {
		return ""
	}
	shown := printable([]byte(node))
	if flags&fi.InfoNumericHost != 0 {
		return shown + " is no IP address, which FI_NUMERICHOST asks for"
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	ips, err := n.lookup(ctx, "ip", node)
	switch {
	case err != nil || len(ips) == 0:
		return "the name " + shown + " cannot be resolved" + lookupReason(err)
	case slices.ContainsFunc(ips, n.ours):
		return ""
	}
	return shown + " is another host (" + ips[0].String() + ")"
}

// lookupReason is what a failed look-up adds; the resolver's own texts hold addresses and ports that help nobody.
func lookupReason(err error) string {
	dns, ok := errors.AsType[*net.DNSError](err)
	switch {
	case ok && dns.IsNotFound:
		return ": there is no such host"
	case ok && dns.IsTimeout, errors.Is(err, context.DeadlineExceeded):
		return ": no name server answers"
	}
	return ""
}

// ours tells whether an address is a loopback or an interface's; the unspecified one stands for all of them.
func (n *nodes) ours(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	list, err := n.own()
	return err == nil && slices.ContainsFunc(list, func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap() == ip
	})
}

// hereOnly is what to do about a node elsewhere.
const hereOnly = "shm reaches this host only: localhost, a service alone, or " + prefix + "NAME"
