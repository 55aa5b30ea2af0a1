package coll

import "testing"

// TestChoose: where the default table switches, and that every choice can be made.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		coll         Coll
		members, len int // bytes of a block
		want         Alg
	}{
		{Barrier, 5, 0, Dissemination},
		{Broadcast, 16, 12 << 10, Binomial},
		{Broadcast, 16, 12<<10 + 8, ScatterRing},
		{Broadcast, 7, 1 << 20, Binomial},
		{Reduce, 16, 2 << 10, Binomial},
		{Reduce, 16, 2<<10 + 8, Rabenseifner},
		{Reduce, 300, 2<<10 + 8, Binomial}, // fewer elements than members
		{Allreduce, 16, 2 << 10, RecursiveDoubling},
		{Allreduce, 16, 64 << 10, Rabenseifner},
		{Allreduce, 16, 1 << 20, Ring},
		{Allreduce, 5000, 32 << 10, RecursiveDoubling},
		{Allgather, 8, 64 << 10, RecursiveDoubling},
		{Allgather, 8, 64<<10 + 8, Ring},
		{Allgather, 7, 8 << 10, Bruck},
		{Allgather, 7, 64 << 10, Ring},
		{Alltoall, 16, 128, Bruck},
		{Alltoall, 7, 8, Scattered},
		{Alltoall, 16, 1 << 10, Scattered},
		{Alltoall, 16, 1 << 20, Pairwise},
		{ReduceScatter, 8, 64 << 10, RecursiveHalving},
		{ReduceScatter, 8, 128 << 10, Pairwise},
		{Scatter, 8, 8, Binomial},
		{Gather, 8, 8, Binomial},
	} {
		a := Args{Coll: c.coll, Members: c.members, Count: c.len / 8, Size: 8}
		if g := DefaultTable.Choose(a); g != c.want {
			t.Errorf("%v of %d members, %d bytes: %v, want %v", c.coll, c.members, c.len, g, c.want)
		}
	}
	for c := range numColl {
		for n := 1; n < 20; n++ {
			for _, count := range []int{0, 1, 100, 1 << 20} {
				for _, ordered := range []bool{false, true} {
					a := Args{Coll: c, Members: n, Count: count, Size: 8, Ordered: ordered}
					if g := DefaultTable.Choose(a); !g.Serves(&a) {
						t.Errorf("%+v: %v does not serve it", a, g)
					}
				}
			}
		}
	}
}

// TestOverride: a table holds what it changes; where it has nothing that fits, the defaults do.
func TestOverride(t *testing.T) {
	mine := Table{{Coll: Allreduce, Alg: Ring, MaxBytes: 100}, {Coll: Allgather, Alg: RecursiveDoubling}}
	for _, c := range []struct {
		a    Args
		want Alg
	}{
		{Args{Coll: Allreduce, Members: 4, Count: 10, Size: 8}, Ring},
		{Args{Coll: Allreduce, Members: 4, Count: 20, Size: 8}, RecursiveDoubling},
		{Args{Coll: Allreduce, Members: 4, Count: 10, Size: 8, Ordered: true}, Linear},
		{Args{Coll: Allgather, Members: 6, Count: 10, Size: 8}, Bruck}, // doubling does not serve six
		{Args{Coll: Barrier, Members: 6}, Dissemination},
	} {
		if g := mine.Choose(c.a); g != c.want {
			t.Errorf("%+v: %v, want %v", c.a, g, c.want)
		}
	}
}
