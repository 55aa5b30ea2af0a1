package fabric_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/mem"
)

// Programs leave WithRegistry out and import providers/all: they get the best of all providers that match.
func ExampleGetInfo() {
	reg := fabric.NewRegistry(mem.New())
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{
		Caps: fi.CapTagged | fi.CapRMA,
		EP:   &fi.EPAttr{Type: fi.EPRDM},
	}, fabric.WithRegistry(reg))
	check(err)
	fmt.Println(infos[0].Fabric.ProvName, infos[0].EP.Type, infos[0].Domain.Threading)
	// Output: mem FI_EP_RDM FI_THREAD_SAFE
}

// The program names a provider in the hints, its user one with FI_PROVIDER; both must agree. WithEnv stands for the
// environment here.
func ExampleGetInfo_provider() {
	reg := fabric.WithRegistry(fabric.NewRegistry(mem.New()))
	hints := &fi.Hints{Fabric: &fi.FabricAttr{ProvName: "mem"}}
	infos, err := fabric.GetInfo(context.Background(), hints, reg)
	check(err)
	fmt.Println(infos[0].Fabric.ProvName)

	user := map[string]string{"FI_PROVIDER": "^mem"} // all but mem
	env := fabric.WithEnv(func(name string) (string, bool) { v, ok := user[name]; return v, ok })
	_, err = fabric.GetInfo(context.Background(), hints, reg, env)
	fmt.Println(err)
	// Output:
	// mem
	// getinfo: no provider matches the hints; mem: FI_PROVIDER: wanted ^mem, offered mem
}

func ExampleNoMatchError() {
	reg := fabric.NewRegistry(mem.New())
	_, err := fabric.GetInfo(context.Background(), &fi.Hints{EP: &fi.EPAttr{Type: fi.EPDgram, MaxMsgSize: 1 << 20}}, fabric.WithRegistry(reg))
	var none *fabric.NoMatchError
	if errors.As(err, &none) && errors.Is(err, fi.ErrNoData) {
		for _, r := range none.Rejections {
			fmt.Println(r.Provider, "wants", r.Attr, "to be", r.Have)
		}
	}
	// Output:
	// mem wants ep_attr.max_msg_size to be 16384
}

func ExampleOpen() {
	reg := fabric.NewRegistry(mem.New())
	info := must(fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapMsg}, fabric.WithRegistry(reg)))[0]
	net := must(fabric.Open(info, fabric.WithRegistry(reg)))
	domain := must(net.OpenDomain(info))
	fmt.Println(net.Close()) // what is used cannot be closed
	check(errors.Join(domain.Close(), net.Close()))
	// Output: mem: fabric_close: FI_EBUSY: device or resource busy (close first what uses it: 1 domain)
}

func ExampleDomain_QueryAtomic() {
	p := open(fi.CapAtomic)
	a := must(p.d.QueryAtomic(fi.AtomicFetch, fi.TypeDouble, fi.AtomicSum))
	fmt.Println(a.Count, "elements of", a.Size, "bytes in one call")
	_, err := p.d.QueryAtomic(fi.AtomicFetch, fi.TypeDouble, fi.AtomicBXor)
	fmt.Println(errors.Is(err, fi.ErrOpNotSupp))
	// Output:
	// 512 elements of 8 bytes in one call
	// true
}

func ExampleRegistry() {
	reg := fabric.NewRegistry(mem.New()) // nothing else, whatever the program imports
	for _, p := range reg.Providers() {
		fmt.Println(p.Name())
	}
	// Output: mem
}

func ExampleEndpoint_Explain() {
	p := open(fi.CapMsg)
	fmt.Println(p.ep[0].Explain(p.ep[0].TSend([]byte("x"), p.peer[0], 1, nil)))
	// Output: mem: ep: fi_mem://1: FI_ENOSYS: function not implemented (the endpoint has not this group of operations: it has FI_MSG; ask for more in the caps of the hints to GetInfo)
}

func ExampleEndpoint_FetchAtomic() {
	p := open(fi.CapAtomic)
	counter := make([]byte, 8)
	region := must(p.d.RegisterMR(counter, fi.AccessRemoteRead|fi.AccessRemoteWrite, nil))
	one, old := binary.LittleEndian.AppendUint64(nil, 1), make([]byte, 8)
	for range 3 {
		check(p.ep[0].FetchAtomic(one, old, p.peer[0], region.Remote(), fi.TypeUint64, fi.AtomicSum, &old))
		must(p.q[0].SRead(context.Background(), make([]cq.Entry, 1)))
	}
	fmt.Println(binary.LittleEndian.Uint64(old), binary.LittleEndian.Uint64(counter))
	// Output: 2 3
}

func ExampleEndpoint_TRecvMsg() {
	p := open(fi.CapTagged)
	check(p.ep[0].TInject([]byte("how long am I?"), p.peer[0], 7))

	look := &fi.TaggedMsg{Addr: fi.AddrUnspec, Tag: 7}
	check(p.ep[1].TRecvMsg(look, fi.OpPeek|fi.OpClaim))
	var found [1]cq.Entry
	must(p.q[1].SRead(context.Background(), found[:]))
	buf := make([]byte, found[0].Len)
	take := &fi.TaggedMsg{Iov: [][]byte{buf}, Addr: fi.AddrUnspec, Tag: 7}
	check(p.ep[1].TRecvMsg(take, fi.OpClaim))
	must(p.q[1].SRead(context.Background(), found[:]))
	fmt.Printf("%d bytes: %s\n", found[0].Len, buf)
	// Output: 14 bytes: how long am I?
}

func ExampleCQ_SRead() {
	p := open(fi.CapMsg)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := p.q[0].SRead(ctx, make([]cq.Entry, 8))
	fmt.Println(errors.Is(err, fi.ErrAgain), errors.Is(err, context.DeadlineExceeded))
	// Output: true true
}

func ExampleCQ_All() {
	p := open(fi.CapMsg)
	for _, text := range []string{"a", "much too long", "c"} {
		buf := make([]byte, 4)
		check(p.ep[1].Recv(buf, fi.AddrUnspec, buf[:0:4]))
		check(p.ep[0].Inject([]byte(text), p.peer[0]))
	}
	n := 0
	for done, err := range p.q[1].All(context.Background()) {
		if err != nil {
			fmt.Println(err)
		} else {
			fmt.Printf("%s\n", done.Context.([]byte)[:done.Len])
		}
		if n++; n == 3 {
			break
		}
	}
	// Output:
	// a
	// FI_RECV, FI_MSG: FI_ETRUNC: message longer than the buffer, 9 bytes did not fit: the message has 13 bytes, the buffer takes 4: post larger buffers
	// c
}

func ExampleCounter_Wait() {
	_, ep, q, av := unbound(fi.CapMsg)
	cntr := must(ep.Domain().OpenCounter(nil))
	check(errors.Join(ep.BindCounter(cntr, fi.CountSend), ep.BindCQ(q, fi.BindTransmit|fi.BindRecv|fi.BindSelectiveCompletion),
		ep.BindAV(av), ep.Enable()))
	must(av.Insert([][]byte{must(ep.Name())}, nil, 0))
	for range 3 {
		check(ep.Send([]byte("to myself"), 0, nil))
	}
	check(cntr.Wait(context.Background(), 3))
	fmt.Println(cntr.Read(), "sends are done")
	// Output: 3 sends are done
}

func ExampleAV_Insert() {
	_, _, _, av := unbound(fi.CapMsg)
	names := [][]byte{[]byte("fi_mem://a"), []byte("nonsense"), []byte("fi_mem://b")}
	peers := make([]fi.Addr, len(names))
	n, err := av.Insert(names, peers, 0)
	fmt.Println(n, "inserted:", peers[0], peers[2])
	var bad *fabric.InsertError
	fmt.Println(errors.As(err, &bad), bad.Index)
	// Output:
	// 2 inserted: 0 1
	// true 1
}

func ExampleMR_Sub() {
	p := open(fi.CapRMA)
	whole := must(p.d.RegisterMR(make([]byte, 64), fi.AccessRemoteRead|fi.AccessRemoteWrite, &fi.MRAttr{Key: 1}))
	part := must(whole.Sub(16, 8, &fi.MRAttr{Key: 2, Access: fi.AccessRemoteWrite})) // 8 bytes, write only
	check(p.ep[0].InjectWrite([]byte("only me!"), p.peer[0], part.Remote()))
	fmt.Printf("%s\n", whole.Bytes()[16:24])
	// Output: only me!
}

func ExampleSharedRx() {
	reg := fabric.NewRegistry(mem.New())
	info := must(fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapMsg}, fabric.WithRegistry(reg)))[0]
	d := must(must(fabric.Open(info, fabric.WithRegistry(reg))).OpenDomain(info))
	q, av, srx := must(d.OpenCQ(nil)), must(d.OpenAV(nil)), must(d.OpenSharedRx(info))
	for range 2 {
		ep := must(d.OpenEndpoint(info))
		check(errors.Join(ep.BindSharedRx(srx), ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable()))
		must(av.Insert([][]byte{must(ep.Name())}, nil, 0))
		buf := make([]byte, 16)
		check(srx.Recv(buf, fi.AddrUnspec, &buf)) // for whichever endpoint gets a message first
		check(ep.Inject([]byte("hello"), 0))
	}
	got := make([]cq.Entry, 2)
	fmt.Println(must(q.SRead(context.Background(), got)), "messages")
	// Output: 2 messages
}

// unbound gives an endpoint with a queue and an address vector that are not bound to it yet.
func unbound(caps fi.Caps) (d *fabric.Domain, ep *fabric.Endpoint, q *fabric.CQ, av *fabric.AV) {
	reg := fabric.NewRegistry(mem.New())
	info := must(fabric.GetInfo(context.Background(), &fi.Hints{Caps: caps}, fabric.WithRegistry(reg)))[0]
	d = must(must(fabric.Open(info, fabric.WithRegistry(reg))).OpenDomain(info))
	return d, must(d.OpenEndpoint(info)), must(d.OpenCQ(nil)), must(d.OpenAV(nil))
}
