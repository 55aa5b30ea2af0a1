package fabric_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/mem"
)

// Three members, here in one process, add their numbers up.
func ExampleEndpoint_Allreduce() {
	const members = 3
	reg := fabric.WithRegistry(fabric.NewRegistry(mem.New()))
	info := must(fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapCollective, EP: &fi.EPAttr{Type: fi.EPRDM}}, reg))[0]
	net := must(fabric.Open(info, reg))
	domain := must(net.OpenDomain(info))
	av := must(domain.OpenAV(nil)) // the members share it; processes have one each

	var eps [members]*fabric.Endpoint
	var queues [members]*fabric.CQ
	var events [members]*fabric.EQ
	for i := range eps {
		eps[i], queues[i], events[i] = must(domain.OpenEndpoint(info)), must(domain.OpenCQ(nil)), must(net.OpenEQ(nil))
		check(eps[i].BindCQ(queues[i], fi.BindTransmit|fi.BindRecv))
		check(eps[i].BindAV(av))
		check(eps[i].BindEQ(events[i]))
		check(eps[i].Enable())
		must(av.Insert([][]byte{must(eps[i].Name())}, nil, 0))
	}
	set := must(av.OpenSet(&fi.AVSetAttr{Flags: fi.AVSetUniverse}))

	var sums [members]uint64
	var all sync.WaitGroup
	for i, ep := range eps {
		all.Go(func() {
			group := must(ep.JoinCollective(fi.AddrNotAvail, set, 0, nil))
			var joined fi.EQEntry
			check(events[i].SRead(context.Background(), &joined, 0))

			mine, result := binary.NativeEndian.AppendUint64(nil, uint64(i+1)), make([]byte, 8)
			check(ep.Allreduce(mine, result, group.Addr(), fi.TypeUint64, fi.AtomicSum, 0, nil))
			must(queues[i].SRead(context.Background(), make([]cq.Entry, 1)))
			sums[i] = binary.NativeEndian.Uint64(result)
			check(group.Close())
		})
	}
	all.Wait()
	fmt.Println(sums)
	// Output: [6 6 6]
}

// Sets are made like MPI's groups: of ranges, and of other sets.
func ExampleAVSet() {
	p := open(fi.CapMsg)
	av := must(p.d.OpenAV(nil))
	for i := range 8 {
		must(av.Insert([][]byte{fmt.Appendf(nil, "fi_mem://peer%d", i)}, nil, 0))
	}
	even := must(av.OpenSet(&fi.AVSetAttr{Start: 0, End: 7, Stride: 2}))
	high := must(av.OpenSet(&fi.AVSetAttr{Start: 4, End: 7, Stride: 1}))
	check(even.Union(high))
	fmt.Println(even.Members())
	check(even.Diff(high))
	fmt.Println(even.Members())
	// Output:
	// [0 2 4 6 5 7]
	// [0 2]
}
