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

// station is what a program needs to connect: a fabric, a domain, an event queue and a completion queue.
type station struct {
	info   *fi.Info
	fab    *fabric.Fabric
	domain *fabric.Domain
	eq     *fabric.EQ
	cq     *fabric.CQ
}

// newStation opens them on a provider.
func newStation(reg *fabric.Registry) *station {
	ctx := context.Background()
	s := &station{}
	s.info = must(fabric.GetInfo(ctx, &fi.Hints{EP: &fi.EPAttr{Type: fi.EPMsg}}, fabric.WithRegistry(reg)))[0]
	s.fab = must(fabric.Open(s.info, fabric.WithRegistry(reg)))
	s.domain = must(s.fab.OpenDomain(s.info))
	s.eq = must(s.fab.OpenEQ(nil))
	s.cq = must(s.domain.OpenCQ(nil))
	return s
}

// endpoint opens one that is ready to connect, or to accept when info is a request's.
func (s *station) endpoint(info *fi.Info) *fabric.Endpoint {
	ep := must(s.domain.OpenEndpoint(info))
	check(errors.Join(ep.BindEQ(s.eq), ep.BindCQ(s.cq, fi.BindTransmit|fi.BindRecv), ep.Enable()))
	return ep
}

// event waits for the next event.
func (s *station) event() fi.EQEntry {
	var e fi.EQEntry
	check(s.eq.SRead(context.Background(), &e, 0))
	return e
}

// completion waits for the next completion.
func (s *station) completion() cq.Entry {
	var e [1]cq.Entry
	must(s.cq.SRead(context.Background(), e[:]))
	return e[0]
}

// A server listens and accepts; a client connects; both exchange private data and a message, and hang up.
func ExamplePassiveEndpoint() {
	reg := fabric.NewRegistry(mem.New())
	server, client := newStation(reg), newStation(reg)

	pep := must(server.fab.OpenPassive(server.info))
	check(errors.Join(pep.BindEQ(server.eq), pep.Listen()))
	address := must(pep.Name()) // the client must learn it in some way

	caller := client.endpoint(client.info)
	check(caller.Connect(address, []byte("may I?")))

	request := server.event()
	fmt.Printf("server: %v %q\n", request.Event, request.CMData)
	called := server.endpoint(request.Info)
	check(called.Accept([]byte("welcome")))
	fmt.Println("server:", server.event().Event)
	answer := client.event()
	fmt.Printf("client: %v %q\n", answer.Event, answer.CMData)

	buf := make([]byte, 16)
	check(called.Recv(buf, fi.AddrUnspec, nil))
	check(caller.Send([]byte("hello"), fi.AddrUnspec, nil)) // the address of a connected endpoint is ignored
	client.completion()
	fmt.Printf("server: got %q\n", buf[:server.completion().Len])

	check(caller.Shutdown())
	fmt.Println("client:", client.event().Event)
	fmt.Println("server:", server.event().Event)
	// Output:
	// server: FI_CONNREQ "may I?"
	// server: FI_CONNECTED
	// client: FI_CONNECTED "welcome"
	// server: got "hello"
	// client: FI_SHUTDOWN
	// server: FI_SHUTDOWN
}

// A refusal is an event in error at the one who asked.
func ExamplePassiveEndpoint_Reject() {
	reg := fabric.NewRegistry(mem.New())
	s := newStation(reg)
	pep := must(s.fab.OpenPassive(s.info))
	check(errors.Join(pep.BindEQ(s.eq), pep.Listen()))
	ep := s.endpoint(s.info)
	check(ep.Connect(must(pep.Name()), nil))

	request := s.event()
	check(pep.Reject(request.Info.Handle, []byte("full")))

	var e fi.EQEntry
	var no *fi.EQErrEntry
	if errors.As(s.eq.Explain(s.eq.Read(&e, 0)), &no) {
		fmt.Printf("%v: %q\n", no, no.ErrData)
	}
	fmt.Println(ep.Explain(ep.Send(nil, 0, nil)))
	// Output:
	// FI_ECONNREFUSED: connection refused: the peer rejected the connection: "full"
	// mem: ep: fi_mem://2: FI_ENOTCONN: transport endpoint is not connected (there is no connection: call Connect or Accept, and wait for FI_CONNECTED in the event queue)
}

// Events of an application's own wake a reader, too.
func ExampleEQ() {
	reg := fabric.NewRegistry(mem.New())
	info := must(fabric.GetInfo(context.Background(), nil, fabric.WithRegistry(reg)))[0]
	fab := must(fabric.Open(info, fabric.WithRegistry(reg)))
	eq := must(fab.OpenEQ(&fi.EQAttr{Flags: fi.EQWrite, WaitObj: fi.WaitUnspec}))

	check(eq.Write(fi.EQEntry{Event: fi.EventNotify, Data: 42}))

	var e fi.EQEntry
	check(eq.SRead(context.Background(), &e, fi.EQPeek)) // it stays
	check(eq.Read(&e, 0))
	fmt.Println(e.Event, e.Data)
	fmt.Println(eq.Read(&e, 0))
	// Output:
	// FI_NOTIFY 42
	// FI_EAGAIN: resource temporarily unavailable
}

// All is a loop over events, errors among them.
func ExampleEQ_All() {
	reg := fabric.NewRegistry(mem.New())
	s := newStation(reg)
	ep := s.endpoint(s.info)
	check(ep.Connect([]byte("fi_mem://nobody"), nil))
	for e, err := range s.eq.All(context.Background()) {
		var bad *fi.EQErrEntry
		if errors.As(err, &bad) {
			fmt.Println(bad.Err, bad.FID == any(ep))
			break
		}
		fmt.Println(e.Event)
	}
	// Output: FI_ECONNREFUSED: connection refused true
}
