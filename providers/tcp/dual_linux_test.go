package tcp_test

import (
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/logbook"
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
			log := logbook.New(slog.LevelInfo)
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
			a.reaches(t, b, to[0])
			b.reaches(t, a, back)
			log.Find(t, "INFO connected peer="+at.String(), 1)                     // a's
			log.Find(t, "INFO connected peer="+addrOf(t, a).String()+" local=", 1) // b's
			if l := log.With("INFO connected peer="); len(l) != 2 {
				t.Errorf("one connection is two lines:\n%s", strings.Join(l, "\n"))
			}

			p := openPlace(t, env)
			_, raw := p.listen(t, wild)
			p.connect(t, nil, rawAddr(t, netip.AddrPortFrom(at.Addr(), portOf(t, raw))))
		})
	}
}
