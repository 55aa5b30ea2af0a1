package rdm

import (
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// ackWire counts what senders are told.
type ackWire struct {
	Wire // nothing else is asked of it
	acks int
}

func (w *ackWire) Ack(uint64) { w.acks++ }

// alone is an endpoint with queues, counters and one peer.
func alone(t *testing.T) (*Endpoint, *Peer, *ackWire) {
	t.Helper()
	info := &fi.Info{Caps: fi.CapMsg | fi.CapTagged | fi.CapRMA, Domain: fi.DomainAttr{Threading: fi.ThreadSafe}}
	eng := driver.NewEngineLock(new(driver.Lock), &info.Domain, nil)
	e, w := new(Endpoint), new(ackWire)
	e.Init(eng, info, mr.NewTable(), &driver.Bindings{TxCQ: cq.NewQueue(64), RxCQ: cq.NewQueue(64),
		CntSend: cq.NewCounter(0), CntRecv: cq.NewCounter(0), AV: driver.NewAV(eng, 1)})
	return e, &Peer{EP: e, Addr: 3, Wire: w}, w
}

// TestReceiveAllocatesNothing posts receives and lets messages arrive at them, short and long ones.
//
// allocs: Rx.Recv, Rx.TRecv, Endpoint.recvDone, copyEager
func TestReceiveAllocatesNothing(t *testing.T) {
	e, p, w := alone(t)
	ctx := new(int)
	buf, eight, long := make([]byte, 4096), make([]byte, 8), make([]byte, 4096)
	a := &Arrival{Tagged: true, Tag: 9, Data: 1, Flags: fi.CompRemoteCQData, Len: len(long), Payload: long, Ack: 5}
	var got [4]cq.Entry
	if n := testing.AllocsPerRun(1000, func() {
		if e.Rx.Recv(buf, fi.AddrUnspec, ctx, fi.OpCompletion) != nil || e.Rx.TRecv(buf, fi.AddrUnspec, 9, 0, ctx, fi.OpCompletion) != nil {
			t.Fatal("posting")
		}
		e.Eng.Lock()
		ok := p.Eager(&e.Rx.Msg, KindRecv, 0, eight) && p.Arrive(a)
		n, _ := e.RxCQ.Read(got[:])
		e.Eng.Unlock()
		if !ok || n != 2 || got[1].Data != 1 || got[0].Src != 3 {
			t.Fatal(ok, n, got)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if w.acks != 1001 {
		t.Errorf("%d acknowledgements", w.acks)
	}
}

// TestTransmitAllocatesNothing completes operations of ours, and finds the target of a peer's.
func TestTransmitAllocatesNothing(t *testing.T) {
	e, _, _ := alone(t)
	r := &mr.Region{Key: 7, Len: 64, Parts: [][]byte{make([]byte, 64)}, Access: fi.AccessRemoteWrite, Enabled: true}
	if err := e.Regions.Add(r); err != nil {
		t.Fatal(err)
	}
	ctx := new(int)
	var got [4]cq.Entry
	if n := testing.AllocsPerRun(1000, func() {
		if !e.Reserve(fi.OpCompletion) {
			t.Fatal("no place")
		}
		e.TxDone(ctx, fi.OpCompletion, KindSend, 8, 0)
		if n, _ := e.TxCQ.Read(got[:]); n != 1 {
			t.Fatal(n)
		}
		if _, off, err := e.Target(7, 8, 8, fi.AccessRemoteWrite); off != 8 || err != 0 {
			t.Fatal(off, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if e.CntSend.Value() != 1001 {
		t.Errorf("counted %d", e.CntSend.Value())
	}
}
