package fabric_test

import (
	"sync"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/selftalk"
	"github.com/gofabric/gofabric/providers/mem"
)

// TestStats does some of everything, and finds it in the numbers, also when the objects are closed.
func TestStats(t *testing.T) {
	k := selftalk.Open(t, mem.New(), fi.CapMsg|fi.CapTagged|fi.CapRMA|fi.CapAtomic)
	region, err := k.Domain.RegisterMR(make([]byte, 64), fi.AccessRemoteRead|fi.AccessRemoteWrite, nil)
	k.Check(err)
	for range 3 {
		k.Check(k.EP.Recv(make([]byte, 16), fi.AddrUnspec, nil), k.EP.Send(make([]byte, 16), 0, nil))
		k.Read(2)
	}
	k.Check(k.EP.TInject(make([]byte, 4), 0, 7))
	if s := k.EP.Stats(); s.Rx.Unexpected != 1 || s.Rx.Kept != 1 || s.Rx.UnexpectedBytes < 4 {
		t.Errorf("with a message that waits: %+v", s.Rx)
	}
	k.Check(k.EP.TRecv(make([]byte, 2), fi.AddrUnspec, 7, 0, nil)) // too short: fails
	k.Read(1)
	k.Check(k.EP.Write(make([]byte, 32), 0, region.Remote(), nil), k.EP.Read(make([]byte, 8), 0, region.Remote(), nil))
	k.Read(2)
	bad := region.Remote()
	bad.Addr = 1 << 20
	k.Check(k.EP.Write(make([]byte, 32), 0, bad, nil))
	k.Read(1)
	k.Check(k.EP.Recv(make([]byte, 16), fi.AddrUnspec, nil), k.EP.TRecv(nil, fi.AddrUnspec, 1, 0, nil))

	want := map[fi.OpKind]fi.OpStats{
		fi.OpKindSend: {Done: 3, Bytes: 48}, fi.OpKindRecv: {Done: 3, Bytes: 48}, fi.OpKindTSend: {Done: 1, Bytes: 4}, fi.OpKindTRecv: {Failed: 1},
		fi.OpKindWrite: {Done: 1, Failed: 1, Bytes: 32}, fi.OpKindRead: {Done: 1, Bytes: 8},
		fi.OpKindRemoteWrite: {Done: 1, Bytes: 32}, fi.OpKindRemoteRead: {Done: 1, Bytes: 8},
	}
	check := func(name string, ops fi.OpTable, want map[fi.OpKind]fi.OpStats) {
		t.Helper()
		n := 0
		for kind, s := range ops.All() {
			n++
			if s != want[kind] {
				t.Errorf("%s: %v: %+v, want %+v", name, kind, s, want[kind])
			}
		}
		if n != len(want) {
			t.Errorf("%s: %d kinds, want %d", name, n, len(want))
		}
	}
	ep, q := k.EP.Stats(), k.CQ.Stats()
	check("endpoint", ep.Ops, want)
	if ep.Rx.Posted != 2 || ep.Rx.Unexpected != 0 || ep.Rx.UnexpectedBytes != 0 {
		t.Errorf("receives: %+v", ep.Rx)
	}
	if q.Written != 10 || q.Read != 10 || q.Errors != 2 || q.Depth != 0 || q.MostDeep != 2 {
		t.Errorf("queue: %+v", q)
	}
	if m := region.Stats(); m.Bytes != 64 || m.Write != (fi.OpStats{Done: 1, Failed: 1, Bytes: 32}) || m.Read != (fi.OpStats{Done: 1, Bytes: 8}) {
		t.Errorf("region: %+v", m)
	}
	d := k.Domain.Stats()
	check("domain", d.Endpoint.Ops, want)
	if d.Endpoints != 1 || d.CQs != 1 || d.AVs != 1 || d.MRs != 1 || d.MRBytes != 64 || d.AV.Addresses != 1 || d.CQ != q {
		t.Errorf("domain: %+v", d)
	}

	k.Check(k.EP.Close(), region.Close())
	want[fi.OpKindRecv], want[fi.OpKindTRecv] = fi.OpStats{Done: 3, Failed: 1, Bytes: 48}, fi.OpStats{Failed: 2}
	check("closed endpoint", k.EP.Stats().Ops, want)
	q = k.CQ.Stats()
	if q.Depth != 2 || q.MostDeep != 2 || q.Errors != 4 {
		t.Errorf("queue with two errors unread: %+v", q)
	}
	k.Check(k.CQ.Close(), k.AV.Close())
	if s := k.CQ.Stats(); s != q {
		t.Errorf("closed queue: %+v, before %+v", s, q)
	}
	if m := region.Stats(); m.Bytes != 0 || m.Write.Done != 1 {
		t.Errorf("closed region: %+v", m)
	}
	d = k.Domain.Stats()
	check("domain without objects", d.Endpoint.Ops, want)
	q.Depth = 0
	if d.Endpoints+d.CQs+d.AVs+d.MRs+d.MRBytes+d.AV.Addresses != 0 || d.Registered != 1 || d.MostBytes != 64 || d.CQ != q || d.AV.Inserted != 1 {
		t.Errorf("domain without objects: %+v", d)
	}
}

// TestStatsBeside looks at the numbers while operations run: they never fall, and nobody is disturbed, which the race
// detector sees..
func TestStatsBeside(t *testing.T) {
	k := selftalk.Open(t, mem.New(), fi.CapTagged)
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		var last fi.DomainStats
		for {
			d := k.Domain.Stats()
			for kind := range d.Endpoint.Ops {
				if d.Endpoint.Ops[kind].Done < last.Endpoint.Ops[kind].Done {
					t.Errorf("%v fell from %d to %d", fi.OpKind(kind), last.Endpoint.Ops[kind].Done, d.Endpoint.Ops[kind].Done)
				}
			}
			if last = d; d.CQ.Depth > 64 {
				t.Errorf("depth %d", d.CQ.Depth)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	var e [2]cq.Entry
	for range 20000 {
		k.Check(k.EP.TRecv(e0[:], fi.AddrUnspec, 1, 0, nil), k.EP.TSend(e1[:], 0, 1, nil))
		if n, err := k.CQ.Read(e[:]); n != 2 {
			t.Fatal(n, err)
		}
	}
	close(stop)
	all.Wait()
	if s := k.EP.Stats(); s.Ops[fi.OpKindTSend].Done != 20000 || s.Ops[fi.OpKindTRecv].Bytes != 20000*8 {
		t.Errorf("%+v", s.Ops)
	}
}

var e0, e1 [8]byte
