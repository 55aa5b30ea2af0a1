package interop_test

import (
	"errors"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// TestAcksInOrder sends many messages that want an ack before C has posted any receive; C then posts them in reverse.
func TestAcksInOrder(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{}, "offset")
	l.hello(true, 0)
	const count = 40
	var ctx []*int
	for i := range count {
		x := new(int)
		ctx = append(ctx, x)
		l.send(pattern(3000+i, uint64(i)), true, uint64(i), form{flags: fi.OpDeliveryComplete}, x)
	}
	var ids []int
	for i := range count {
		ids = append(ids, l.c.start("trecv", "len=%d seed=%d tag=%d", 3000+i, i, i))
	}
	for i := range count {
		l.n.good(ctx[i])
		l.c.done(ids[i])
	}
}

// TestUnexpectedFromC has C send many messages that nobody here has posted a receive for, acks wanted, tagged and not.
func TestUnexpectedFromC(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{}, "offset")
	l.hello(true, 0)
	const count = 60
	var tagged, plain []int
	for i := range count {
		tagged = append(tagged, l.c.start("tsend", "to=%d len=%d seed=%d tag=%d flags=d", l.atC, 100*i, i, i))
		plain = append(plain, l.c.start("send", "to=%d len=%d seed=%d flags=%s", l.atC, 90*i, i, []string{"", "d"}[i%2]))
	}
	for i := count - 1; i >= 0; i-- {
		b, x := make([]byte, 100*i), new(int)
		l.n.must(l.n.ep.TRecv(b, fi.AddrUnspec, uint64(i), 0, x))
		l.n.good(x)
		l.n.same("a tagged message", b, uint64(i))
	}
	for i := range count {
		b, x := make([]byte, 90*i), new(int)
		l.n.must(l.n.ep.Recv(b, fi.AddrUnspec, x))
		l.n.good(x)
		l.n.same("a message", b, uint64(i))
		l.c.done(tagged[i])
		l.c.done(plain[i])
	}
}

// TestBothFlood has both sides send large messages at once, more than the sockets hold, before anybody receives: neither
// waits for the other to read first.
func TestBothFlood(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{}, "offset")
	l.hello(true, 0)
	const count, size = 4, 4 << 20
	var sent, got []*int
	var ids, in []int
	buffers := make([][]byte, count)
	for i := range count {
		x := new(int)
		sent = append(sent, x)
		l.send(pattern(size, uint64(i)), true, uint64(i), form{flags: fi.OpDeliveryComplete}, x)
		ids = append(ids, l.c.start("tsend", "to=%d len=%d seed=%d tag=%d flags=d", l.atC, size, 10+i, i))
	}
	for i := range count {
		buffers[i] = make([]byte, size)
		x := new(int)
		got = append(got, x)
		l.n.must(l.n.ep.TRecv(buffers[i], l.toC, uint64(i), 0, x))
		in = append(in, l.c.start("trecv", "len=%d seed=%d tag=%d", size, i, i))
	}
	for i := range count {
		l.n.good(got[i])
		l.n.same("a large message", buffers[i], uint64(10+i))
		l.n.good(sent[i])
		l.c.done(in[i])
		l.c.done(ids[i])
	}
}

// TestStalledPeer: C stops reading when an untagged message finds no receive. What we send meanwhile waits and arrives.
func TestStalledPeer(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{}, "offset")
	l.hello(true, 0)
	const count = 300
	var ctx []*int
	for i := range count {
		x := new(int)
		ctx = append(ctx, x)
		l.send(pattern(2000, uint64(i)), false, 0, form{}, x)
	}
	large := new(int)
	l.send(pattern(4<<20, 99), false, 0, form{flags: fi.OpDeliveryComplete}, large)
	for i := range count {
		l.c.done(l.c.start("recv", "len=2000 seed=%d", i))
		l.n.good(ctx[i])
	}
	id := l.c.start("recv", "len=%d seed=99", 4<<20)
	l.c.done(id)
	l.n.good(large)
}

// TestWrongKeys: without the extension a wrong key ends the connection. The access fails, the next operation connects.
func TestWrongKeys(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{}, "offset")
	l.hello(true, 0)
	_, _, key := l.c.region(1000, 5, 0xC0DE, false)
	for _, at := range []mr.Remote{{Key: key + 1}, {Addr: 990, Key: key}, {Addr: 1<<64 - 8, Key: key}} {
		x := new(int)
		l.n.post(func() error { return l.n.ep.Read(make([]byte, 20), l.toC, at, x) })
		if e := l.n.bad(x); errors.Is(e, fi.ErrCanceled) {
			t.Errorf("%+v: %v", at, e)
		}
		x = new(int)
		l.n.post(func() error {
			return l.n.ep.WriteMsg(&fi.RMAMsg{Iov: [][]byte{make([]byte, 20)}, Addr: l.toC, Context: x,
				RMAIov: []fi.RMAIov{{Addr: at.Addr, Key: at.Key, Len: 20}}}, fi.OpDeliveryComplete|fi.OpCompletion)
		})
		l.n.bad(x)
		l.toPeer(100, true, form{}, 1)
		l.fromPeer(100, true, false, form{}, 2)
	}
	mem := pattern(1000, 3)
	r, err := l.n.d.RegisterMR(mem, fi.AccessRemoteRead, &fi.MRAttr{Key: 9})
	l.n.must(err)
	defer r.Close() //nolint:errcheck // checked by the domain's
	for _, c := range []struct {
		verb string
		addr uint64
		key  int
	}{{"read", 0, 8}, {"read", 990, 9}, {"write", 0, 9}} {
		id := l.c.start(c.verb, "to=%d len=20 seed=1 addr=%d key=%d flags=%s", l.atC, c.addr, c.key, map[string]string{"write": "d"}[c.verb])
		if got := l.c.failed(id); got == 0 {
			t.Errorf("%+v: C's access has not failed", c)
		}
		l.n.same("memory", mem, 3)
		l.fromPeer(100, true, false, form{}, 4)
		l.toPeer(100, true, form{}, 5)
	}
}

// TestTooLong: a message longer than its receive is cut here, and the connection stays.
func TestTooLong(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{}, "offset")
	l.hello(true, 0)
	for _, size := range []int{101, 5000, 1 << 20} {
		b, x := make([]byte, 100), new(int)
		l.n.must(l.n.ep.TRecv(b, fi.AddrUnspec, 5, 0, x))
		id := l.c.start("tsend", "to=%d len=%d seed=1 tag=5 flags=d", l.atC, size)
		e := l.n.bad(x)
		if e.Err != fi.ErrTruncated || e.OLen != size-100 {
			t.Errorf("%d into 100: %v", size, e)
		}
		l.n.same("the part that fits", b, 1)
		l.c.done(id)
		l.hello(true, 3)
	}
	// 1.17 closes the connection in the reverse case; the next message connects again.
	x := new(int)
	id := l.c.start("trecv", "len=100 seed=1 tag=5")
	l.send(pattern(200, 1), true, 5, form{}, x)
	l.n.end(x)
	if got := l.c.failed(id); got != fi.ErrTruncated {
		t.Errorf("C says %v", got)
	}
	l.fromPeer(100, true, false, form{}, 5)
	l.toPeer(100, true, form{}, 6)
}

// TestBeyondC: what C's protocol has no words for is refused here, and C sees nothing of it.
func TestBeyondC(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{}, "offset")
	l.hello(true, 0)
	_, addr, key := l.c.region(64, 5, 1, false)
	x := new(int)
	l.n.post(func() error {
		return l.n.ep.Atomic(make([]byte, 8), l.toC, mr.Remote{Addr: addr, Key: key}, fi.TypeUint64, fi.AtomicSum, x)
	})
	if e := l.n.bad(x); e.Err != fi.ErrOpNotSupp {
		t.Errorf("an atomic: %v", e)
	}
	x = new(int)
	l.send(pattern(8, 1), true, 5, form{flags: fi.OpMatchComplete}, x)
	if e := l.n.bad(x); e.Err != fi.ErrOpNotSupp {
		t.Errorf("a message with match completion: %v", e)
	}
	l.hello(true, 1)
}

// TestPeerDies kills C with all kinds of operations under way: each ends once, with an error.
func TestPeerDies(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{}, "offset")
	l.hello(true, 0)
	_, addr, key := l.c.region(4<<20, 5, 1, false)
	at := mr.Remote{Addr: addr, Key: key}
	var ctx []*int
	next := func() *int {
		ctx = append(ctx, new(int))
		return ctx[len(ctx)-1]
	}
	l.send(pattern(100, 1), false, 0, form{}, new(int)) // finds no receive: C reads no further
	for range 3 {
		l.send(pattern(4<<20, 1), false, 0, form{}, next())
		l.send(pattern(100, 1), true, 5, form{flags: fi.OpDeliveryComplete}, next())
		x := next()
		l.n.post(func() error { return l.n.ep.Read(make([]byte, 4<<20), l.toC, at, x) })
		y := next()
		l.n.post(func() error { return l.n.ep.Write(pattern(4<<20, 1), l.toC, at, y) })
	}
	l.c.kill()
	failed := 0
	for _, x := range ctx {
		if r := l.n.end(x); r.err != nil {
			failed++
			if r.err.Text == "" {
				t.Errorf("no words for %v", r.err)
			}
		}
	}
	if failed < len(ctx)-3 {
		t.Errorf("%d of %d operations fail", failed, len(ctx))
	}
}
