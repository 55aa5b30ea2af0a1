package coll

// Rule is a line of a table: the algorithm for operations up to a number of bytes (see [Args.Bytes]) in groups up to a
// number of members. A limit of 0 is none.
type Rule struct {
	Coll       Coll
	Alg        Alg
	MaxBytes   int
	MaxMembers int
	MinMembers int
	Segment    int  // Args.Segment, if that is 0
	Power2     bool // only for a number of members that is a power of two
	Spread     bool // only with at least one element for each member
}

// Table holds rules; the first that fits is taken. All members must use the same one.
type Table []Rule

// DefaultTable has the switch points that MPICH and Open MPI have found, where they agree, and which are about the same for
// every network: few rounds while messages are short, few bytes when they are long.
var DefaultTable = Table{
	{Coll: Barrier, Alg: Dissemination},

	{Coll: Broadcast, Alg: Binomial, MaxBytes: 12 << 10},
	{Coll: Broadcast, Alg: Binomial, MaxMembers: 7},
	{Coll: Broadcast, Alg: ScatterRing, Spread: true},
	{Coll: Broadcast, Alg: Binomial},

	{Coll: Reduce, Alg: Binomial, MaxBytes: 2 << 10},
	{Coll: Reduce, Alg: Rabenseifner, Spread: true},
	{Coll: Reduce, Alg: Binomial},
	{Coll: Reduce, Alg: InOrder},

	{Coll: Allreduce, Alg: RecursiveDoubling, MaxBytes: 2 << 10},
	{Coll: Allreduce, Alg: Rabenseifner, MaxBytes: 512 << 10, Spread: true},
	{Coll: Allreduce, Alg: Ring, Spread: true},
	{Coll: Allreduce, Alg: Rabenseifner, Spread: true},
	{Coll: Allreduce, Alg: RecursiveDoubling},
	{Coll: Allreduce, Alg: Linear, MaxBytes: 2 << 10, MaxMembers: 8},
	{Coll: Allreduce, Alg: InOrder},

	{Coll: Allgather, Alg: RecursiveDoubling, MaxBytes: 512 << 10, Power2: true},
	{Coll: Allgather, Alg: Bruck, MaxBytes: 80 << 10},
	{Coll: Allgather, Alg: Ring},

	{Coll: Alltoall, Alg: Bruck, MaxBytes: 2 << 10, MinMembers: 8},
	{Coll: Alltoall, Alg: Scattered, MaxBytes: 1 << 20},
	{Coll: Alltoall, Alg: Pairwise},

	{Coll: ReduceScatter, Alg: RecursiveHalving, MaxBytes: 512 << 10},
	{Coll: ReduceScatter, Alg: Pairwise},
	{Coll: ReduceScatter, Alg: RecursiveHalving},
	{Coll: ReduceScatter, Alg: InOrder},

	{Coll: ReduceScatterv, Alg: RecursiveHalving, MaxBytes: 512 << 10},
	{Coll: ReduceScatterv, Alg: Pairwise},
	{Coll: ReduceScatterv, Alg: RecursiveHalving},
	{Coll: ReduceScatterv, Alg: InOrder},

	{Coll: Scatter, Alg: Binomial, MaxBytes: 1 << 20},
	{Coll: Scatter, Alg: Linear},
	{Coll: Scatterv, Alg: Linear},

	{Coll: Gather, Alg: Binomial, MaxBytes: 1 << 20},
	{Coll: Gather, Alg: Linear},
	{Coll: Gatherv, Alg: Linear},

	{Coll: Allgatherv, Alg: Bruck, MaxBytes: 80 << 10},
	{Coll: Allgatherv, Alg: Ring},

	{Coll: Alltoallv, Alg: Scattered},

	{Coll: Scan, Alg: RecursiveDoubling},
	{Coll: Scan, Alg: InOrder},
	{Coll: Exscan, Alg: RecursiveDoubling},
	{Coll: Exscan, Alg: InOrder},

	{Coll: NeighborAllgather, Alg: Scattered},
	{Coll: NeighborAlltoall, Alg: Scattered},
}

func (r *Rule) fits(a *Args) bool {
	return r.Coll == a.Coll && r.Alg.Serves(a) &&
		(r.MaxBytes == 0 || a.Bytes() <= r.MaxBytes) &&
		(r.MaxMembers == 0 || a.Members <= r.MaxMembers) && a.Members >= r.MinMembers &&
		(!r.Power2 || a.Members&(a.Members-1) == 0) &&
		(!r.Spread || a.Count >= a.Members)
}

// Choose gives the algorithm for an operation: that of the first rule of t that fits, or else of the default table, so that
// a table may hold only what it changes.
func (t Table) Choose(a Args) Alg { return t.rule(&a).Alg }

// Make gives a member's schedule by the algorithm that [Table.Choose] gives, with the segments of its rule.
func (t Table) Make(a Args) (*Schedule, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	r := t.rule(&a)
	if a.Segment == 0 {
		a.Segment = r.Segment
	}
	return Make(r.Alg, a)
}

// rule is the first that fits. The default table has one for whatever a table can be asked.
func (t Table) rule(a *Args) Rule {
	for _, rules := range [2]Table{t, DefaultTable} {
		for i := range rules {
			if rules[i].fits(a) {
				return rules[i]
			}
		}
	}
	return Rule{Coll: a.Coll, Alg: InOrder}
}
