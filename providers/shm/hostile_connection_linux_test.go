package shm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// office is what a process has that listens and connects.
type office struct {
	info *fi.Info
	f    *fabric.Fabric
	d    *fabric.Domain
	eq   *fabric.EQ
	cq   *fabric.CQ
	pep  *fabric.PassiveEndpoint
	eps  []*fabric.Endpoint
}

// newOffice opens one that listens, with a backlog.
func newOffice(t testing.TB, backlog int) *office {
	t.Helper()
	reg := fabric.WithRegistry(fabric.NewRegistry(New()))
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{EP: &fi.EPAttr{Type: fi.EPMsg}}, reg)
	if err != nil {
		t.Fatal(err)
	}
	o := &office{info: infos[0]}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	o.f, err = fabric.Open(o.info, reg)
	check(err)
	o.d, err = o.f.OpenDomain(o.info)
	check(err)
	o.eq, err = o.f.OpenEQ(nil)
	check(err)
	o.cq, err = o.d.OpenCQ(nil)
	check(err)
	o.pep, err = o.f.OpenPassive(o.info)
	check(err)
	check(errors.Join(o.pep.BindEQ(o.eq), o.pep.SetBacklog(backlog), o.pep.Listen()))
	return o
}

func (o *office) name(t testing.TB) string {
	t.Helper()
	raw, err := o.pep.Name()
	if err != nil {
		t.Fatal(err)
	}
	return nameOf(raw)
}

// endpoint opens one, for a request or to ask.
func (o *office) endpoint(t testing.TB, info *fi.Info) *fabric.Endpoint {
	t.Helper()
	ep, err := o.d.OpenEndpoint(info)
	if err == nil {
		o.eps = append(o.eps, ep)
		err = errors.Join(ep.BindEQ(o.eq), ep.BindCQ(o.cq, fi.BindTransmit|fi.BindRecv), ep.Enable())
	}
	if err != nil {
		t.Fatal(err)
	}
	return ep
}

// event waits for the next event: an entry, or one in error.
func (o *office) event(t testing.TB) (e fi.EQEntry, bad fi.EQErrEntry) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	err := o.eq.SRead(ctx, &e, 0)
	if errors.Is(err, fi.ErrAvail) {
		err = o.eq.ReadErr(&bad)
	}
	if err != nil {
		t.Fatal("no event: ", err)
	}
	return e, bad
}

// close closes everything.
func (o *office) close(t testing.TB) {
	t.Helper()
	for _, ep := range o.eps {
		if err := ep.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(o.pep.Close(), o.cq.Close(), o.eq.Close(), o.d.Close(), o.f.Close()); err != nil {
		t.Error(err)
	}
}

// unharmed has a good peer connect.
func (o *office) unharmed(t testing.TB) {
	t.Helper()
	o.pair(t)
}

// pair gives both ends of a connection with ourselves.
func (o *office) pair(t testing.TB) (asker, answerer *fabric.Endpoint) {
	t.Helper()
	raw, _ := o.pep.Name()
	ep := o.endpoint(t, o.info)
	if err := ep.Connect(raw, []byte("good")); err != nil {
		t.Fatal(err)
	}
	e, bad := o.event(t)
	if e.Event != fi.EventConnReq || string(e.CMData) != "good" {
		t.Fatalf("event %v %q, %v", e.Event, e.CMData, bad.Err)
	}
	other := o.endpoint(t, e.Info)
	if err := other.Accept(nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if e, bad = o.event(t); e.Event != fi.EventConnected {
			t.Fatalf("event %v, %v", e.Event, &bad)
		}
	}
	return ep, other
}

// TestHostileRequests asks for connections in wrong ways. Each is refused, in words where the other side could understand
// them, and none is reported.
func TestHostileRequests(t *testing.T) {
	leaves(t)
	o := newOffice(t, 8)
	defer o.close(t)
	good := (&hello{kind: helloConnection, name: "x", incarnation: 1}).marshal()
	spoil := func(f func(b []byte) []byte) []byte { return f(append([]byte(nil), good...)) }
	at := func(i int, v byte) []byte { return spoil(func(b []byte) []byte { b[i] = v; return b }) }
	rings := func() *shmem.File { return create(t, ring.PairBytes, 0) }
	tab, err := newTable()
	if err != nil {
		t.Fatal(err)
	}
	defer tab.close()
	for _, c := range []struct {
		name  string
		bytes []byte
		fds   []int
		want  string // part of the reason; empty: the connection just ends
	}{
		{"nothing", nil, nil, ""},
		{"another program", []byte("GET / HTTP/1.0\r\n\r\n"), nil, "another program"},
		{"a newer release that speaks ours no more", spoil(func(b []byte) []byte { b[8], b[10] = 9, 9; return b }), nil, "versions 9 to 9"},
		{"short", good[:200], nil, "malformed"},
		{"too much private data", spoil(func(b []byte) []byte { return append(b, make([]byte, cmDataSize+1)...) }), nil, "malformed"},
		{"a type that is none", at(14, 3), nil, "malformed"},
		{"datagrams", at(14, 2), nil, "for connections"},
		{"no name", at(64, 0), nil, "malformed"},
		{"an answer", at(20, 111), nil, "malformed"},
		{"an endpoint without connections", at(14, 0), nil, "FI_EP_MSG"},
		{"no descriptors", good, []int{}, "without its memory"},
		{"three descriptors", good, []int{rings().FD(), tab.file.FD(), tab.file.FD()}, "without its memory"},
		{"a pipe", good, []int{pipe(t), tab.file.FD()}, "not an ordinary memory file"},
		{"rings of another size", good, []int{create(t, ring.PairBytes*2, 0).FD(), tab.file.FD()}, "another size"},
		{"table of another size", good, []int{rings().FD(), rings().FD()}, "another size"},
		{"larger than a message can be", make([]byte, shmem.MaxMessage+1), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := dial(t, o.name(t))
			defer s.Close()
			if c.bytes == nil {
				return
			}
			if err := s.Send(c.bytes, c.fds...); err != nil {
				if len(c.bytes) <= shmem.MaxMessage {
					t.Fatal(err)
				}
				return
			}
			h := &hostile{t: t, conn: s}
			h.refused(c.want)
		})
	}
	o.unharmed(t)
}

// TestHostileSilence connects and says nothing, more often than requests may wait: good peers have their turn when the
// silent ones have had their time.
func TestHostileSilence(t *testing.T) {
	leaves(t)
	o := newOffice(t, 2)
	defer o.close(t)
	for range 3 {
		defer dial(t, o.name(t)).Close()
	}
	o.unharmed(t)
}

// attack has a hostile peer ask, and accepts it.
func (o *office) attack(t testing.TB) (*hostile, *fabric.Endpoint) {
	t.Helper()
	h := &hostile{t: t}
	var err error
	if h.file, err = shmem.Create("gofabric-hostile", ring.PairBytes, 0); err != nil {
		t.Fatal(err)
	}
	if h.table, err = newTable(); err != nil {
		t.Fatal(err)
	}
	if h.conn, err = shmem.Connect((&config{}).socketAddr(o.name(t))); err != nil {
		t.Fatal(err)
	}
	hi := &hello{kind: helloConnection, incarnation: rand.Uint64(), name: fmt.Sprintf("hostile-%d", os.Getpid()), features: featurePlain}
	if err := h.conn.Send(hi.marshal(), h.file.FD(), h.table.file.FD()); err != nil {
		t.Fatal(err)
	}
	e, _ := o.event(t)
	ep := o.endpoint(t, e.Info)
	if err := ep.Accept([]byte("welcome")); err != nil {
		t.Fatal(err)
	}
	a, err := parseHello(h.recv().Bytes())
	if err != nil || a.kind != helloConnection || string(a.data) != "welcome" {
		t.Fatalf("the answer is %+v, %v", a, err)
	}
	fds, err := h.msg.Take(1)
	if err != nil {
		t.Fatal(err)
	}
	h.them, err = mapTable(fds[0])
	shmem.CloseFD(fds[0])
	if err != nil {
		t.Fatal(err)
	}
	if h.ring, err = ring.Layout(h.file.Bytes(), ring.Config{Side: ring.Maker}); err != nil {
		t.Fatal(err)
	}
	if e, bad := o.event(t); e.Event != fi.EventConnected || e.FID != any(ep) {
		t.Fatalf("event %v, %v", e.Event, &bad)
	}
	return h, ep
}

// TestHostilePairByRequest is accepted and then breaks the protocol in the ring: the connection ends, another one lives.
func TestHostilePairByRequest(t *testing.T) {
	leaves(t)
	o := newOffice(t, 8)
	defer o.close(t)
	h, ep := o.attack(t)
	defer h.close()
	h.put(31, 0, 0, 0, nil) // no such message
	if e, bad := o.event(t); e.Event != fi.EventShutdown || e.FID != any(ep) {
		t.Fatalf("event %v, %v, want FI_SHUTDOWN", e.Event, &bad)
	}
	if err := ep.Send(nil, 0, nil); !errors.Is(err, fi.ErrShutdown) {
		t.Errorf("a send afterwards: %v", err)
	}
	o.unharmed(t)
}

// TestHostileReplies asks for a connection where something else listens: the event in error says what.
func TestHostileReplies(t *testing.T) {
	leaves(t)
	o := newOffice(t, 8)
	defer o.close(t)
	good := hello{kind: helloConnection, name: "x"}
	for name, c := range map[string]struct {
		answer []byte
		want   string
	}{
		"other versions":      {func() []byte { b := good.marshal(); b[8], b[10] = 7, 7; return b }(), "versions 7 to 7"},
		"another program":     {[]byte("220 mail.example.org ESMTP ready"), "another program"},
		"a refusal":           {(&hello{status: fi.ErrProto, reason: "it is \x1b[31mMonday"}).marshal(), "refused: it is ?[31mMonday"},
		"a rejection":         {(&hello{kind: helloConnection, status: fi.ErrConnRefused, data: []byte("full")}).marshal(), rejection},
		"another type":        {(&hello{name: "x"}).marshal(), "another type"},
		"no table":            {good.marshal(), "descriptors"},
		"much private data":   {append(good.marshal(), make([]byte, cmDataSize+1)...), "malformed"},
		"the end, not a word": {nil, "before it answered"},
	} {
		t.Run(name, func(t *testing.T) {
			peer := fmt.Sprintf("other-%d-%p", os.Getpid(), t)
			l, err := shmem.Listen((&config{}).socketAddr(peer))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			ep := o.endpoint(t, o.info)
			if err := ep.Connect([]byte(prefix+peer), nil); err != nil {
				t.Fatal(err)
			}
			var s *shmem.Conn
			eventually(t, "a call", func() bool { s, err = l.Accept(); return err == nil })
			defer s.Close()
			if m := (&hostile{t: t, conn: s}).recv(); m != nil {
				m.Close()
			}
			if c.answer != nil {
				s.Send(c.answer)
			} else {
				s.Close()
			}
			_, bad := o.event(t)
			if bad.FID != any(ep) || bad.Err == 0 || !strings.Contains(bad.Text, c.want) {
				t.Errorf("%v: %q, want %q in it", bad.Err, bad.Text, c.want)
			}
			if _, err := ep.GetPeer(); !errors.Is(err, fi.ErrNotConn) {
				t.Errorf("the peer: %v", err)
			}
		})
	}
	o.unharmed(t)
}

// TestConnectAtStranger asks an endpoint that has no connections, and one that nobody hears: both are refusals in words.
func TestConnectAtStranger(t *testing.T) {
	leaves(t)
	o := newOffice(t, 8)
	defer o.close(t)
	n := newNode(t, opt{})
	reserved := o.endpoint(t, named(o.info, fmt.Sprintf("reserved-%d", os.Getpid())))
	raw, err := reserved.Name()
	if err != nil {
		t.Fatal(err)
	}
	for want, to := range map[string][]byte{"no passive endpoint listens": n.addr, "calls Listen": raw} {
		ep := o.endpoint(t, o.info)
		if err := ep.Connect(to, nil); err != nil {
			t.Fatal(err)
		}
		if _, bad := o.event(t); bad.Err != fi.ErrConnRefused || !strings.Contains(bad.Text, want) {
			t.Errorf("%v: %q, want FI_ECONNREFUSED and %q", bad.Err, bad.Text, want)
		}
	}
	ep, err := o.d.OpenEndpoint(named(o.info, nameOf(raw)))
	if err != nil {
		t.Fatal(err)
	}
	o.eps = append(o.eps, ep)
	if err := errors.Join(ep.BindEQ(o.eq), ep.BindCQ(o.cq, fi.BindTransmit|fi.BindRecv)); err != nil {
		t.Fatal(err)
	}
	if err := ep.Enable(); !errors.Is(err, fi.ErrAddrInUse) {
		t.Errorf("a name that another endpoint has: %v, want FI_EADDRINUSE", err)
	}
	ctx := new(int)
	if err := n.ep.TSend([]byte("hello"), n.insert(t, []byte(prefix+o.name(t))), 1, ctx); err != nil {
		t.Fatal(err)
	}
	if c := n.wait(t); c.err == 0 || !strings.Contains(c.text, "FI_EP_MSG") {
		t.Errorf("a message without a connection to a passive endpoint: %v %q", c.err, c.text)
	}
	o.unharmed(t)
}

func named(info *fi.Info, name string) *fi.Info {
	i := info.Clone()
	i.SrcAddr = []byte(prefix + name)
	return i
}

// TestConnectTimesOut asks a peer that listens and is stopped.
func TestConnectTimesOut(t *testing.T) {
	t.Setenv("FI_SHM_CONNECT_TIMEOUT", "10")
	leaves(t)
	o := newOffice(t, 8)
	defer o.close(t)
	peer := fmt.Sprintf("stopped-%d", os.Getpid())
	l, err := shmem.Listen((&config{}).socketAddr(peer))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	began := time.Now()
	ep := o.endpoint(t, o.info)
	if err := ep.Connect([]byte(prefix+peer), nil); err != nil {
		t.Fatal(err)
	}
	if _, bad := o.event(t); bad.Err != fi.ErrTimedOut {
		t.Errorf("%v: %q, want FI_ETIMEDOUT", bad.Err, bad.Text)
	}
	if d := time.Since(began); d < 150*time.Millisecond {
		t.Errorf("given up after %v", d)
	}
}

// TestConnectInFolder connects by socket files; none is left.
func TestConnectInFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("FI_SHM_SOCKET_DIR", dir)
	leaves(t)
	o := newOffice(t, 8)
	o.endpoint(t, named(o.info, "alice"))
	o.unharmed(t)
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("%v, %v: want the listener's socket and that of the name", files, err)
	}
	o.close(t)
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v are left, %v", files, err)
	}
}
