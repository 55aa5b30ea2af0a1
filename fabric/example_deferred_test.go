package fabric_test

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// The answer to a message is queued before the message comes; then nothing has to be called for it.
func ExampleDomain_QueueWork() {
	p := open(fi.CapTagged)
	came, answered := must(p.d.OpenCounter(nil)), must(p.d.OpenCounter(nil))
	in, out := make([]byte, 8), []byte("hello to you")
	check(p.d.QueueWork(&fabric.DeferredWork{
		Triggering: came, Threshold: 0, Completion: came, // at once
		OpType: fi.WorkTRecv, EP: p.ep[1], Tagged: &fi.TaggedMsg{Iov: [][]byte{in}, Addr: fi.AddrUnspec, Tag: 1},
	}))
	check(p.d.QueueWork(&fabric.DeferredWork{
		Triggering: came, Threshold: 1, Completion: answered, // when the message has come
		OpType: fi.WorkTSend, EP: p.ep[1], Tagged: &fi.TaggedMsg{Iov: [][]byte{out}, Addr: p.peer[1], Tag: 2},
	}))

	buf := make([]byte, 20)
	check(p.ep[0].TRecv(buf, fi.AddrUnspec, 2, 0, &buf))
	check(p.ep[0].TInject([]byte("hello"), p.peer[0], 1))
	check(answered.Wait(context.Background(), 1))
	var done [1]cq.Entry
	must(p.q[0].SRead(context.Background(), done[:]))
	fmt.Println(string(in[:5]), "-", string(buf[:done[0].Len]))
	// Output: hello - hello to you
}

// An operation with fi.OpTrigger begins when its context's counter has reached the threshold.
func ExampleTriggeredContext() {
	p := open(fi.CapTagged)
	ready := must(p.d.OpenCounter(nil))
	ctx := &fabric.TriggeredContext{Counter: ready, Threshold: 2}
	check(p.ep[0].TSendMsg(&fi.TaggedMsg{Iov: [][]byte{[]byte("go")}, Addr: p.peer[0], Tag: 1, Context: ctx}, fi.OpTrigger))
	ready.Add(1)
	n, err := p.q[0].Read(make([]cq.Entry, 1))
	fmt.Println(n, err == fi.ErrAgain)
	ready.Add(1)
	var done [1]cq.Entry
	must(p.q[0].SRead(context.Background(), done[:]))
	fmt.Println(done[0].Flags, done[0].Context == any(ctx))
	// Output:
	// 0 true
	// FI_SEND, FI_TAGGED true
}
