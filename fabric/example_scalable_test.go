package fabric_test

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/mem"
)

// A server has a context for each of two threads. Here it sends to its own second receive context.
func ExampleScalableEndpoint() {
	reg := fabric.WithRegistry(fabric.NewRegistry(mem.New()))
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{
		Caps: fi.CapMsg | fi.CapNamedRxCtx,
		EP:   &fi.EPAttr{TxCtxCount: 1, RxCtxCount: 2},
	}, reg)
	check(err)
	fab, err := fabric.Open(infos[0], reg)
	check(err)
	dom, err := fab.OpenDomain(infos[0])
	check(err)
	const bits = 1 // enough to name two contexts
	av, err := dom.OpenAV(&fi.AVAttr{RxCtxBits: bits})
	check(err)
	server, err := dom.OpenScalable(infos[0])
	check(err)
	check(server.BindAV(av))
	check(server.Enable())
	q, err := dom.OpenCQ(nil)
	check(err)
	tx, err := server.TxContext(0, nil)
	check(err)
	check(tx.BindCQ(q, fi.BindTransmit))
	check(tx.Enable())
	rx, err := server.RxContext(1, nil)
	check(err)
	check(rx.BindCQ(q, fi.BindRecv))
	check(rx.Enable())

	name, err := server.Name()
	check(err)
	var peer [1]fi.Addr
	_, err = av.Insert([][]byte{name}, peer[:], 0)
	check(err)
	buf := make([]byte, 16)
	check(rx.Recv(buf, fi.AddrUnspec, "received"))
	check(tx.Send([]byte("for the second"), fi.RxAddr(peer[0], 1, bits), "sent"))
	for range 2 {
		var e [1]cq.Entry
		_, err := q.SRead(context.Background(), e[:])
		check(err)
		if e[0].Context == "received" {
			fmt.Println(string(buf[:e[0].Len]))
		}
	}
	// Output: for the second
}
