package tcp_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// TestNoPort sends and connects to an address without a port: that is refused at once, in words, and not after all retries.
func TestNoPort(t *testing.T) {
	nowhere := rawAddr(t, netip.MustParseAddrPort("127.0.0.1:0"))
	const want = "127.0.0.1:0 has no port: give the peer's service"
	a := openSides(t, 1, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "600000"}, fi.DomainAttr{})[0]
	var to [1]fi.Addr
	if _, err := a.av.Insert([][]byte{nowhere}, to[:], 0); err != nil {
		t.Fatal(err)
	}
	check(t, a.ep.TSend(make([]byte, 8), to[0], 1, a.req))
	var bad cq.ErrEntry
	if err := a.q.ReadErr(&bad); err != nil || bad.Err != fi.ErrInvalid || !strings.Contains(bad.Error(), want) {
		t.Errorf("%v, %v", err, &bad)
	}
	p := openPlace(t, nil)
	ep, err := p.endpoint(t, p.info)
	check(t, err)
	if err := ep.Connect(nowhere, nil); !errors.Is(err, fi.ErrInvalid) || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	_, at := p.listen(t, nil)
	check(t, ep.Connect(at, nil)) // it is as before
}

// TestAddressOfAnother inserts an address of another provider: the error says where addresses come from.
func TestAddressOfAnother(t *testing.T) {
	a := openSides(t, 1, nil, fi.DomainAttr{})[0]
	_, err := a.av.Insert([][]byte{[]byte("a-name-and-no-address")}, nil, 0)
	if !errors.Is(err, fi.ErrInvalid) || !strings.Contains(err.Error(), "is not IP: addresses come from Endpoint.Name") {
		t.Error(err)
	}
}
