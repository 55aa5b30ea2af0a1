package interop_test

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// receiver is where receives are posted: the endpoint, or the shared context.
type receiver interface {
	Recv(buf []byte, from fi.Addr, ctx any) error
	TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any) error
	RecvMsg(m *fi.Msg, flags fi.OpFlags) error
}

func (n *node) rx() receiver {
	if n.srx != nil {
		return n.srx
	}
	return n.ep
}

// listen makes a passive endpoint.
func (n *node) listen(s setup) {
	n.t.Helper()
	var err error
	n.eq, err = n.f.OpenEQ(nil)
	n.must(err)
	n.pep, err = n.f.OpenPassive(n.info)
	n.must(err)
	n.must(n.pep.BindEQ(n.eq))
	n.must(n.pep.Listen())
	if s.shared {
		n.srx, err = n.d.OpenSharedRx(n.info)
		n.must(err)
	}
}

// open replaces the endpoint by a new one.
func (n *node) open(info *fi.Info) *fabric.Endpoint {
	n.t.Helper()
	if n.ep != nil {
		n.must(n.ep.Close())
	}
	var err error
	n.ep, err = n.d.OpenEndpoint(info)
	n.must(err)
	n.must(n.ep.BindCQ(n.q, fi.BindTransmit|fi.BindRecv))
	n.must(n.ep.BindEQ(n.eq))
	if n.srx != nil {
		n.must(n.ep.BindSharedRx(n.srx))
	}
	n.must(n.ep.Enable())
	return n.ep
}

// dial connects to C, and waits until C has the request.
func (l *link) dial(data string) {
	l.n.t.Helper()
	info := l.n.info.Clone()
	info.SrcAddr = nil
	l.n.must(l.n.open(info).Connect(l.c.name(), []byte(data)))
	if got := l.c.event("connreq"); got != data {
		l.n.t.Errorf("C is asked with %q, not %q", got, data)
	}
}

// event waits for an event of C and gives the private data with it.
func (p *cPeer) event(what ...any) string {
	p.t.Helper()
	w := p.want(append([]any{"event"}, what...)...)
	if len(w) == 0 {
		return ""
	}
	b, err := hex.DecodeString(w[len(w)-1])
	if err != nil && w[len(w)-1] != "-" && w[len(w)-1] != "data" {
		p.t.Fatalf("%q: %v", w, err)
	}
	return string(b)
}

// event waits for one of ours.
func (n *node) event(want fi.EQEvent) fi.EQEntry {
	n.t.Helper()
	e, bad := n.next()
	if bad != nil {
		n.t.Fatalf("ours: %v, not %v", bad, want)
	}
	if e.Event != want {
		n.t.Fatalf("ours: event %v, not %v", e.Event, want)
	}
	return e
}

// badEvent waits for an event in error.
func (n *node) badEvent() *fi.EQErrEntry {
	n.t.Helper()
	e, bad := n.next()
	if bad == nil {
		n.t.Fatalf("ours: event %v, not an error", e.Event)
	}
	return bad
}

func (n *node) next() (e fi.EQEntry, bad *fi.EQErrEntry) {
	n.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	err := n.eq.SRead(ctx, &e, 0)
	if errors.Is(err, fi.ErrAvail) {
		bad = new(fi.EQErrEntry)
		err = n.eq.ReadErr(bad)
	}
	n.must(err)
	return e, bad
}
