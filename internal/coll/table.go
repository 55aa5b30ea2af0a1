package coll

// Rule is a line of a table: the algorithm for operations up to a number of bytes (see [Args.Bytes]) in groups up to a
// number of members. A limit of 0 is none.
type Rule struct {
	Coll       Coll
	Alg        Alg
	MaxBytes   int
	MaxMembers int
	MinMembers int
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
	{Coll: Allreduce, Alg: RecursiveDoubling},
	{Coll: Allreduce, Alg: InOrder},

	{Coll: Allgather, Alg: RecursiveDoubling, MaxBytes: 512 << 10, Power2: true},
	{Coll: Allgather, Alg: Bruck, MaxBytes: 80 << 10},
	{Coll: Allgather, Alg: Ring},

	{Coll: Alltoall, Alg: Bruck, MaxBytes: 2 << 10, MinMembers: 8},
	{Coll: Alltoall, Alg: Scattered, MaxBytes: 1 << 20},
	{Coll: Alltoall, Alg: Pairwise},

	{Coll: ReduceScatter, Alg: RecursiveHalving, MaxBytes: 512 << 10},
	{Coll: ReduceScatter, Alg: Pairwise},
	{Coll: ReduceScatter, Alg: InOrder},

	{Coll: Scatter, Alg: Binomial},
	{Coll: Gather, Alg: Binomial},
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
func (t Table) Choose(a Args) Alg {
	for _, rules := range [2]Table{t, DefaultTable} {
		for i := range rules {
			if rules[i].fits(&a) {
				return rules[i].Alg
			}
		}
	}
	return InOrder // what only reductions in order get here without a rule of theirs: there is one
}
