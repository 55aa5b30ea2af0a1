package conformance

import (
	"errors"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("shared-send",
	testCase{name: "basic", need: msg | tagged, kind: core, run: sharedSend},
	testCase{name: "size", need: tagged, run: sharedSize},
	testCase{name: "missing", need: tagged, where: local, run: sharedMissing},
	testCase{name: "in-use", need: tagged, where: local, run: sharedInUse},
)

// sharedSend sends by endpoints that share a context.
func sharedSend(t *test) {
	p := t.pair(func(o *openOpts) { o.SharedTx, o.EPs = 64, 2 })
	for i, n := range []int{0, 8, 500, 9000, 100000} {
		for ep := range 2 {
			for _, x := range []string{"", "t"} {
				r := p.b.recv(call{Form: x + "recv", EP: ep, N: n, Tag: uint64(i)})
				s := p.a.post(call{Form: x + "send", EP: ep, N: n, To: p.a.peers[p.b][ep], Tag: uint64(i), Seed: uint64(n + ep)})
				s.target = p.b
				t.wait(r, s)
				t.got(r, s)
			}
		}
	}
}

// sharedSize fills the context by one endpoint: then the other has no place, until operations end.
func sharedSize(t *test) {
	p := t.pair(func(o *openOpts) { o.SharedTx, o.EPs, o.TxFlags = 4, 2, fi.OpMatchComplete })
	first := call{Form: "tsend", N: 8, To: p.a.peers[p.b][0], Tag: 7}
	s := p.a.post(first) // the connection is there when this has been answered
	r := p.b.recv(call{Form: "trecv", N: 8, Tag: 7})
	t.wait(s, r)
	var sends []*op
	for i := range 4 {
		c := first
		c.EP = i / 3 // the last one by the second endpoint
		c.To = p.a.peers[p.b][c.EP]
		sends = append(sends, p.a.post(c))
	}
	for ep := range 2 {
		c := first
		c.EP, c.To = ep, p.a.peers[p.b][ep]
		if _, err := p.a.try(c); !errors.Is(err, fi.ErrAgain) {
			t.Errorf("endpoint %d: a fifth operation of four: %v, want FI_EAGAIN", ep, err)
		}
	}
	var recvs []*op
	for i := range 4 {
		recvs = append(recvs, p.b.recv(call{Form: "trecv", EP: i / 3, N: 8, Tag: 7}))
	}
	t.wait(append(recvs, sends...)...)
	again := first
	again.EP, again.To = 1, p.a.peers[p.b][1]
	s = p.a.post(again)
	r = p.b.recv(call{Form: "trecv", EP: 1, N: 8, Tag: 7})
	t.wait(s, r)
}

// sharedMissing enables an endpoint that is to have a shared context without one.
func sharedMissing(t *test) {
	s := t.newSide(t.opts(t.tc.need))
	info := s.n.info.Clone()
	info.EP.TxCtxCount = fi.SharedContext
	stx, err := s.n.dom.OpenSharedTx(info)
	t.check(err)
	ep, err := s.n.dom.OpenEndpoint(info)
	t.check(err)
	t.check(ep.BindCQ(s.n.txq, fi.BindTransmit|fi.BindRecv))
	if s.n.av != nil {
		t.check(ep.BindAV(s.n.av))
	} else {
		t.check(ep.BindEQ(s.n.eq))
	}
	t.says(ep.Enable(), fi.ErrInvalid, "BindSharedTx")
	t.check(ep.BindSharedTx(stx))
	t.says(ep.BindSharedTx(stx), fi.ErrInvalid, "one is all")
	t.check(ep.Enable())
	t.check(ep.Close())
	t.check(stx.Close())
	less := info.Clone()
	less.Caps = fi.CapRMA
	if stx, err = s.n.dom.OpenSharedTx(less); err != nil {
		return // no such Info here
	}
	ep, err = s.n.dom.OpenEndpoint(info)
	t.check(err)
	t.says(ep.BindSharedTx(stx), fi.ErrInvalid, "FI_TAGGED")
	t.check(ep.Close())
	t.check(stx.Close())
}

// sharedInUse closes a context that an endpoint uses.
func sharedInUse(t *test) {
	s := t.newSide(t.opts(t.tc.need, func(o *openOpts) { o.SharedTx = 4 }))
	if s.n.av == nil {
		return // the endpoint comes with its connection
	}
	t.says(s.n.stx.Close(), fi.ErrBusy, "1 ep")
}
