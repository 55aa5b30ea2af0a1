package tcp_test

import (
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// BenchmarkConnections is a round trip of 8 bytes beside idle connections of one of the sides, in one process.
func BenchmarkConnections(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("connections=%d", n), func(b *testing.B) {
			x := openSides(b, 1, nil, fi.DomainAttr{Threading: fi.ThreadDomain})[0]
			y := openSides(b, 1, nil, fi.DomainAttr{Threading: fi.ThreadDomain})[0]
			to, back := x.insert(b, y), y.insert(b, x)
			buf := make([]byte, 8)
			trip := func() {
				check(b, y.ep.TRecv(buf, fi.AddrUnspec, 1, 0, y.req))
				check(b, x.ep.TSend(buf, to, 1, x.req))
				x.read(b, 1)
				y.read(b, 1)
				check(b, x.ep.TRecv(buf, fi.AddrUnspec, 1, 0, x.req))
				check(b, y.ep.TSend(buf, back, 1, y.req))
				y.read(b, 1)
				x.read(b, 1)
			}
			trip()
			for _, z := range openSides(b, n-1, nil, fi.DomainAttr{}) {
				check(b, z.ep.TRecv(buf, fi.AddrUnspec, 1, 0, z.req))
				check(b, x.ep.TSend(buf, x.insert(b, z), 1, x.req))
				x.read(b, 1, z)
				z.read(b, 1, x)
			}
			for range 100 {
				trip()
			}
			b.ResetTimer()
			for range b.N {
				trip()
			}
		})
	}
}
