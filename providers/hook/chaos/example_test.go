package chaos_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/hook/chaos"
	"github.com/gofabric/gofabric/providers/mem"
)

// A test runs a program on a provider that loses a completion now and then: does it notice?
func ExampleNew() {
	lossy := fabric.WithRegistry(fabric.NewRegistry(chaos.New(mem.New(), chaos.DropCompletion)))
	sent, completed, err := program(20, lossy)
	fmt.Println(sent, "sent,", completed, "completed,", err)
	fmt.Println("a provider that", chaos.DropCompletion.Lie())
	// Output:
	// 20 sent, 17 completed, <nil>
	// a provider that drops every seventh completion of a send or a remote access
}

// program sends n messages to itself, and counts the completions that are there afterwards.
func program(n int, opts ...fabric.Option) (sent, completed int, err error) {
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapMsg}, opts...)
	if err != nil {
		return 0, 0, err
	}
	f, err := fabric.Open(infos[0], opts...)
	if err != nil {
		return 0, 0, err
	}
	d, err := f.OpenDomain(infos[0])
	if err != nil {
		return 0, 0, err
	}
	ep, err1 := d.OpenEndpoint(infos[0])
	q, err2 := d.OpenCQ(nil)
	av, err3 := d.OpenAV(nil)
	if err := errors.Join(err1, err2, err3); err != nil {
		return 0, 0, err
	}
	if err := errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable()); err != nil {
		return 0, 0, err
	}
	name, err := ep.Name()
	if err != nil {
		return 0, 0, err
	}
	if _, err := av.Insert([][]byte{name}, nil, 0); err != nil {
		return 0, 0, err
	}
	for ; sent < n; sent++ {
		if err := ep.Send([]byte("hello"), 0, nil); err != nil {
			return sent, completed, err
		}
	}
	completed, err = q.Read(make([]cq.Entry, 2*n))
	return sent, completed, errors.Join(err, ep.Close(), av.Close(), q.Close(), d.Close(), f.Close())
}
