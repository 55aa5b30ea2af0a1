package main

import (
	"slices"

	"github.com/gofabric/gofabric/pmi/server"
)

// place gives the host of each of n ranks, as an index: hosts are filled in their order, and from the first again when
// there are more ranks than slots. It also gives the hosts that have ranks, and the value of PMI_process_mapping.
func place(hosts []host, n int) (of []int, used []host, mapping string) {
	of = make([]int, 0, n)
	for len(of) < n {
		for i, h := range hosts {
			for k := 0; k < h.slots && len(of) < n; k++ {
				of = append(of, i)
			}
		}
	}
	return of, hosts[:slices.Max(of)+1], server.Mapping(of)
}

// slots is the room on all hosts.
func slots(hosts []host) int {
	n := 0
	for _, h := range hosts {
		n += h.slots
	}
	return n
}
