package lnx_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// trio is an endpoint with one peer on its host and one elsewhere.
func trio(t testing.TB) (a, near, far *node, toNear, toFar fi.Addr) {
	a = open(t, map[string]string{"FI_LNX_HOST": "one"})
	near = open(t, map[string]string{"FI_LNX_HOST": "one"})
	far = open(t, map[string]string{"FI_LNX_HOST": "two"})
	return a, near, far, a.knows(near), a.knows(far)
}

// waitKept drives a node until it keeps n messages.
func (n *node) waitKept(want uint64) {
	n.t.Helper()
	for n.ep.Stats().Rx.Unexpected != want {
		if _, err := n.q.Read(nil); err != nil && !errors.Is(err, fi.ErrAgain) {
			n.t.Fatal(err)
		}
	}
}

// TestOrderOverLinks has messages come by both links in turn: receives from any source take them in the order in which
// they were found, directed ones those of their sender.
func TestOrderOverLinks(t *testing.T) {
	for _, size := range []int{8, 3000, 100_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			a, near, far, fromNear, fromFar := trio(t)
			senders := []*node{near, far}
			from := []fi.Addr{fromNear, fromFar}
			to := []fi.Addr{near.knows(a), far.knows(a)}
			const rounds = 10
			pattern := func(i int) []byte { return bytes.Repeat([]byte{byte(i + 1)}, size) }
			for i := range rounds {
				k := i * 7 % 3 % 2 // in no regular order
				senders[k].check(senders[k].ep.TSendData(pattern(i), uint64(i), to[k], 5, nil))
				a.waitKept(uint64(i + 1))
			}
			for k, want := range []string{"shm", "tcp"} {
				if got := senders[k].route(to[k]); got != want {
					t.Errorf("sender %d took %q, want %q", k, got, want)
				}
			}
			buf := make([]byte, size)
			take := func(i int, src fi.Addr) {
				t.Helper()
				clear(buf)
				a.check(a.ep.TRecv(buf, src, 5, 0, nil))
				e := a.done()
				if e.Data != uint64(i) || e.Flags&fi.CompRemoteCQData == 0 || e.Len != size || !bytes.Equal(buf, pattern(i)) {
					t.Fatalf("message %d: data %d, %d bytes, flags %v", i, e.Data, e.Len, e.Flags)
				}
				if want := from[i*7%3%2]; e.Src != want {
					t.Fatalf("message %d is from %d, want %d", i, e.Src, want)
				}
			}
			take(1, fromFar) // 1 is the first of the far one, behind one of the near one
			take(0, fi.AddrUnspec)
			for i := 2; i < rounds; i++ {
				take(i, fi.AddrUnspec)
			}
		})
	}
}

// TestPostedReceives has receives wait for messages of both links: those that name a sender get only its messages.
func TestPostedReceives(t *testing.T) {
	a, near, far, fromNear, fromFar := trio(t)
	bufs := make([][8]byte, 3)
	for i, src := range []fi.Addr{fromFar, fi.AddrUnspec, fromNear} {
		a.check(a.ep.TRecv(bufs[i][:], src, 1, 0, &bufs[i]))
	}
	near.check(near.ep.TInject([]byte("near one"), near.knows(a), 1)) // the second receive takes any
	if e := a.done(); e.Context != &bufs[1] || e.Src != fromNear {
		t.Errorf("the first message went elsewhere: %+v", e)
	}
	far.check(far.ep.TInject([]byte("far one!"), far.knows(a), 1))
	if e := a.done(); e.Context != &bufs[0] || e.Src != fromFar {
		t.Errorf("the second message went elsewhere: %+v", e)
	}
	a.check(a.ep.Cancel(&bufs[2]))
	if e, bad := a.next(); bad == nil || bad.Err != fi.ErrCanceled || e.Context != &bufs[2] {
		t.Errorf("cancel: %+v %+v", e, bad)
	}
	if string(bufs[1][:])+string(bufs[0][:]) != "near onefar one!" {
		t.Errorf("received %q and %q", bufs[1], bufs[0])
	}
}

// TestMatchComplete has sends of both links complete when they are matched, not before.
func TestMatchComplete(t *testing.T) {
	a, near, far, _, _ := trio(t)
	for i, n := range []*node{near, far} {
		n.check(n.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{[]byte("wait")}, Addr: n.knows(a), Tag: 3, Context: n}, fi.OpMatchComplete|fi.OpCompletion))
		a.waitKept(uint64(i + 1))
	}
	for _, n := range []*node{near, far} {
		if e, err := n.q.Read(nil); e != 0 || !errors.Is(err, fi.ErrAgain) && err != nil {
			t.Errorf("complete before it was matched: %d %v", e, err)
		}
	}
	buf := make([]byte, 4)
	for range 2 {
		a.check(a.ep.TRecv(buf, fi.AddrUnspec, 3, 0, nil))
		a.done()
	}
	near.done()
	far.done()
}

// TestOneKey has one region be reached by both links, with one key: writes, reads, and additions at the same time.
func TestOneKey(t *testing.T) {
	for _, mode := range []fi.MRMode{0, fi.MRModeProvKey | fi.MRModeVirtAddr} {
		t.Run(mode.String(), func(t *testing.T) {
			change := func(h *fi.Hints) { h.Domain.MRMode = mode }
			a := open(t, map[string]string{"FI_LNX_HOST": "one"}, change)
			near := open(t, map[string]string{"FI_LNX_HOST": "one"}, change)
			far := open(t, map[string]string{"FI_LNX_HOST": "two"}, change)
			mem, err := mr.Alloc(1 << 12)
			a.check(err)
			t.Cleanup(func() { a.check(mem.Free()) })
			region, err := a.d.RegisterMR(mem.Bytes(), fi.AccessRemoteRead|fi.AccessRemoteWrite, &fi.MRAttr{Key: 77})
			a.check(err)
			t.Cleanup(func() { a.check(region.Close()) })
			at := region.Remote()
			for i, n := range []*node{near, far} {
				to := n.knows(a)
				word := binary.NativeEndian.AppendUint64(nil, uint64(100+i))
				n.check(n.ep.Write(word, to, mr.Remote{Addr: at.Addr + uint64(8+8*i), Key: at.Key}, nil))
				n.done()
				back := make([]byte, 8)
				n.check(n.ep.Read(back, to, mr.Remote{Addr: at.Addr + uint64(8+8*i), Key: at.Key}, nil))
				n.done()
				if !bytes.Equal(back, word) {
					t.Errorf("%s: read %v, want %v", n.route(to), back, word)
				}
				one := binary.NativeEndian.AppendUint64(nil, 1)
				for range 50 {
					n.check(n.ep.Atomic(one, to, at, fi.TypeUint64, fi.AtomicSum, nil))
					n.done()
				}
			}
			if sum := binary.NativeEndian.Uint64(mem.Bytes()); sum != 100 {
				t.Errorf("the sum is %d, want 100", sum)
			}
			a.check(region.Close())
			for _, n := range []*node{near, far} {
				n.check(n.ep.Write(make([]byte, 8), fi.Addr(0), at, nil))
				if _, bad := n.next(); bad == nil || bad.Err != fi.ErrKeyRejected {
					t.Errorf("a key that is gone: %+v", bad)
				}
			}
		})
	}
}

// TestMap has a region be mapped by the peer on the host only.
func TestMap(t *testing.T) {
	a, near, far, _, _ := trio(t)
	mem, err := mr.Alloc(1 << 12)
	a.check(err)
	t.Cleanup(func() { a.check(mem.Free()) })
	region, err := a.d.RegisterMR(mem.Bytes(), fi.AccessRemoteRead|fi.AccessRemoteWrite, nil)
	a.check(err)
	t.Cleanup(func() { a.check(region.Close()) })
	got, unmap, err := near.ep.Map(context.Background(), near.knows(a), region.Remote(), 16)
	near.check(err)
	copy(got, "mapped")
	if string(mem.Bytes()[:6]) != "mapped" {
		t.Errorf("the region has %q", mem.Bytes()[:6])
	}
	near.check(unmap())
	if _, _, err := far.ep.Map(context.Background(), far.knows(a), region.Remote(), 16); !errors.Is(err, fi.ErrOpNotSupp) {
		t.Errorf("a peer elsewhere: %v", err)
	}
}
