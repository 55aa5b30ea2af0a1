package tcp

import (
	"net/netip"
	"syscall"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// TestReturnDuringFarewell has a peer that nobody needs agree that its connection ends, and call again before we have read
// that: it keeps its place in the table, where what is sent to it looks for its connection.
func TestReturnDuringFarewell(t *testing.T) {
	t.Run("idle", func(t *testing.T) { returnDuringFarewell(t, false) })
	// Somebody sends to it meanwhile: with the end of the old connection we begin to call, too, and of both calls one stays.
	t.Run("wanted", func(t *testing.T) { returnDuringFarewell(t, true) })
}

func returnDuringFarewell(t *testing.T, wanted bool) {
	cfg, err := readConfig(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	info := &fi.Info{EP: fi.EPAttr{Type: fi.EPRDM}}
	d, err := newDomain(cfg, info, driver.Logger{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.src.close()
	e := &endpoint{d: d, name: netip.MustParseAddrPort("127.0.0.1:1"), peers: map[netip.AddrPort]*peer{}, conns: map[*conn]struct{}{}}
	e.Info, e.Rx = info, rdm.NewRx(d.eng, info)
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fds[1])
	enc := wire.NewEncoder(wire.Little)
	b := make([]byte, wire.BaseSize)
	if n := enc.PutExtGoodbye(b, wire.GoodbyeAgree); n != len(b) {
		t.Fatalf("%d bytes", n)
	}
	if _, err := syscall.Write(fds[1], b); err != nil {
		t.Fatal(err)
	}

	d.eng.Lock() // as the reader of the socket has it
	defer d.eng.Unlock()
	p := e.peerAt(netip.MustParseAddrPort("127.0.0.1:2"))
	old := e.newConn(fds[0], connAsked)
	old.to, p.c = p, old
	old.established(wire.Little, wire.RDMVersion, true, wire.AllFeatures)
	old.bye = byeAsked
	if wanted {
		p.deferOp(&op{to: p})
	}
	again := &conn{s: d.src, owner: e, fd: fds[1]}
	if !again.wins(p, 1) {
		t.Error("the call is rejected")
	}
	if old.state != connDead || p.c != nil {
		t.Fatal("the old connection is still there: the farewell was not read")
	}
	for c := range e.conns {
		t.Errorf("a connection in state %d beside that of the peer", c.state)
	}
	if p.deferred.Len() > 0 != wanted {
		t.Errorf("%d operations wait", p.deferred.Len())
	}
	if e.peerAt(p.addr) != p {
		t.Error("the peer was forgotten while it called again")
	}
	if p.refs != 0 {
		t.Errorf("%d references", p.refs)
	}
}
