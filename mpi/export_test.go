package mpi

import "github.com/gofabric/gofabric/internal/hostid"

// WithHostNames gives the hosts of the ranks, of which one machine has one only.
func WithHostNames(names ...string) Option {
	return func(o *options) { o.host = names[o.member.Rank()] }
}

// HostNumbers is hostNumbers for hosts by name.
func HostNumbers(names []string, nodes []int) ([]int, error) {
	values := make([][]byte, len(names))
	for i, n := range names {
		values[i] = []byte(hostid.Of(n) + "address")
	}
	return hostNumbers(values, nodes)
}
