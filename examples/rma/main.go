// Rma reads and writes the memory of another process and runs atomics on it. The program is the target, and starts itself
// once more as the origin, to whom it gives its address and the right to its memory through a TCP socket. The target takes
// no part in what comes then.
//
//	go run ./examples/rma
//	FI_PROVIDER=tcp go run ./examples/rma
package main

import (
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
	_ "github.com/gofabric/gofabric/providers/all"
)

// offer is what the origin must know.
type offer struct {
	Name   []byte    // of the target's endpoint
	Memory mr.Remote // address and key: who has no key gets nothing
}

func target(ctx context.Context) {
	s := open(ctx)
	memory := make([]byte, 64)
	region := must(s.domain.RegisterMR(memory, fi.AccessRemoteRead|fi.AccessRemoteWrite, nil))
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	origin := exec.CommandContext(ctx, os.Args[0], listener.Addr().String())
	origin.Stdout, origin.Stderr = os.Stdout, os.Stderr
	check(origin.Start())
	conn := must(listener.Accept())
	check(gob.NewEncoder(conn).Encode(offer{must(s.ep.Name()), region.Remote()}))
	must(conn.Read(make([]byte, 1))) // the origin is ready
	check(origin.Wait())
	fmt.Printf("the target has %q and %d\n", memory[:20], binary.NativeEndian.Uint32(memory[32:]))
	check(s.ep.Close())
}

func origin(ctx context.Context, addr string) {
	s := open(ctx)
	conn := must(net.Dial("tcp", addr))
	var o offer
	check(gob.NewDecoder(conn).Decode(&o))
	var peer [1]fi.Addr
	must(s.peers.Insert([][]byte{o.Name}, peer[:], 0))
	at := func(off uint64) mr.Remote { return o.Memory.At(off) }
	ranges := func(offs ...uint64) (parts []fi.RMAIov) {
		for _, off := range offs {
			parts = append(parts, fi.RMAIov{Addr: at(off).Addr, Len: 4, Key: o.Memory.Key})
		}
		return parts
	}

	// A call has three forms: one buffer, several, and a message of several buffers and ranges, with flags. Here these ask
	// that the target has the data when the operation is over.
	s.do(ctx, func() error { return s.ep.Write([]byte("one "), peer[0], at(0), nil) })
	s.do(ctx, func() error { return s.ep.WriteV([][]byte{[]byte("two "), []byte("bufs")}, peer[0], at(8), nil) })
	message := &fi.RMAMsg{Iov: [][]byte{[]byte("here"), []byte("gone")}, Addr: peer[0], RMAIov: ranges(4, 16)}
	s.do(ctx, func() error { return s.ep.WriteMsg(message, fi.OpDeliveryComplete) })

	all, left, right := make([]byte, 20), make([]byte, 4), make([]byte, 4)
	s.do(ctx, func() error { return s.ep.Read(all, peer[0], at(0), nil) })
	fmt.Printf("read %q\n", all)
	s.do(ctx, func() error { return s.ep.ReadV([][]byte{left, right}, peer[0], at(4), nil) })
	fmt.Printf("read %q and %q\n", left, right)
	message = &fi.RMAMsg{Iov: [][]byte{left, right}, Addr: peer[0], RMAIov: ranges(16, 0)}
	s.do(ctx, func() error { return s.ep.ReadMsg(message, 0) })
	fmt.Printf("read %q and %q\n", left, right)

	// Add to an int32 at the target, and get the old value. Then 1000 times without waiting in between.
	five, old := binary.NativeEndian.AppendUint32(nil, 5), make([]byte, 4)
	for range 2 {
		s.do(ctx, func() error {
			return s.ep.FetchAtomic(five, old, peer[0], at(32), fi.TypeInt32, fi.AtomicSum, nil)
		})
		fmt.Println("the old value is", binary.NativeEndian.Uint32(old))
	}
	for range 1000 {
		s.post(func() error { return s.ep.Atomic(five, peer[0], at(32), fi.TypeInt32, fi.AtomicSum, nil) })
	}
	check(s.wait(ctx))

	// Without the key there is nothing to be had.
	wrong := mr.Remote{Addr: o.Memory.Addr, Key: o.Memory.Key + 1}
	s.post(func() error { return s.ep.Write([]byte("x"), peer[0], wrong, nil) })
	var failed *cq.ErrEntry
	if err := s.wait(ctx); errors.As(err, &failed) {
		fmt.Println("with another key:", failed.Err)
	}
	must(conn.Write([]byte{0}))
	check(s.ep.Close())
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if len(os.Args) == 2 {
		origin(ctx, os.Args[1])
		return
	}
	target(ctx)
}
