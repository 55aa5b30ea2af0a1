package interop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

var privateSizes = []int{0, 1, 7, 32, 255, 256}

func private(n int, first byte) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = first + byte(i)
	}
	return string(b)
}

// newMsgLink opens both sides, which are not connected yet.
func newMsgLink(t *testing.T, s setup, mode string) *link {
	t.Helper()
	s.ep = fi.EPMsg
	kind := "msg"
	if s.shared {
		kind = "msg-shared"
	}
	c := startPeer(t, kind, "tcp", "0", mode)
	return &link{n: newNode(t, s), c: c, atC: -1, toC: fi.AddrUnspec, from: fi.AddrNotAvail}
}

// connectByUs and connectByC make a connection, in either role.
func (l *link) connectByUs(ask, answer string) {
	l.n.t.Helper()
	l.dial(ask)
	l.c.do("take")
	l.c.want("taken")
	l.c.do("accept hex=%x", answer)
	l.c.want("accepting")
	if e := l.n.event(fi.EventConnected); string(e.CMData) != answer || e.FID != l.n.ep {
		l.n.t.Errorf("connected with %q at %v, not %q", e.CMData, e.FID, answer)
	}
	l.c.event("connected")
}

func (l *link) connectByC(ask, answer string) {
	l.n.t.Helper()
	raw, err := l.n.pep.Name()
	l.n.must(err)
	l.c.do("connect hex=%x,%x", raw, ask)
	l.c.want("connecting")
	e := l.n.event(fi.EventConnReq)
	if string(e.CMData) != ask {
		l.n.t.Errorf("asked with %q, not %q", e.CMData, ask)
	}
	l.n.must(l.n.open(e.Info).Accept([]byte(answer)))
	l.n.event(fi.EventConnected)
	if got := l.c.event("connected"); got != answer {
		l.n.t.Errorf("C is connected with %q, not %q", got, answer)
	}
}

func (l *link) connectAs(role string) {
	l.n.t.Helper()
	if role == "we-ask" {
		l.connectByUs("ask", "answer")
	} else {
		l.connectByC("ask", "answer")
	}
}

// hangUp has C end the connection.
func (l *link) hangUp() {
	l.n.t.Helper()
	l.c.do("shutdown")
	l.c.want("down")
	l.c.event("shutdown")
	l.n.event(fi.EventShutdown)
}

var roles = []string{"we-ask", "C-asks"}

// TestHandshake has private data of all lengths in requests, answers and rejections, in both roles.
func TestHandshake(t *testing.T) {
	t.Parallel()
	l := newMsgLink(t, setup{}, "offset")
	for _, n := range privateSizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			l.n.t, l.c.t = t, t
			l.connectByUs(private(n, 'a'), private(256-n, 'A'))
			l.hello(false, 1)
			l.hangUp()
			l.connectByC(private(n, 'b'), private(256-n, 'B'))
			l.hello(false, 2)
			l.hangUp()

			l.dial("no?")
			l.c.do("reject hex=%x", private(n, 'c'))
			l.c.want("rejecting")
			bad := l.n.badEvent()
			if bad.Err != fi.ErrConnRefused || string(bad.ErrData) != private(n, 'c') || bad.FID != l.n.ep {
				t.Errorf("a rejection: %+v", bad)
			}
			raw, err := l.n.pep.Name()
			l.n.must(err)
			l.c.do("connect hex=%x,%x", raw, "no?")
			l.c.want("connecting")
			e := l.n.event(fi.EventConnReq)
			l.n.must(l.n.pep.Reject(e.Info.Handle, []byte(private(n, 'd'))))
			if got := l.c.event("error 111 data"); got != private(n, 'd') {
				t.Errorf("C is rejected with %q", got)
			}
		})
	}
	l.n.t, l.c.t = t, t
}

// TestShutdown: the other side is told, whoever ends a connection, and what was sent before arrives.
func TestShutdown(t *testing.T) {
	t.Parallel()
	l := newMsgLink(t, setup{}, "offset")
	for _, role := range roles {
		for _, who := range []string{"we", "C"} {
			t.Run(role+"/"+who+"-end", func(t *testing.T) {
				l.n.t, l.c.t = t, t
				l.connectAs(role)
				l.hello(false, 3)
				x, y := new(int), new(int)
				l.n.must(l.n.ep.Recv(make([]byte, 10), fi.AddrUnspec, y))
				if who == "we" {
					id := l.c.start("recv", "len=100000 seed=4")
					l.send(pattern(100000, 4), false, 0, form{}, x)
					l.n.must(l.n.ep.Shutdown())
					l.n.end(x)
					l.c.done(id)
					l.c.event("shutdown")
					l.n.event(fi.EventShutdown)
				} else {
					b := make([]byte, 5000)
					l.c.done(l.c.start("send", "to=-1 len=10 seed=4"))
					l.n.good(y)
					l.n.must(l.n.ep.Recv(b, fi.AddrUnspec, x))
					l.c.start("send", "to=-1 len=5000 seed=5")
					l.c.do("shutdown")
					l.c.want("down")
					l.n.good(x)
					l.n.same("the last message", b, 5)
					l.n.event(fi.EventShutdown)
					l.n.must(l.n.ep.Close())
					l.n.ep = nil
				}
			})
		}
	}
	l.n.t, l.c.t = t, t
}

// TestConnectedMessages has every form of message in both directions and roles.
func TestConnectedMessages(t *testing.T) {
	t.Parallel()
	for _, role := range roles {
		t.Run(role, func(t *testing.T) {
			l := newMsgLink(t, setup{}, "offset")
			l.connectAs(role)
			for _, f := range ourForms {
				t.Run("to-C/"+f.name, func(t *testing.T) {
					l.n.t, l.c.t = t, t
					for i, size := range sizes {
						if size <= f.most && (size <= 1<<16 || role == "we-ask" && f.name == "plain") {
							l.toPeer(size, false, f, uint64(i))
						}
					}
				})
			}
			for _, f := range cForms {
				t.Run("from-C/"+f.name, func(t *testing.T) {
					l.n.t, l.c.t = t, t
					for i, size := range sizes {
						if size <= f.most && (size <= 1<<16 || role == "we-ask" && f.name == "delivery-data-vector") {
							l.fromPeer(size, false, i%2 == 0, f, uint64(i))
						}
					}
				})
			}
			l.n.t, l.c.t = t, t
		})
	}
}

// TestConnectedTagged: with shared receive contexts at both sides there are tagged messages.
func TestConnectedTagged(t *testing.T) {
	t.Parallel()
	for _, role := range roles {
		t.Run(role, func(t *testing.T) {
			l := newMsgLink(t, setup{shared: true}, "offset")
			l.connectAs(role)
			for i, size := range []int{0, 1, 128, 4096, 4097, 9000, 1 << 16, 1 << 20} {
				for _, tagged := range []bool{true, false} {
					l.toPeer(size, tagged, form{}, uint64(i))
					l.toPeer(size, tagged, form{flags: fi.OpDeliveryComplete | fi.OpRemoteCQData}, uint64(i))
					l.fromPeer(size, tagged, false, form{c: "dc"}, uint64(i))
				}
			}
		})
	}
}

// TestConnectedAccess has remote accesses in both directions, and keys that are not there.
func TestConnectedAccess(t *testing.T) {
	t.Parallel()
	for _, role := range roles {
		t.Run(role, func(t *testing.T) {
			l := newMsgLink(t, setup{}, map[string]string{"we-ask": "offset", "C-asks": "virtual"}[role])
			l.connectAs(role)
			id, addr, key := l.c.region(4<<20+64, 5, 0xC0DE, role == "C-asks")
			at := mr.Remote{Addr: addr, Key: key}
			for i, size := range accessSizes[:len(accessSizes)-1] {
				l.write(id, at, size, form{}, uint64(i))
				l.write(id, at, min(size, 1<<16), form{flags: fi.OpRemoteCQData}, uint64(i))
			}
			l.writeTwo(id, at)
			l.read(at)
			mem := make([]byte, 4<<20+64)
			r, err := l.n.d.RegisterMR(mem, fi.AccessRemoteRead|fi.AccessRemoteWrite, &fi.MRAttr{Key: 77})
			l.n.must(err)
			defer r.Close() //nolint:errcheck // checked by the domain's
			for i, size := range accessSizes[:len(accessSizes)-1] {
				l.writtenByC(r, mem, "dcv", size, uint64(i))
				l.writtenByC(r, mem, "", min(size, 1<<16), uint64(i))
			}
			l.twoByC(r, mem)
			x := new(int)
			l.n.must(l.n.ep.Read(make([]byte, 8), fi.AddrUnspec, mr.Remote{Key: key + 9}, x))
			l.n.bad(x)
			l.c.event("shutdown")
			l.n.event(fi.EventShutdown)
			l.connectAs(role)
			failing := l.c.start("read", "to=-1 len=8 seed=0 addr=0 key=78")
			l.c.failed(failing)
			l.c.event("shutdown")
			l.n.event(fi.EventShutdown)
		})
	}
}

// TestPlainMsgPeer: a tagged message would crash a C peer without a shared receive context, so none is sent; it stays alive.
func TestPlainMsgPeer(t *testing.T) {
	t.Parallel()
	c := startPeer(t, "msg", "tcp", "0", "offset")
	l := &link{n: newNode(t, setup{ep: fi.EPMsg, caps: fi.CapTagged}), c: c, atC: -1, toC: fi.AddrUnspec, from: fi.AddrNotAvail}
	l.connectByUs("", "")
	for _, size := range []int{0, 8, 5000, 1 << 20} {
		for _, f := range []form{{}, {flags: fi.OpDeliveryComplete}, {flags: fi.OpRemoteCQData}} {
			x := new(int)
			l.send(make([]byte, size), true, 5, f, x)
			if e := l.n.bad(x); e.Err != fi.ErrOpNotSupp || !strings.Contains(e.Text, "shared receive context") {
				t.Errorf("%d bytes: %v", size, e)
			}
		}
	}
	x := new(int)
	l.n.must(l.n.ep.TSend(make([]byte, 8), fi.AddrUnspec, 5, x)) // by the short cut
	if e := l.n.bad(x); e.Err != fi.ErrOpNotSupp {
		t.Errorf("%v", e)
	}
	l.hello(false, 1)
}
