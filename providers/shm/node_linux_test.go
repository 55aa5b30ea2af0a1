package shm

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// testNodes is a host called here, with an address of each family and a name server that knows two names.
func testNodes(asked *int) *nodes {
	return &nodes{
		hostname: func() (string, error) { return "Here", nil },
		own: func() ([]net.Addr, error) {
			return []net.Addr{&net.IPNet{IP: net.IPv4(192, 0, 2, 1), Mask: net.CIDRMask(24, 32)},
				&net.IPNet{IP: net.ParseIP("fe80::1"), Mask: net.CIDRMask(64, 128)}}, nil
		},
		lookup: func(_ context.Context, _, host string) ([]netip.Addr, error) {
			*asked++
			switch host {
			case "here.example.org":
				return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
			case "there.example.org":
				return []netip.Addr{netip.MustParseAddr("192.0.2.2")}, nil
			case "slow":
				return nil, context.DeadlineExceeded
			}
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		},
	}
}

// TestElsewhere tells this host from others, in words, and asks a name server only for names that need it.
func TestElsewhere(t *testing.T) {
	for node, want := range map[string]string{
		"": "", "fi_shm://a": "", "localhost": "", "LocalHost.": "", "a.localhost": "", "here": "", "127.0.0.1": "", "127.9.9.9": "",
		"::1": "", "0.0.0.0": "", "::": "", "192.0.2.1": "", "::ffff:192.0.2.1": "", "fe80::1%eth0": "", "here.example.org": "",
		"8.8.8.8": "8.8.8.8 is another host", "fe80::2": "is another host",
		"there.example.org": "there.example.org is another host (192.0.2.2)",
		"g00n13s":           "the name g00n13s cannot be resolved: there is no such host",
		"slow":              "cannot be resolved: no name server answers",
		"bad\x1bname":       "the name bad?name cannot",
	} {
		asked := 0
		got := testNodes(&asked).elsewhere(context.Background(), node, 0)
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", node, got, want)
		}
		if _, err := netip.ParseAddr(node); asked > 0 && (err == nil || want == "" && node != "here.example.org") {
			t.Errorf("%q was looked up", node)
		}
	}
	asked := 0
	if got := testNodes(&asked).elsewhere(context.Background(), "here.example.org", fi.InfoNumericHost); got == "" || asked > 0 {
		t.Errorf("a name with FI_NUMERICHOST: %q, looked up %d times", got, asked)
	}
}

// TestOffersThisHostOnly turns a node elsewhere down as a destination and as a source, with the hint that it came from.
func TestOffersThisHostOnly(t *testing.T) {
	old := systemNodes
	defer func() { systemNodes = old }()
	asked := 0
	systemNodes = testNodes(&asked)
	p := NewEnv(func(string) (string, bool) { return "", false })
	for _, c := range []struct {
		node, service string
		flags         fi.InfoFlags
		attr          string // of the rejection; "" for none
	}{
		{"", "7", fi.InfoSource, ""}, {"localhost", "7", 0, ""}, {"here", "7", fi.InfoSource, ""}, {"fi_shm://a", "7", 0, ""},
		{"localhost", "", fi.InfoSource, ""}, {"g00n13s", "", 0, "dest_addr"}, {"g00n13s", "7", 0, "dest_addr"},
		{"8.8.8.8", "7", fi.InfoSource, "src_addr"},
	} {
		infos, no := p.Offers(context.Background(), &driver.Query{Node: c.node, Service: c.service, Flags: c.flags, Hints: &fi.Hints{}})
		if c.attr == "" && len(infos) != 3 || c.attr != "" && (len(infos) > 0 || len(no) != 1 || no[0].Attr != c.attr || no[0].Fix != hereOnly) {
			t.Errorf("%+v: %v, %v", c, infos, no)
		}
	}
	reg := fabric.NewRegistry(p)
	infos, err := fabric.GetInfo(context.Background(), nil, fabric.WithRegistry(reg))
	if err != nil {
		t.Fatal(err)
	}
	f, err := fabric.Open(infos[0], fabric.WithRegistry(reg))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := f.OpenDomain(infos[0])
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	av, err := d.OpenAV(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer av.Close()
	if _, err := av.InsertSvc(context.Background(), "g00n13s", "7", 0); !errors.Is(err, fi.ErrHostUnreach) {
		t.Errorf("a node elsewhere was inserted: %v", err)
	}
	if _, err := av.InsertSvc(context.Background(), "here", "7", 0); err != nil {
		t.Error(err)
	}
}
