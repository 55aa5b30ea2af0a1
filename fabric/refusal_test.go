package fabric_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/mem"
)

// TestExplainGroupsAndTriggers makes the mistakes that only collective and triggered calls can have. Each is told by its own
// cause and cure, and none by the causes of a call to a peer.
func TestExplainGroupsAndTriggers(t *testing.T) {
	reg := fabric.WithRegistry(fabric.NewRegistry(mem.New()))
	hints := &fi.Hints{Caps: fi.CapMsg | fi.CapTagged | fi.CapAtomic | fi.CapRMA | fi.CapCollective | fi.CapTrigger, EP: &fi.EPAttr{Type: fi.EPRDM}}
	info := must(fabric.GetInfo(context.Background(), hints, reg))[0]
	net := must(fabric.Open(info, reg))
	d := must(net.OpenDomain(info))
	av, q, eq := must(d.OpenAV(nil)), must(d.OpenCQ(nil)), must(net.OpenEQ(nil))
	ep := must(d.OpenEndpoint(info))
	check(errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.BindEQ(eq), ep.Enable()))
	must(av.Insert([][]byte{must(ep.Name())}, nil, 0))
	join := func(flags fi.AVSetFlags) *fabric.MC {
		mc := must(ep.JoinCollective(fi.AddrNotAvail, must(av.OpenSet(&fi.AVSetAttr{Flags: flags | fi.AVSetUniverse})), 0, nil))
		var joined fi.EQEntry
		check(eq.SRead(context.Background(), &joined, 0))
		return mc
	}
	group, barriers := join(0).Addr(), join(fi.AVSetBarrier).Addr()
	nine, eight := make([]byte, 9), make([]byte, 8)
	other := must(must(net.OpenDomain(info)).OpenCounter(nil))
	send := func(ctx any, more fi.OpFlags) error {
		return ep.SendMsg(&fi.Msg{Iov: [][]byte{eight}, Addr: 0, Context: ctx}, fi.OpTrigger|more)
	}
	reduce := func(buf, result []byte, coll fi.Addr, op fi.AtomicOp) error {
		return ep.Allreduce(buf, result, coll, fi.TypeDouble, op, 0, nil)
	}
	for _, c := range []struct {
		what  string
		call  func() error
		is    fi.Errno
		words string
	}{
		{"no whole elements", func() error { return reduce(nine, nine, group, fi.AtomicSum) }, fi.ErrInvalid, "FI_ALLREDUCE: the 9 bytes of buf are no whole elements, of 8 bytes each"},
		{"a short result", func() error { return reduce(make([]byte, 16), eight, group, fi.AtomicSum) }, fi.ErrInvalid, "buf has 16 bytes and result 8: result must be as long as buf"},
		{"nothing", func() error { return reduce(nil, nil, group, fi.AtomicSum) }, fi.ErrInvalid, "buf is empty"},
		{"no reduction", func() error { return reduce(eight, eight, group, fi.AtomicBAnd) }, fi.ErrOpNotSupp, "FI_BAND of FI_DOUBLE is no reduction: Domain.QueryCollective"},
		{"no group", func() error { return ep.Barrier(77, nil) }, fi.ErrInvalid, "FI_BARRIER: 77 is no group of this endpoint: give MC.Addr"},
		{"no group, with flags", func() error { return ep.Barrier2(77, fi.OpCompletion, nil) }, fi.ErrInvalid, "FI_BARRIER: 77 is no group"},
		{"no root", func() error { return ep.Broadcast(eight, group, 55, fi.TypeDouble, 0, nil) }, fi.ErrInvalid, "FI_BROADCAST: root 55 is no member"},
		{"no elements", func() error { return ep.Broadcast(eight, group, 0, fi.TypeVoid, 0, nil) }, fi.ErrInvalid, "the type has no elements"},
		{"a gather", func() error { return ep.Gather(eight, make([]byte, 24), group, 0, fi.TypeDouble, 0, nil) }, fi.ErrInvalid, "result must be 1 times as long as buf"},
		{"another set", func() error { return reduce(eight, eight, barriers, fi.AtomicSum) }, fi.ErrOpNotSupp, "leave this operation out"},
		{"no context", func() error { return send(nil, 0) }, fi.ErrInvalid, "*fabric.TriggeredContext"},
		{"another context", func() error { return send(&eight, 0) }, fi.ErrInvalid, "*fabric.TriggeredContext"},
		{"no counter", func() error { return send(&fabric.TriggeredContext{}, 0) }, fi.ErrInvalid, "*fabric.TriggeredContext"},
		{"a foreign counter", func() error { return send(&fabric.TriggeredContext{Counter: other}, 0) }, fi.ErrInvalid, "of the endpoint's domain"},
		{"a peek", func() error {
			return ep.TRecvMsg(&fi.TaggedMsg{Context: &fabric.TriggeredContext{Counter: other}}, fi.OpTrigger|fi.OpPeek)
		}, fi.ErrBadFlags, "not with fi.OpPeek"},
	} {
		t.Run(c.what, func(t *testing.T) {
			err := c.call()
			if err != c.is { //nolint:errorlint // data calls give bare numbers
				t.Fatalf("got %v, want %v", err, c.is)
			}
			text := ep.Explain(err).Error()
			if !strings.Contains(text, c.words) || strings.Contains(text, "AV.Insert") {
				t.Errorf("it says %q, want %q", text, c.words)
			}
			if again := ep.Explain(fi.ErrInvalid).Error(); !strings.Contains(again, "AV.Insert") {
				t.Errorf("a call to a peer is told of it, too: %s", again)
			}
		})
	}
}

// TestExplainWithoutTriggers asks an endpoint for what it was not opened with.
func TestExplainWithoutTriggers(t *testing.T) {
	p := open(fi.CapMsg)
	err := p.ep[0].WriteMsg(&fi.RMAMsg{Context: &fabric.TriggeredContext{}}, fi.OpTrigger)
	if text := p.ep[0].Explain(err).Error(); !errors.Is(err, fi.ErrNoSys) || !strings.Contains(text, "FI_TRIGGER") {
		t.Error(text)
	}
	err = p.ep[0].Barrier(77, nil)
	if text := p.ep[0].Explain(err).Error(); !errors.Is(err, fi.ErrNoSys) || !strings.Contains(text, "FI_COLLECTIVE") {
		t.Error(text)
	}
}

// TestExplainNamesOwnGroups wants of limits and causes only those of operations that the endpoint has.
func TestExplainNamesOwnGroups(t *testing.T) {
	for caps, c := range map[fi.Caps]struct{ has, hasNot string }{
		fi.CapMsg:             {"messages", "tagged messages, remote accesses, rma_iov_limit, atomics, QueryAtomic, collectives"},
		fi.CapTagged:          {"tagged messages", "remote accesses, rma_iov_limit, atomics, QueryAtomic"},
		fi.CapRMA:             {"remote accesses, rma_iov_limit", "messages, atomics, QueryAtomic"},
		fi.CapAtomic:          {"atomics, rma_iov_limit, QueryAtomic, whole elements", "messages, remote accesses"},
		fi.CapMsg | fi.CapRMA: {"messages, remote accesses", "tagged messages, atomics"},
	} {
		p := open(caps)
		var text strings.Builder
		for _, n := range []fi.Errno{fi.ErrMsgSize, fi.ErrInvalid, fi.ErrOpNotSupp} {
			text.WriteString(p.ep[0].Explain(n).Error())
		}
		for word := range strings.SplitSeq(c.has, ", ") {
			if !strings.Contains(text.String(), word) {
				t.Errorf("%v: %q is missing in %s", caps, word, text.String())
			}
		}
		for word := range strings.SplitSeq(c.hasNot, ", ") {
			if strings.Contains(text.String(), word) {
				t.Errorf("%v: %q is in %s", caps, word, text.String())
			}
		}
	}
}

// TestDeferredWorkTellsWhy queues work that its endpoint refuses when the time has come. The error has the words that
// Explain has for the direct call.
func TestDeferredWorkTellsWhy(t *testing.T) {
	p := open(fi.CapMsg | fi.CapTagged | fi.CapTrigger)
	on := must(p.d.OpenCounter(nil))
	for _, m := range []*fi.Msg{{Iov: [][]byte{nil}, Addr: 99}, {Iov: make([][]byte, 100), Addr: p.peer[0]}} {
		direct := p.ep[0].SendMsg(m, 0)
		check(p.d.QueueWork(&fabric.DeferredWork{Triggering: on, OpType: fi.WorkSend, EP: p.ep[0], Msg: m}))
		_, err := p.q[0].SRead(context.Background(), make([]cq.Entry, 1))
		var e *cq.ErrEntry
		if !errors.As(p.q[0].Explain(err), &e) {
			t.Fatal(err)
		}
		var told *fi.Error
		if !errors.As(p.ep[0].Explain(direct), &told) || !errors.Is(e, told.Err) || !strings.HasSuffix(e.Text, ": "+told.Hint) {
			t.Errorf("deferred: %v, direct: %v", e, told)
		}
	}
}

// TestWaitTellsOfErrors lets a wait time out on a counter that has counted errors before.
func TestWaitTellsOfErrors(t *testing.T) {
	p := open(fi.CapMsg)
	c := must(p.d.OpenCounter(nil))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	c.Add(1)
	if err := c.Wait(ended, 2); !errors.Is(err, fi.ErrTimedOut) || !strings.Contains(err.Error(), "is 1 of 2)") {
		t.Error(err)
	}
	c.AddErr(3)
	if err := c.Wait(ended, 2); !errors.Is(err, fi.ErrTimedOut) || !strings.Contains(err.Error(), "is 1 of 2, and 3 operations counted here have failed") {
		t.Error(err)
	}
}
