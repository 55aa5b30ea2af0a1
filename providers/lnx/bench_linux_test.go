package lnx_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/shm"
)

// BenchmarkPingPong is the way there and back of 8 bytes between two goroutines: over shm itself, and over lnx by each link.
func BenchmarkPingPong(b *testing.B) {
	for _, c := range []struct {
		name string
		prov func() driver.Provider
		host string
	}{
		{"prov=shm", func() driver.Provider { return shm.New() }, ""},
		{"prov=lnx/link=shm", func() driver.Provider { return linked(map[string]string{"FI_LNX_HOST": "one"}) }, "one"},
		{"prov=lnx/link=tcp", nil, "two"},
	} {
		b.Run(c.name, func(b *testing.B) {
			if runtime.GOMAXPROCS(0) < 2 {
				b.Skip("known: with one processor each message waits for the scheduler")
			}
			first := c.prov
			if first == nil {
				first = func() driver.Provider { return linked(map[string]string{"FI_LNX_HOST": "one"}) }
			}
			second := first
			if c.host == "two" {
				second = func() driver.Provider { return linked(map[string]string{"FI_LNX_HOST": "two"}) }
			}
			domain := func(h *fi.Hints) { h.Domain.Threading = fi.ThreadDomain }
			x, y := openProvider(b, first(), domain), openProvider(b, second(), domain)
			toY, toX := x.knows(y), y.knows(x)
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan struct{})
			go func() {
				defer close(done)
				y.echo(ctx, toX)
			}()
			buf, entries := make([]byte, 8), make([]cq.Entry, 2)
			for b.Loop() {
				x.check(x.ep.TRecv(buf, fi.AddrUnspec, 1, 0, nil))
				x.post(func() error { return x.ep.TInject(buf, toY, 1) })
				x.await(ctx, entries)
			}
			cancel()
			<-done
		})
	}
}

// post calls until there is room.
func (n *node) post(call func() error) {
	for {
		err := call()
		if err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
			n.check(err)
			return
		}
		_, _ = n.q.Read(nil) //nolint:errcheck // drives only
	}
}

// await polls until there is a completion, or ctx ends.
func (n *node) await(ctx context.Context, entries []cq.Entry) bool {
	for i := 0; ; i++ {
		k, err := n.q.Read(entries)
		switch {
		case k > 0:
			return true
		case err != fi.ErrAgain: //nolint:errorlint // documented: a bare value
			n.t.Errorf("a completion in error: %v", err)
			return false
		case i%1024 == 0 && ctx.Err() != nil:
			return false
		}
	}
}

// echo sends back what comes, until ctx ends.
func (n *node) echo(ctx context.Context, to fi.Addr) {
	buf, entries := make([]byte, 8), make([]cq.Entry, 2)
	for {
		if err := n.ep.TRecv(buf, fi.AddrUnspec, 1, 0, nil); err != nil {
			n.t.Error(err)
			return
		}
		if !n.await(ctx, entries) {
			return
		}
		n.post(func() error { return n.ep.TInject(buf, to, 1) })
	}
}
