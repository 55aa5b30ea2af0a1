package mpi

import (
	"fmt"
	"os"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/internal/envknob"
)

// knob is the variable that chooses the algorithms of one operation: MPI_ALLREDUCE=ring, or rules with limits as in
// "recursive-doubling:2K,ring".
type knob struct {
	coll coll.Coll
	*envknob.Knob[string]
}

func newKnob(c coll.Coll, name string) knob {
	return knob{c, envknob.String(name, "mpi", "algorithm of "+c.String()+": a name, or rules", "")}
}

var knobs = []knob{
	newKnob(coll.Barrier, "MPI_BARRIER"),
	newKnob(coll.Broadcast, "MPI_BCAST"),
	newKnob(coll.Gather, "MPI_GATHER"),
	newKnob(coll.Gatherv, "MPI_GATHERV"),
	newKnob(coll.Scatter, "MPI_SCATTER"),
	newKnob(coll.Scatterv, "MPI_SCATTERV"),
	newKnob(coll.Allgather, "MPI_ALLGATHER"),
	newKnob(coll.Allgatherv, "MPI_ALLGATHERV"),
	newKnob(coll.Alltoall, "MPI_ALLTOALL"),
	newKnob(coll.Alltoallv, "MPI_ALLTOALLV"),
	newKnob(coll.Reduce, "MPI_REDUCE"),
	newKnob(coll.Allreduce, "MPI_ALLREDUCE"),
	newKnob(coll.ReduceScatter, "MPI_REDUCE_SCATTER_BLOCK"),
	newKnob(coll.ReduceScatterv, "MPI_REDUCE_SCATTER"),
	newKnob(coll.Scan, "MPI_SCAN"),
	newKnob(coll.Exscan, "MPI_EXSCAN"),
	newKnob(coll.NeighborAllgather, "MPI_NEIGHBOR_ALLGATHER"),
	newKnob(coll.NeighborAlltoall, "MPI_NEIGHBOR_ALLTOALL"),
}

// chosen tells for which operations a variable is set: these go by messages, also where there is shared memory. A table
// from a file says nothing about shared memory.
func chosen(env envknob.Lookup) (set [len(plans{}.recent)]bool) {
	for _, k := range knobs {
		_, set[k.coll] = k.Lookup(env)
	}
	return set
}

var knobTable = envknob.String("MPI_COLL_TABLE", "mpi", "file with a table of algorithms for collective operations", "")

// tableFrom gives the rules that the environment sets: those of variables, then those of the file that one names. They come
// before those of the default table. All members must have the same.
func tableFrom(env envknob.Lookup) (coll.Table, error) {
	var table coll.Table
	for _, k := range knobs {
		text, err := k.Get(env)
		if err != nil {
			return nil, err
		}
		if text == "" {
			continue
		}
		rules, err := coll.ParseRules(k.coll, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name(), err)
		}
		table = append(table, rules...)
	}
	name, err := knobTable.Get(env)
	if err != nil || name == "" {
		return table, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: name a file that every member can read", knobTable.Name(), err)
	}
	rules, err := coll.ParseTable(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", knobTable.Name(), name, err)
	}
	return append(table, rules...), nil
}
