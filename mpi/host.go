package mpi

import (
	"context"
	"fmt"
	"os"

	"github.com/gofabric/gofabric/internal/hostid"
)

// hostNumbers numbers the hosts in the order in which they appear. Ranks share a host when their processes say so, each of
// itself, and the launcher, if it says anything, has put them on the same node: it may stand for hosts that are not there.
func hostNumbers(values [][]byte, nodes []int) ([]int, error) {
	type host struct {
		id   string
		node int
	}
	seen := map[host]int{}
	hosts := make([]int, len(values))
	for r, v := range values {
		if len(v) < hostid.Len {
			return nil, fmt.Errorf("rank %d published %d bytes: do all run the same version?", r, len(v))
		}
		h := host{id: string(v[:hostid.Len])}
		if len(nodes) == len(values) {
			h.node = nodes[r]
		}
		if _, there := seen[h]; !there {
			seen[h] = len(seen)
		}
		hosts[r] = seen[h]
	}
	return hosts, nil
}

// SplitHost makes a communicator of the members on this process's host, in the same order (MPI_Comm_split_type with
// MPI_COMM_TYPE_SHARED; MPI 4.1, 7.4.2). Which processes share a host they find out by themselves when the job begins;
// where the launcher has put them on different nodes they do not. FI_LNX_HOST gives a host another name. Collective.
//
// Errors: as Split.
func (c *Comm) SplitHost(ctx context.Context) (*Comm, error) {
	color := 0
	if c != nil {
		color = c.job.hosts[c.job.dev.Rank]
	}
	return c.split(ctx, "SplitHost", color, 0)
}

// HostOf is the number of the host that a rank that can be addressed is on, in the order in which hosts appear among the
// ranks of the world. Local.
//
// Errors: ErrRank.
func (c *Comm) HostOf(rank int) (int, error) {
	if rank < 0 || rank >= c.reach() {
		return 0, bad("HostOf", ErrRank, NoRank, fmt.Sprintf("rank %d: there are 0 to %d", rank, c.reach()-1))
	}
	return c.job.hosts[c.world(rank)], nil
}

// ProcessorName is the name of the host that this process is on (MPI_Get_processor_name; MPI 4.1, 9.1.2).
func ProcessorName() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}
