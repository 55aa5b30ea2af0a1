package mr_test

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

func ExampleAlloc() {
	mem, err := mr.Alloc(1 << 20) // peers on this host can map it once it is registered
	if err != nil {
		fmt.Println(err)
		return
	}
	copy(mem.Bytes(), "ordinary memory for us")
	fmt.Printf("%d bytes: %s\n", len(mem.Bytes()), mem.Bytes()[:22])
	fmt.Println(mem.Free())
	// Output:
	// 1048576 bytes: ordinary memory for us
	// <nil>
}

// A Remote goes to the peer in a message of any kind.
func ExampleRemote() {
	here := mr.Remote{Addr: 0, Key: 42} // as fabric.MR.Remote gives it
	sent, _ := here.MarshalBinary()

	var there mr.Remote
	if err := there.UnmarshalBinary(sent); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(sent), there.At(4096))
	// Output: 16 {4096 42}
}

// A provider checks every remote access like this.
func ExampleTable() {
	table := mr.NewTable()
	r := &mr.Region{Key: 7, Parts: [][]byte{make([]byte, 64)}, Len: 64, Access: fi.AccessRemoteRead, Enabled: true}
	if err := table.Add(r); err != nil {
		fmt.Println(err)
		return
	}
	found := table.Find(7)
	_, err := found.Check(60, 8, fi.AccessRemoteRead)
	fmt.Println(err)
	_, err = found.Check(0, 8, fi.AccessRemoteWrite)
	fmt.Println(err)
	table.Kill(r)
	fmt.Println(table.Find(7))
	// Output:
	// FI_EINVAL: invalid argument
	// FI_EACCES: permission denied
	// <nil>
}
