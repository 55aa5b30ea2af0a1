package tcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// place is where connected endpoints of this process are opened.
type place struct {
	info *fi.Info
	f    *fabric.Fabric
	d    *fabric.Domain
	eq   *fabric.EQ
	q    *fabric.CQ
}

func openPlace(t *testing.T, env map[string]string, opts ...fabric.Option) *place {
	t.Helper()
	reg := fabric.NewRegistry(loopbackEnv(env))
	infos, err := fabric.GetInfo(t.Context(), &fi.Hints{EP: &fi.EPAttr{Type: fi.EPMsg}}, fabric.WithRegistry(reg))
	check(t, err)
	p := &place{info: infos[0]}
	p.f, err = fabric.Open(p.info, append(opts, fabric.WithRegistry(reg))...)
	check(t, err)
	p.d, err = p.f.OpenDomain(p.info)
	check(t, err)
	p.eq, err = p.f.OpenEQ(&fi.EQAttr{WaitObj: fi.WaitFD})
	check(t, err)
	p.q, err = p.d.OpenCQ(nil)
	check(t, err)
	t.Cleanup(func() { check(t, errors.Join(p.q.Close(), p.eq.Close(), p.d.Close(), p.f.Close())) })
	return p
}

// listen opens a passive endpoint.
func (p *place) listen(t *testing.T, at []byte) (*fabric.PassiveEndpoint, []byte) {
	t.Helper()
	info := p.info.Clone()
	if at != nil {
		info.SrcAddr = at
	}
	pep, err := p.f.OpenPassive(info)
	check(t, err)
	t.Cleanup(func() { check(t, pep.Close()) })
	check(t, pep.BindEQ(p.eq))
	check(t, pep.Listen())
	name, err := pep.Name()
	check(t, err)
	return pep, name
}

func (p *place) endpoint(t *testing.T, info *fi.Info) (*fabric.Endpoint, error) {
	t.Helper()
	ep, err := p.d.OpenEndpoint(info)
	check(t, err)
	t.Cleanup(func() { check(t, ep.Close()) })
	check(t, ep.BindEQ(p.eq))
	check(t, ep.BindCQ(p.q, fi.BindTransmit|fi.BindRecv))
	return ep, ep.Enable()
}

// connect connects a new endpoint, which calls from an address, to where p listens; its name is given.
func (p *place) connect(t *testing.T, from, to []byte) []byte {
	t.Helper()
	info := p.info.Clone()
	if from != nil {
		info.SrcAddr = from
	}
	ep, err := p.endpoint(t, info)
	check(t, err)
	check(t, ep.Connect(to, nil))
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	for up := 0; up < 2; {
		var e fi.EQEntry
		if err := p.eq.SRead(ctx, &e, 0); err != nil {
			t.Fatal(err)
		}
		switch e.Event {
		case fi.EventConnReq:
			other, err := p.endpoint(t, e.Info)
			check(t, err)
			check(t, other.Accept(nil))
		case fi.EventConnected:
			up++
		}
	}
	name, err := ep.Name()
	check(t, err)
	return name
}

// listeners counts the sockets of this host that listen at a port.
func listeners(t *testing.T, port uint16) (n int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/net/tcp")
	check(t, err)
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) > 3 && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) && f[3] == "0A" {
			n++
		}
	}
	return n
}

func portOf(t *testing.T, raw []byte) uint16 {
	t.Helper()
	a, err := fi.DecodeSockaddr(raw)
	check(t, err)
	return a.Port()
}

// TestManyListeners spreads those that connect over several listeners at one port, if that is asked for.
func TestManyListeners(t *testing.T) {
	for value, want := range map[string]int{"none": 1, "listen": 4, "all": 4} {
		t.Run(value, func(t *testing.T) {
			p := openPlace(t, map[string]string{"FI_TCP_REUSEPORT": value})
			_, name := p.listen(t, nil)
			if got := listeners(t, portOf(t, name)); got != want {
				t.Errorf("%d listeners, want %d", got, want)
			}
			for range 8 {
				p.connect(t, nil, name)
			}
			again := p.info.Clone()
			again.SrcAddr = name
			other := openPlace(t, nil)
			if pep, err := other.f.OpenPassive(again); !errors.Is(err, fi.ErrAddrInUse) {
				t.Errorf("somebody else got the port: %v", err)
				if err == nil {
					check(t, pep.Close())
				}
			}
		})
	}
}

// TestDialFromListener calls from the port at which a passive endpoint listens, if that is asked for.
func TestDialFromListener(t *testing.T) {
	p := openPlace(t, map[string]string{"FI_TCP_REUSEPORT": "dial"})
	_, from := p.listen(t, nil)
	_, to := p.listen(t, nil)
	if name := p.connect(t, from, to); portOf(t, name) != portOf(t, from) {
		t.Errorf("called from port %d, not from %d", portOf(t, name), portOf(t, from))
	}
	p = openPlace(t, nil)
	_, from = p.listen(t, nil)
	info := p.info.Clone()
	info.SrcAddr = from
	if _, err := p.endpoint(t, info); !errors.Is(err, fi.ErrAddrInUse) {
		t.Errorf("the port of a listener, not asked for: %v", err)
	}
}

// TestPortRange takes ports for listeners from the range, and says so when it is used up.
func TestPortRange(t *testing.T) {
	low := uint16(23000 + 3*(os.Getpid()%2000)) // others may run this test, too
	for ; !freePorts(t, low, 3); low += 3 {
		if low > 29400 {
			t.Fatal("no free ports")
		}
	}
	env := map[string]string{"FI_TCP_PORT_LOW_RANGE": fmt.Sprint(low), "FI_TCP_PORT_HIGH_RANGE": fmt.Sprint(low + 2)}
	p := openPlace(t, env)
	seen := map[uint16]bool{}
	for range 3 {
		_, name := p.listen(t, nil)
		port := portOf(t, name)
		if port < low || port > low+2 || seen[port] {
			t.Errorf("port %d", port)
		}
		seen[port] = true
	}
	taken := fmt.Sprintf("all ports of FI_TCP_PORT_LOW_RANGE..FI_TCP_PORT_HIGH_RANGE (%d-%d) are taken", low, low+2)
	if _, err := p.f.OpenPassive(p.info); !errors.Is(err, fi.ErrAddrInUse) || !strings.Contains(err.Error(), taken) {
		t.Errorf("a fourth one: %v", err)
	}
}

// TestPortRangeUpsideDown gives ranges without a port: both variables are named.
func TestPortRangeUpsideDown(t *testing.T) {
	for _, env := range []map[string]string{
		{"FI_TCP_PORT_LOW_RANGE": "7490"},
		{"FI_TCP_PORT_LOW_RANGE": "7490", "FI_TCP_PORT_HIGH_RANGE": "7480"},
	} {
		infos, no := loopbackEnv(env).Offers(t.Context(), &driver.Query{Hints: &fi.Hints{}})
		if len(infos) > 0 || len(no) != 1 || !strings.HasPrefix(no[0].Have, "FI_TCP_PORT_LOW_RANGE=7490 is above FI_TCP_PORT_HIGH_RANGE=") {
			t.Errorf("%v: %d offers, %v", env, len(infos), no)
		}
	}
}

// freePorts tells whether nobody has n ports in a row.
func freePorts(t *testing.T, low, n uint16) bool {
	t.Helper()
	p := openPlace(t, nil)
	for i := range n {
		info := p.info.Clone()
		info.SrcAddr = rawAddr(t, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), low+i))
		pep, err := p.f.OpenPassive(info)
		if err != nil {
			return false
		}
		check(t, pep.Close())
	}
	return true
}

func rawAddr(t *testing.T, a netip.AddrPort) []byte {
	t.Helper()
	_, raw, err := fi.EncodeSockaddr(a)
	check(t, err)
	return raw
}
