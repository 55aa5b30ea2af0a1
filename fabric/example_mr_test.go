package fabric_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/mem"
)

// Each region has a key of its own. Nil attributes ask for key 0, which is free once.
func ExampleDomain_RegisterMR() {
	d := open(fi.CapRMA).d
	first := must(d.RegisterMR(make([]byte, 64), fi.AccessRemoteWrite, nil))
	_, err := d.RegisterMR(make([]byte, 64), fi.AccessRemoteWrite, nil)
	fmt.Println(first.Key(), errors.Is(err, fi.ErrNoKey))
	second := must(d.RegisterMR(make([]byte, 64), fi.AccessRemoteWrite, &fi.MRAttr{Key: 7}))
	fmt.Println(second.Key())
	// Output:
	// 0 true
	// 7
}

// A domain that is opened for it chooses the keys itself, and nil will do for every region.
func ExampleDomain_RegisterMR_providerKeys() {
	reg := fabric.NewRegistry(mem.New())
	info := must(fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapRMA}, fabric.WithRegistry(reg)))[0]
	info.Domain.MRMode |= fi.MRModeProvKey
	d := must(must(fabric.Open(info, fabric.WithRegistry(reg))).OpenDomain(info))
	fmt.Println(d.Info().Domain.MRMode)
	a := must(d.RegisterMR(make([]byte, 64), fi.AccessRemoteWrite, nil))
	b := must(d.RegisterMR(make([]byte, 64), fi.AccessRemoteWrite, nil))
	fmt.Println(a.Key() != b.Key())
	// Output:
	// FI_MR_PROV_KEY
	// true
}

// The target of writes counts them: a region for events, a counter bound to it, then Enable.
func ExampleMR_BindCounter() {
	p := open(fi.CapRMA | fi.CapRMAEvent)
	region := must(p.d.RegisterMR(make([]byte, 64), fi.AccessRemoteWrite, &fi.MRAttr{Key: 1, Flags: fi.MRRMAEvent}))
	written := must(p.d.OpenCounter(nil))
	check(errors.Join(region.BindCounter(written, fi.CountRemoteWrite), region.Enable()))
	for i := range 3 {
		check(p.ep[0].InjectWrite([]byte("news"), p.peer[0], region.Remote().At(uint64(4*i))))
	}
	check(written.Wait(context.Background(), 3))
	fmt.Printf("%d writes: %s\n", written.Read(), region.Bytes()[:12])
	// Output: 3 writes: newsnewsnews
}

// A server has a name or port of its own; who knows it inserts it and needs nothing else.
func ExampleWithNode() {
	ctx, reg := context.Background(), fabric.NewRegistry(mem.New())
	station := func(opts ...fabric.Option) (*fabric.Endpoint, *fabric.CQ, *fabric.AV) {
		opts = append(opts, fabric.WithRegistry(reg))
		info := must(fabric.GetInfo(ctx, &fi.Hints{Caps: fi.CapMsg}, opts...))[0]
		d := must(must(fabric.Open(info, opts...)).OpenDomain(info))
		ep, q, av := must(d.OpenEndpoint(info)), must(d.OpenCQ(nil)), must(d.OpenAV(nil))
		check(errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable()))
		return ep, q, av
	}
	server, requests, _ := station(fabric.WithNode("localhost", "7471"), fabric.WithFlags(fi.InfoSource)) // our own
	client, _, peers := station()

	to := must(peers.InsertSvc(ctx, "localhost", "7471", 0))
	buf := make([]byte, 16)
	check(errors.Join(server.Recv(buf, fi.AddrUnspec, nil), client.Inject([]byte("hello"), to)))
	var done [1]cq.Entry
	must(requests.SRead(ctx, done[:]))
	fmt.Printf("%s\n", buf[:done[0].Len])
	// Output: hello
}
