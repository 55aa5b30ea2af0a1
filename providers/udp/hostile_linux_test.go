package udp_test

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// FuzzDatagram sends any bytes to an endpoint: they come as they are or, where there is too little room, cut.
func FuzzDatagram(f *testing.F) {
	for _, n := range []int{0, 1, 64, 1472, 1473, 9000, 65507} {
		f.Add(bytes.Repeat([]byte{byte(n)}, n), uint16(1472))
	}
	s := open(f, nil, nil, netip.AddrPort{})
	c := stranger(f, "127.0.0.1:0")
	f.Fuzz(func(t *testing.T, data []byte, room uint16) {
		if len(data) > 65507 {
			return
		}
		s.t = t
		check(t, c.SetDeadline(time.Now().Add(patience)))
		buf := bytes.Repeat([]byte{0xA5}, int(room)+8)
		check(t, s.ep.Recv(buf[:room], fi.AddrUnspec, s.ctx))
		_, err := c.WriteToUDPAddrPort(data, s.addr())
		check(t, err)
		got := 0
		if len(data) > int(room) {
			got = s.nextErr().Len
		} else {
			got = s.next().Len
		}
		if want := min(len(data), int(room)); got != want || !bytes.Equal(buf[:got], data[:got]) {
			t.Fatalf("%d bytes of %d into %d", got, len(data), room)
		}
		if !bytes.Equal(buf[got:], bytes.Repeat([]byte{0xA5}, len(buf)-got)) {
			t.Fatalf("bytes were written behind the %d that came", got)
		}
	})
}

// TestFlood has strangers send whatever they like, all the time, to an endpoint that posts no receive: it does not spin
// over them while it waits, and works when it does post some.
func TestFlood(t *testing.T) {
	a, b := pair(t, nil, nil)
	c := stranger(t, "127.0.0.1:0")
	junk := make([]byte, 3000)
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		_, err := c.WriteToUDPAddrPort(junk[:r.IntN(len(junk))], b.addr())
		check(t, err)
	}
	var e [1]cq.Entry
	if n, err := b.q.Read(e[:]); n != 0 || err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
		t.Fatalf("a completion without a receive: %d %v", n, err)
	}
	for dst, got := make([]byte, 3000), 0; ; got++ { // what was kept, then what a sends
		check(t, b.ep.Recv(dst, fi.AddrUnspec, b.ctx))
		check(t, a.ep.Inject([]byte("at last"), 0))
		if e := b.next(); string(dst[:e.Len]) == "at last" && e.Src == 0 {
			break
		}
		if got > 2000 {
			t.Fatal("more was kept than was sent")
		}
	}
}
