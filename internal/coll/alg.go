package coll

import "fmt"

// Alg is an algorithm for one or several collective operations.
type Alg uint8

// Algorithms.
const (
	Dissemination     Alg = iota // barrier: after round k everybody knows of 2^(k+1) members
	Binomial                     // broadcast, reduce, gather, scatter: a tree in which half of the members are leaves
	ScatterRing                  // broadcast: each gets a piece, then the pieces go round
	Rabenseifner                 // reduce, allreduce: each reduces a piece, then the pieces are gathered
	RecursiveDoubling            // allreduce, allgather: partners at distance 1, 2, 4 exchange all they have
	Ring                         // allreduce, allgather: pieces go round
	Bruck                        // allgather, alltoall: few rounds, some copies
	Scattered                    // alltoall: everything at once
	Pairwise                     // alltoall, reduce-scatter: one partner after the other
	RecursiveHalving             // reduce-scatter: partners exchange halves
	InOrder                      // reductions in the order of ranks: one member does it
	numAlg
)

var algNames = [numAlg]string{"dissemination", "binomial", "scatter-ring", "rabenseifner", "recursive-doubling", "ring", "bruck",
	"scattered", "pairwise", "recursive-halving", "in-order"}

// String gives the name as it stands in tables.
func (g Alg) String() string {
	if g < numAlg {
		return algNames[g]
	}
	return fmt.Sprintf("alg(%d)", uint8(g))
}

// makers are the algorithms of each operation.
var makers = [numColl]map[Alg]func(*builder){
	Barrier:       {Dissemination: barrier},
	Broadcast:     {Binomial: broadcastBinomial, ScatterRing: broadcastScatterRing},
	Alltoall:      {Bruck: alltoallBruck, Scattered: alltoallScattered, Pairwise: alltoallPairwise},
	Allreduce:     {RecursiveDoubling: allreduceDoubling, Rabenseifner: allreduceRabenseifner, Ring: allreduceRing, InOrder: allreduceInOrder},
	Allgather:     {RecursiveDoubling: allgatherDoubling, Bruck: allgatherBruck, Ring: allgatherRing},
	ReduceScatter: {RecursiveHalving: reduceScatterHalving, Pairwise: reduceScatterPairwise, InOrder: reduceScatterInOrder},
	Reduce:        {Binomial: reduceBinomial, Rabenseifner: reduceRabenseifner, InOrder: reduceInOrder},
	Scatter:       {Binomial: scatterBinomial},
	Gather:        {Binomial: gatherBinomial},
}

// Serves tells whether an algorithm can do what a asks: it exists for the operation, keeps the order of operands if that
// matters, and takes this number of members.
func (g Alg) Serves(a *Args) bool {
	switch {
	case a.Coll >= numColl || makers[a.Coll][g] == nil:
		return false
	case a.Coll.Reduces() && a.Ordered:
		return g == InOrder
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
		return nil, fmt.Errorf("coll: %v does not serve %v with %d members (ordered: %v): Table.Choose gives one that does", g, a.Coll, a.Members, a.Ordered)
	}
	b := &builder{a: a, s: &Schedule{Alg: g}}
	if a.Members == 1 {
		alone(b)
	} else if a.Coll == Barrier || a.Count > 0 {
		makers[a.Coll][g](b)
	}
	b.next()
	return b.s, nil
}

// alone is every operation of a group of one: what goes in comes out.
func alone(b *builder) {
	if b.a.Coll != Barrier && b.a.Coll != Broadcast {
		b.copy(Span{Out, 0, b.size()}, Span{In, 0, b.size()})
	}
}
