package fabric_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
	"github.com/gofabric/gofabric/providers/mem"
)

// pair opens two connected endpoints on one domain for the examples.
type pair struct {
	f    *fabric.Fabric
	d    *fabric.Domain
	q    [2]*fabric.CQ
	ep   [2]*fabric.Endpoint
	peer [2]fi.Addr // peer[i] is what ep[i] calls the other
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func open(caps fi.Caps) *pair {
	ctx := context.Background()
	reg := fabric.NewRegistry(mem.New())
	hints := &fi.Hints{Caps: caps, EP: &fi.EPAttr{Type: fi.EPRDM}, Domain: &fi.DomainAttr{}}
	info := must(fabric.GetInfo(ctx, hints, fabric.WithRegistry(reg)))[0]
	p := &pair{}
	p.f = must(fabric.Open(info, fabric.WithRegistry(reg)))
	p.d = must(p.f.OpenDomain(info))
	av := must(p.d.OpenAV(nil))
	for i := range 2 {
		p.q[i] = must(p.d.OpenCQ(nil))
		p.ep[i] = must(p.d.OpenEndpoint(info))
		check(p.ep[i].BindCQ(p.q[i], fi.BindTransmit|fi.BindRecv))
		check(p.ep[i].BindAV(av))
		check(p.ep[i].Enable())
	}
	for i := range 2 {
		name := must(p.ep[1-i].Name())
		must(av.Insert([][]byte{name}, p.peer[i:i+1], 0))
	}
	return p
}

func ExampleEndpoint_Send() {
	p := open(fi.CapMsg)
	ctx := context.Background()

	buf := make([]byte, 64)
	check(p.ep[1].Recv(buf, fi.AddrUnspec, &buf))
	check(p.ep[0].Send([]byte("hello"), p.peer[0], nil))

	var done [1]cq.Entry
	must(p.q[1].SRead(ctx, done[:]))
	fmt.Printf("%s, %d bytes: %s\n", done[0].Flags, done[0].Len, buf[:done[0].Len])
	// Output: FI_RECV, FI_MSG, 5 bytes: hello
}

func ExampleEndpoint_Write() {
	p := open(fi.CapRMA)
	ctx := context.Background()

	target := make([]byte, 16)
	region := must(p.d.RegisterMR(target, fi.AccessRemoteWrite, &fi.MRAttr{Key: 42}))
	remote := must(region.Remote().MarshalBinary()) // sent to the peer by a message

	var at mr.Remote
	check(at.UnmarshalBinary(remote))
	check(p.ep[0].Write([]byte("written"), p.peer[0], at.At(4), nil))
	var done [1]cq.Entry
	must(p.q[0].SRead(ctx, done[:]))
	fmt.Printf("%q\n", target)
	// Output: "\x00\x00\x00\x00written\x00\x00\x00\x00\x00"
}
