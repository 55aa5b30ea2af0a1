package tcp_test

import (
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// TestWildcardOfBoth reaches endpoints at :: by IPv4, and back: the peer is known by its IPv4 address.
func TestWildcardOfBoth(t *testing.T) {
	if l, err := net.Listen("tcp6", "[::1]:0"); err != nil {
		t.Skip("known: this host has no IPv6")
	} else {
		l.Close()
	}
	wild := []byte("fi_sockaddr_in6://[::]:0")
	for name, env := range map[string]map[string]string{"raw": nil, "portable": {"FI_TCP_PORTABLE": "1"}} {
		t.Run(name, func(t *testing.T) {
			log := newBook(slog.LevelInfo)
			all := openSides(t, 2, env, fi.DomainAttr{}, fabric.WithSlog(log))
			a, b := all[0], all[1]
			check(t, b.ep.Close())
			b.reopen(t, wild)
			at := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), addrOf(t, b).Port())
			var to [1]fi.Addr
			if _, err := a.av.Insert([][]byte{rawAddr(t, at)}, to[:], 0); err != nil {
				t.Fatal(err)
			}
			back := b.insert(t, a)
			check(t, b.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, b.req))
			check(t, a.ep.TSend(make([]byte, 8), to[0], 1, a.req))
			a.read(t, 1, b)
			b.read(t, 1, a)
			check(t, a.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, a.req))
			check(t, b.ep.TSend(make([]byte, 8), back, 1, b.req))
			b.read(t, 1, a)
			a.read(t, 1, b)
			log.find(t, "INFO connected peer="+at.String(), 1)                   // a's
			log.find(t, "INFO connected peer="+addrOf(t, a).String()+" pid=", 1) // b's
			if l := log.with("INFO connected peer="); len(l) != 2 {
				t.Errorf("one connection is two lines:\n%s", strings.Join(l, "\n"))
			}

			p := openPlace(t, env)
			_, raw := p.listen(t, wild)
			p.connect(t, nil, rawAddr(t, netip.AddrPortFrom(at.Addr(), portOf(t, raw))))
		})
	}
}
