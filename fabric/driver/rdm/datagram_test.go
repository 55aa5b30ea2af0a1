package rdm

import (
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// TestLossyDrops has a sender of datagrams send more than is kept: what is too much is lost, which the sender does not hear of,
// what was kept is received, and then there is room again.
func TestLossyDrops(t *testing.T) {
	e, p, _ := alone(t)
	p.Wire = Lossy{}
	const budget = 4096
	e.Rx.SetBudget(budget)
	one := make([]byte, 100)
	var got [1]cq.Entry
	receive := func() bool {
		if err := e.Rx.Recv(make([]byte, 100), fi.AddrUnspec, nil, fi.OpCompletion); err != nil {
			t.Fatal(err)
		}
		n, _ := e.RxCQ.Read(got[:])
		return n == 1 && got[0].Len == len(one)
	}
	for range 2 {
		for range budget {
			if !p.Eager(&e.Rx.Msg, KindRecv, 0, one) || !p.Arrive(&Arrival{Tagged: true, Len: len(one), Payload: one}) || p.Later() {
				t.Fatal("a datagram was refused: it can only be kept or lost")
			}
		}
		kept, bytes := e.Rx.Msg.Unexpected(), e.Rx.bytes()
		if kept == 0 || kept > budget/len(one) || bytes < budget/2 || bytes > budget+len(one)*4 {
			t.Fatalf("%d are kept, of %d bytes; the budget is %d", kept, bytes, budget)
		}
		for i := range kept {
			if !receive() {
				t.Fatalf("%d were kept, the one after %d does not come", kept, i)
			}
		}
		for m := e.Rx.Tag.Unexpected(); m > 0; m-- {
			if err := e.Rx.TRecv(make([]byte, 100), fi.AddrUnspec, 0, ^uint64(0), nil, fi.OpCompletion); err != nil {
				t.Fatal(err)
			}
			e.RxCQ.Read(got[:]) //nolint:errcheck // of no interest
		}
		if e.Rx.bytes() != 0 {
			t.Fatal(e.Rx.bytes(), "bytes are left")
		}
	}
}
