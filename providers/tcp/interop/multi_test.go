package interop_test

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestMultiReceive has one buffer take many messages, at either side.
func TestMultiReceive(t *testing.T) {
	t.Parallel()
	l := newLink(t, setup{}, "offset")
	const count, size, room, least = 12, 1000, 10500, 600 // ten fit, and then less than least is left
	t.Run("at-C", func(t *testing.T) {
		l.n.t, l.c.t = t, t
		one := l.c.start("recv", "len=%d seed=0 min=%d flags=m", room, least)
		two := l.c.start("recv", "len=%d seed=10 min=%d flags=m", room, least)
		for i := range count {
			x := new(int)
			l.send(pattern(size, uint64(i)), false, 0, form{}, x)
			l.n.good(x)
		}
		for i := range count {
			id, at := one, i
			if i >= 10 {
				id, at = two, i-10
			}
			if c := l.c.done(id); c.at != at*size || c.n != size {
				t.Errorf("message %d: %+v", i, c)
			}
		}
		l.c.want("released", one)
		for i := range 8 { // fill the second one, so that it is given back, too
			x := new(int)
			l.send(pattern(size, uint64(count+i)), false, 0, form{}, x)
			l.n.good(x)
			l.c.done(two)
		}
		l.c.want("released", two)
	})
	t.Run("here", func(t *testing.T) {
		l.n.t, l.c.t = t, t
		l.n.must(l.n.ep.SetMinMultiRecv(least))
		b, x := make([]byte, room), new(int)
		l.n.must(l.n.ep.RecvMsg(&fi.Msg{Iov: [][]byte{b}, Addr: fi.AddrUnspec, Context: x}, fi.OpMultiRecv|fi.OpCompletion))
		for i := range 10 {
			l.c.done(l.c.start("send", "to=%d len=%d seed=%d", l.atC, size, i))
			e := l.n.good(x)
			l.n.same("a message in a buffer for many", e.Buf, uint64(i))
			if e.Len != size || (e.Flags&fi.CompMultiRecv != 0) != (i == 9) {
				t.Errorf("message %d: %+v", i, e)
			}
		}
	})
	l.n.t, l.c.t = t, t
}
