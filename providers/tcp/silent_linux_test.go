package tcp_test

import (
	"net"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestSilentCallersMakeRoom has as many callers say nothing as a listener lets wait, for longer than the test may take: who
// speaks is served all the same.
func TestSilentCallersMakeRoom(t *testing.T) {
	p := openPlace(t, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "600000"})
	pep, err := p.f.OpenPassive(p.info)
	check(t, err)
	t.Cleanup(func() { check(t, pep.Close()) })
	const backlog = 4
	check(t, pep.BindEQ(p.eq))
	check(t, pep.SetBacklog(backlog))
	check(t, pep.Listen())
	name, err := pep.Name()
	check(t, err)
	to, err := fi.DecodeSockaddr(name)
	check(t, err)
	for range backlog {
		c, err := net.Dial("tcp", to.String())
		check(t, err)
		defer c.Close()
	}
	p.connect(t, nil, name)
}
