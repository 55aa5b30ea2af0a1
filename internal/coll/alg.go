package coll

import (
	"fmt"
	"slices"
	"strings"
)

// Alg is an algorithm for one or several collective operations.
type Alg uint8

// Algorithms.
const (
	Dissemination     Alg = iota // barrier: after round k everybody knows of 2^(k+1) members
	Binomial                     // broadcast, reduce, gather, scatter: a tree in which half of the members are leaves
	ScatterRing                  // broadcast: each gets a piece, then the pieces go round
	Rabenseifner                 // reduce, allreduce: each reduces a piece, then the pieces are gathered
	RecursiveDoubling            // allreduce, allgather, scan: partners at distance 1, 2, 4 exchange all they have
	Ring                         // allreduce, allgather: pieces go round
	Bruck                        // allgather, alltoall: few rounds, some copies
	Scattered                    // alltoall, neighbourhoods: everything at once
	Pairwise                     // alltoall, reduce-scatter: one partner after the other
	RecursiveHalving             // reduce-scatter: partners exchange halves
	InOrder                      // reductions in the order of ranks: one member does it; scans: one member after the other
	Linear                       // one round, in which each sends straight to whoever needs it: for few members
	Pipeline                     // broadcast: segments go along a chain of members
	SegmentedRing                // allreduce: Ring, in segments
	numAlg
)

var algNames = [numAlg]string{"dissemination", "binomial", "scatter-ring", "rabenseifner", "recursive-doubling", "ring", "bruck",
	"scattered", "pairwise", "recursive-halving", "in-order", "linear", "pipeline", "segmented-ring"}

// String gives the name as it stands in tables.
func (g Alg) String() string {
	if g < numAlg {
		return algNames[g]
	}
	return fmt.Sprintf("alg(%d)", uint8(g))
}

// UnmarshalText reads what String gives, in letters of any case and with _ for -. The error lists what there is.
func (g *Alg) UnmarshalText(text []byte) error {
	i := slices.Index(algNames[:], strings.ReplaceAll(strings.ToLower(string(text)), "_", "-"))
	if i < 0 {
		return fmt.Errorf("coll: no algorithm %q: give one of %s", text, strings.Join(algNames[:], ", "))
	}
	*g = Alg(i)
	return nil
}

// makers are the algorithms of each operation.
var makers = [numColl]map[Alg]func(*builder){
	Barrier:   {Dissemination: barrier},
	Broadcast: {Binomial: broadcastBinomial, ScatterRing: broadcastScatterRing, Linear: broadcastLinear, Pipeline: broadcastPipeline},
	Alltoall:  {Bruck: alltoallBruck, Scattered: alltoallScattered, Pairwise: alltoallPairwise},
	Allreduce: {RecursiveDoubling: allreduceDoubling, Rabenseifner: allreduceRabenseifner, Ring: allreduceRing,
		SegmentedRing: allreduceSegmentedRing, Linear: allreduceLinear, InOrder: allreduceInOrder},
	Allgather:         {RecursiveDoubling: allgatherDoubling, Bruck: allgatherBruck, Ring: allgatherRing, Linear: allgatherLinear},
	ReduceScatter:     reduceScatters,
	Reduce:            {Binomial: reduceBinomial, Rabenseifner: reduceRabenseifner, Linear: reduceLinear, InOrder: reduceInOrder},
	Scatter:           {Binomial: scatterBinomial, Linear: scatterLinear},
	Gather:            {Binomial: gatherBinomial, Linear: gatherLinear},
	Scan:              {RecursiveDoubling: scanDoubling, InOrder: scanInOrder},
	Exscan:            {RecursiveDoubling: exscanDoubling, InOrder: exscanInOrder},
	Gatherv:           {Linear: gatherLinear},
	Scatterv:          {Linear: scatterLinear},
	Allgatherv:        {Bruck: allgatherBruck, Ring: allgatherRing, Linear: allgatherLinear},
	Alltoallv:         {Scattered: alltoallScattered, Pairwise: alltoallPairwise},
	ReduceScatterv:    reduceScatters,
	NeighborAllgather: {Scattered: neighborScattered},
	NeighborAlltoall:  {Scattered: neighborScattered},
}

var reduceScatters = map[Alg]func(*builder){RecursiveHalving: reduceScatterHalving, Pairwise: reduceScatterPairwise,
	Linear: reduceScatterLinear, InOrder: reduceScatterInOrder}

// Algs gives the algorithms of an operation, in the order of their constants.
func (c Coll) Algs() (out []Alg) {
	for g := range numAlg {
		if c < numColl && makers[c][g] != nil {
			out = append(out, g)
		}
	}
	return out
}

// Segmented tells whether the algorithm uses Args.Segment.
func (g Alg) Segmented() bool { return g == Pipeline || g == SegmentedRing }

// Serves tells whether an algorithm can do what a asks: it exists for the operation, keeps the order of operands if that
// matters, and takes this number of members.
func (g Alg) Serves(a *Args) bool {
	switch {
	case a.Coll >= numColl || makers[a.Coll][g] == nil:
		return false
	case a.Coll.Reduces() && a.Ordered:
		return g == InOrder || g == Linear
	case a.Coll.Reduces() && a.InRankOrder: // in these each begins with its own neighbours
		return g != Ring && g != SegmentedRing && g != Pairwise
	case a.Coll == Allgather && g == RecursiveDoubling:
		return a.Members&(a.Members-1) == 0
	}
	return true
}

// Make gives a member's schedule by an algorithm, whose name the other members must use, too.
func Make(g Alg, a Args) (*Schedule, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	if !g.Serves(&a) {
		return nil, fmt.Errorf("coll: %v does not serve %v with %d members (ordered: %v, in rank order: %v): Table.Choose gives one "+
			"that does", g, a.Coll, a.Members, a.Ordered, a.InRankOrder)
	}
	b := &builder{a: a, s: &Schedule{Alg: g}}
	switch {
	case a.Members == 1 && !a.Coll.neighbors():
		alone(b)
	case a.Coll == Barrier || a.Count > 0 || a.Coll.Vectored():
		makers[a.Coll][g](b)
	}
	b.next()
	return b.s, nil
}

// alone is every operation of a group of one: what goes in comes out.
func alone(b *builder) {
	in, out := b.input(b.size()), Span{Out, 0, b.size()}
	switch b.a.Coll {
	case Barrier, Broadcast, Exscan:
		return
	case Scatter:
		if b.a.InPlace {
			return
		}
	case Scatterv:
		if in.Buf = InBlock(0); b.a.InPlace {
			return
		}
	case Gatherv, Allgatherv:
		out.Buf = OutBlock(0)
	case Alltoallv:
		out = b.block(0)
		if in = (Span{InBlock(0), 0, out.Len}); b.a.InPlace {
			return
		}
	}
	b.copy(out, in)
}
