package rdm_test

import (
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// nobody is a peer that is never asked for anything.
type nobody struct{ rdm.Wire }

// open makes an endpoint with one peer.
func open(shared *rdm.Rx) (*rdm.Endpoint, *rdm.Peer) {
	attr := &fi.Info{Rx: fi.RxAttr{IovLimit: 4}}
	eng := driver.NewEngine(&attr.Domain, idle{make(chan struct{}, 1)}, nil)
	b := &driver.Bindings{RxCQ: cq.NewQueue(0), CntRecv: cq.NewCounter(0)}
	if shared != nil {
		b.SharedRx = shared
	}
	e := &rdm.Endpoint{}
	e.Init(eng, attr, mr.NewTable(), b)
	return e, &rdm.Peer{EP: e, Addr: fi.AddrNotAvail, Wire: nobody{}}
}

// idle is a source that never has work.
type idle struct{ end chan struct{} }

func (idle) Ready() bool   { return false }
func (idle) Poll()         {}
func (idle) Pending() bool { return false }
func (idle) Arm() bool     { return false }
func (idle) Disarm()       {}
func (i idle) Wait() bool  { <-i.end; return true }
func (i idle) Wake()       { i.end <- struct{}{} }

func TestCancelReceives(t *testing.T) {
	e, p := open(nil)
	defer e.Eng.Close()
	one, two, three := new(int), new(int), new(int)
	for _, err := range []error{
		e.Rx.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, one, fi.OpCompletion),
		e.Rx.Recv(make([]byte, 8), fi.AddrUnspec, two, fi.OpCompletion),
		e.Rx.Recv(make([]byte, 100), fi.AddrUnspec, three, fi.OpCompletion|fi.OpMultiRecv),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	p.Arrive(&rdm.Arrival{Tagged: true, Tag: 7, Len: 2, Payload: []byte("ab")})
	e.CancelReceives()
	want := []struct {
		ctx  any
		kind fi.CompFlags
	}{{two, rdm.KindRecv}, {three, rdm.KindRecv | fi.CompMultiRecv}, {one, rdm.KindTRecv}}
	for _, w := range want {
		var bad cq.ErrEntry
		if !e.RxCQ.ReadErr(&bad) || bad.Context != w.ctx || bad.Flags != w.kind || bad.Err != fi.ErrCanceled || bad.Text == "" {
			t.Errorf("%+v, want %+v", bad, w)
		}
	}
	if e.RxCQ.Len() != 0 || e.CntRecv.Errs() != 3 {
		t.Errorf("%d completions left, %d errors counted", e.RxCQ.Len(), e.CntRecv.Errs())
	}
	buf := make([]byte, 8)
	if err := e.Rx.TRecv(buf, fi.AddrUnspec, 7, 0, one, fi.OpCompletion); err != nil { // the message stayed
		t.Fatal(err)
	}
	e.CancelReceives()
	var got [2]cq.Entry
	if n, _ := e.RxCQ.Read(got[:]); n != 1 || got[0].Len != 2 || string(buf[:2]) != "ab" {
		t.Errorf("%d completions: %+v", n, got)
	}
}

// TestSharedReceivesStay: they serve other endpoints.
func TestSharedReceivesStay(t *testing.T) {
	first, _ := open(nil)
	defer first.Eng.Close()
	srx := rdm.NewRx(first.Eng, first.Info)
	e, p := open(srx)
	defer e.Eng.Close()
	if err := srx.Recv(make([]byte, 8), fi.AddrUnspec, nil, 0); err != nil {
		t.Fatal(err)
	}
	e.CancelReceives()
	if e.RxCQ.Len() != 0 || srx.Msg.Posted() != 1 {
		t.Fatal("a shared receive ended with a connection")
	}
	p.Arrive(&rdm.Arrival{Len: 1, Payload: []byte("x")})
	if e.RxCQ.Len() != 1 {
		t.Error("the message has not completed")
	}
}
