package local

import (
	"context"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// TestHost: the client looks for the server where the options put it.
func TestHost(t *testing.T) {
	host := func(set func(*options.Options)) string {
		o := options.New()
		o.Provider = "tcp"
		set(o)
		j := &Job{Scenario: &scenario.Scenario{Sides: scenario.Pair}, Opt: o, Provider: "tcp"}
		return j.host(context.Background())
	}
	for _, c := range []struct {
		set  func(*options.Options)
		want string
	}{
		{func(*options.Options) {}, "127.0.0.1"},
		{func(o *options.Options) { o.SrcAddr = "192.0.2.7" }, "192.0.2.7"},
		{func(o *options.Options) { o.SrcAddr = "0.0.0.0" }, "127.0.0.1"},
		{func(o *options.Options) { o.SrcAddr = "fi_shm://name" }, "127.0.0.1"},
		{func(o *options.Options) { o.AddrFormat = fi.AddrFormatSockaddr6 }, "::1"},
		{func(o *options.Options) { o.Domain = "nosuch" }, "127.0.0.1"},
	} {
		if got := host(c.set); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{EP: &fi.EPAttr{Type: fi.EPRDM}, Fabric: &fi.FabricAttr{ProvName: "tcp"}})
	if err != nil {
		t.Skip("known: no interface for tcp: ", err)
	}
	for _, i := range infos {
		at, err := fi.DecodeSockaddr(i.SrcAddr)
		if err != nil {
			t.Fatal(err)
		}
		if got := host(func(o *options.Options) { o.Domain, o.Fabric = i.Domain.Name, i.Fabric.Name }); got != at.Addr().String() {
			t.Errorf("domain %s of %s: %s, want %v", i.Domain.Name, i.Fabric.Name, got, at.Addr())
		}
	}
}
