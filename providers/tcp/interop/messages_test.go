package interop_test

import (
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// sizes from nothing to 4 MiB, with those around every limit of either side: C's inject limit (128), ours for a payload
// that is copied behind its header and for injecting (4096), C's staging and prefetch buffers (9000), our chunk (16384).
var sizes = []int{0, 1, 8, 63, 64, 127, 128, 129, 1000, 4072, 4080, 4095, 4096, 4097, 8983, 8984, 8985, 9000, 9001,
	16367, 16368, 16384, 16385, 65535, 65536, 262144, 262145, 1 << 20, 4 << 20}

// link is an endpoint of ours and one of C that know each other.
type link struct {
	n    *node
	c    *cPeer
	atC  int     // we, in C's address vector
	toC  fi.Addr // C, in ours
	tags uint64
	from fi.Addr // who the source of C's messages is
}

func newLink(t *testing.T, s setup, mode string, env ...string) *link {
	t.Helper()
	c := startPeer(t, "rdm", "net", "0", mode, env...)
	n := newNode(t, s)
	return known(n, c)
}

// known tells both sides of each other.
func known(n *node, c *cPeer) *link {
	l := &link{n: n, c: c, atC: c.insert(n.name()), toC: n.insert(c.name())}
	l.from = l.toC
	return l
}

// form is a way to send.
type form struct {
	name   string
	most   int
	flags  fi.OpFlags
	c      string // the same as C's letters
	vector bool
}

var ourForms = []form{
	{name: "plain", most: 4 << 20},
	{name: "data", most: 1 << 16, flags: fi.OpRemoteCQData},
	{name: "delivery", most: 1 << 20, flags: fi.OpDeliveryComplete},
	{name: "transmit-data", most: 1 << 16, flags: fi.OpTransmitComplete | fi.OpRemoteCQData},
	{name: "vector", most: 1 << 20, vector: true},
	{name: "inject", most: 4096, flags: fi.OpInject},
	{name: "inject-data", most: 4096, flags: fi.OpInject | fi.OpRemoteCQData},
}

var cForms = []form{
	{name: "plain", most: 4 << 20},
	{name: "data", most: 1 << 16, c: "c"},
	{name: "delivery", most: 1 << 20, c: "d"},
	{name: "transmit-data", most: 1 << 16, c: "tc"},
	{name: "vector", most: 1 << 20, c: "v"},
	{name: "delivery-data-vector", most: 4 << 20, c: "dcv"},
	{name: "inject", most: 128, c: "i"},
	{name: "inject-data", most: 128, c: "ic"},
}

// Tags here leave the highest bit alone: net of 1.17 offers 63 bits (mem_tag_format) and drops it from completions.

const cqData = 0x1122334455667788

// send posts a message of ours.
func (l *link) send(b []byte, tagged bool, tag uint64, f form, ctx *int) {
	iov := [][]byte{b}
	if f.vector {
		iov = pieces(b)
	}
	l.n.t.Helper()
	l.n.post(func() error {
		if tagged {
			return l.n.ep.TSendMsg(&fi.TaggedMsg{Iov: iov, Addr: l.toC, Tag: tag, Context: ctx, Data: cqData}, f.flags|fi.OpCompletion)
		}
		return l.n.ep.SendMsg(&fi.Msg{Iov: iov, Addr: l.toC, Context: ctx, Data: cqData}, f.flags|fi.OpCompletion)
	})
}

func kindOf(tagged bool) string {
	if tagged {
		return "tagged"
	}
	return "msg"
}

func verb(name string, tagged bool) string {
	if tagged {
		return "t" + name
	}
	return name
}

// TestMessagesToC sends every form in every size; C checks the bytes.
func TestMessagesToC(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{"extension": nil, "plain": {"FI_TCP_EXTENSION": "0"}} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t, setup{env: env}, "offset")
			for _, tagged := range []bool{false, true} {
				for _, f := range ourForms {
					t.Run(kindOf(tagged)+"/"+f.name, func(t *testing.T) {
						l.n.t, l.c.t = t, t
						for i, size := range sizes {
							if size <= f.most && (env == nil || size <= 1<<16) {
								l.toPeer(size, tagged, f, uint64(i))
							}
						}
					})
				}
			}
			l.n.t, l.c.t = t, t
		})
	}
}

func (l *link) toPeer(size int, tagged bool, f form, seed uint64) {
	l.n.t.Helper()
	tag := uint64(0x21A2A3A4_00000000) | l.tags
	l.tags++
	id := l.c.start(verb("recv", tagged), "len=%d seed=%d tag=%d flags=%s", size, seed, tag, map[bool]string{true: "v"}[f.vector])
	x := new(int)
	l.send(pattern(size, seed), tagged, tag, f, x)
	l.n.good(x)
	got := l.c.done(id)
	want := completion{flags: fi.CompRecv | fi.CompMsg, n: size, src: int64(l.atC), wrong: -1}
	if tagged {
		want.flags, want.tag = fi.CompRecv|fi.CompTagged, tag
	}
	if f.flags&fi.OpRemoteCQData != 0 {
		want.flags, want.data = want.flags|fi.CompRemoteCQData, cqData
	}
	if !tagged {
		got.tag = 0 // 1.17 leaves what was there
	}
	if got != want {
		l.n.t.Errorf("%d bytes: C completes with %+v, not %+v", size, got, want)
	}
}

// TestMessagesFromC receives every form in every size.
func TestMessagesFromC(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{false, true} {
		t.Run(map[bool]string{false: "posted", true: "unexpected"}[early], func(t *testing.T) {
			l := newLink(t, setup{}, "offset")
			for _, tagged := range []bool{false, true} {
				for _, f := range cForms {
					t.Run(kindOf(tagged)+"/"+f.name, func(t *testing.T) {
						l.n.t, l.c.t = t, t
						for i, size := range sizes {
							if size <= f.most && (!early || tagged || size <= 1<<16) {
								l.fromPeer(size, tagged, early, f, uint64(i))
							}
						}
					})
				}
			}
			l.n.t, l.c.t = t, t
		})
	}
}

func (l *link) fromPeer(size int, tagged, early bool, f form, seed uint64) {
	l.n.t.Helper()
	tag := uint64(0x31A2A3A4_00000000) | l.tags
	l.tags++
	b, x := make([]byte, size), new(int)
	post := func() {
		if tagged {
			l.n.must(l.n.rx().TRecv(b, fi.AddrUnspec, tag, 0, x))
		} else {
			l.n.must(l.n.rx().Recv(b, fi.AddrUnspec, x))
		}
	}
	if !early {
		post()
	}
	id := l.c.start(verb("send", tagged), "to=%d len=%d seed=%d tag=%d data=%d flags=%s", l.atC, size, seed, tag, uint64(cqData), f.c)
	if early {
		post()
	}
	got := l.n.good(x)
	if f.c == "" || f.c[0] != 'i' {
		l.c.done(id)
	}
	l.n.same(fmt.Sprintf("message of %d", size), b, seed)
	want := cq.Entry{Context: x, Flags: fi.CompRecv | fi.CompMsg, Len: size, Src: l.from}
	if tagged {
		want.Flags, want.Tag = fi.CompRecv|fi.CompTagged, tag
	}
	if len(f.c) > 1 || f.c == "c" {
		want.Flags, want.Data = want.Flags|fi.CompRemoteCQData, cqData
	}
	got.Buf = nil
	if got.Flags != want.Flags || got.Len != want.Len || got.Data != want.Data || got.Tag != want.Tag || got.Src != want.Src {
		l.n.t.Errorf("%d bytes: ours completes with %+v, not %+v", size, got, want)
	}
}
