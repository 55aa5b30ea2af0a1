package coll

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestParseRules reads what a variable may hold.
func TestParseRules(t *testing.T) {
	for _, c := range []struct {
		coll Coll
		text string
		want Table
	}{
		{Allreduce, "ring", Table{{Coll: Allreduce, Alg: Ring}}},
		{Allreduce, "ring:65536", Table{{Coll: Allreduce, Alg: Ring, MaxBytes: 65536}}},
		{Allreduce, "Recursive_Doubling:2k, segmented-ring/1M", Table{{Coll: Allreduce, Alg: RecursiveDoubling, MaxBytes: 2048},
			{Coll: Allreduce, Alg: SegmentedRing, Segment: 1 << 20}}},
		{Alltoall, "bruck:2K@8-,pairwise@3,scattered@4-16+power2+spread", Table{{Coll: Alltoall, Alg: Bruck, MaxBytes: 2048, MinMembers: 8},
			{Coll: Alltoall, Alg: Pairwise, MaxMembers: 3},
			{Coll: Alltoall, Alg: Scattered, MinMembers: 4, MaxMembers: 16, Power2: true, Spread: true}}},
	} {
		got, err := ParseRules(c.coll, c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v %q: %+v, %v, want %+v", c.coll, c.text, got, err, c.want)
		}
	}
}

// TestWrongRules: errors name the place, and list what there is.
func TestWrongRules(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"allreduse ring", "neighbor_alltoall"},
		{"allreduce", "segmented-ring"},
		{"allreduce rign", "recursive-doubling, ring"},
		{"barrier ring", "algorithms of barrier are dissemination"},
		{"\n\n# comment\nbarrier ring # x", "line 4"},
		{"allreduce ring,", `rule ""`},
		{"allreduce ring:", "a number from 1 on"},
		{"allreduce ring:0", "a number from 1 on"},
		{"allreduce ring:-3", "a number from 1 on"},
		{"allreduce ring:99999999999G", "a number from 1 on"},
		{"allreduce ring/x", "a number from 1 on"},
		{"allreduce ring@", "a number from 1 on"},
		{"allreduce ring@-", "a number from 1 on"},
		{"allreduce ring@9-8", "no members between"},
		{"allreduce ring+fast", "+power2 or +spread"},
	} {
		if got, err := ParseTable(c.text); err == nil || !strings.Contains(err.Error(), c.want) || got != nil {
			t.Errorf("%q: %v, %v, want %q in it", c.text, got, err, c.want)
		}
	}
}

// TestNames: operations are found by their names.
func TestNames(t *testing.T) {
	for c := range numColl {
		var got Coll
		if err := got.UnmarshalText([]byte(strings.ToUpper(c.String()))); err != nil || got != c {
			t.Errorf("%v is read as %v, %v", c, got, err)
		}
	}
}

// TestTableText: a table that is written and read is the same one.
func TestTableText(t *testing.T) {
	again := func(t interface{ Fatalf(string, ...any) }, x Table) {
		got, err := ParseTable(x.String())
		if err != nil || !slices.Equal(got, x) {
			t.Fatalf("%s\nbecomes %v, %v", x, got, err)
		}
	}
	again(t, DefaultTable)
	rapid.Check(t, func(t *rapid.T) {
		again(t, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Rule {
			c := Coll(rapid.IntRange(0, int(numColl)-1).Draw(t, "operation"))
			r := Rule{Coll: c, Alg: rapid.SampledFrom(c.Algs()).Draw(t, "algorithm"), MaxBytes: rapid.IntRange(0, maxBytes).Draw(t, "bytes"),
				MinMembers: rapid.IntRange(0, 100).Draw(t, "least"), Segment: rapid.IntRange(0, 1<<20).Draw(t, "segment"),
				Power2: rapid.Bool().Draw(t, "power2"), Spread: rapid.Bool().Draw(t, "spread")}
			if rapid.Bool().Draw(t, "limited") {
				r.MaxMembers = r.MinMembers + rapid.IntRange(1, MaxMembers).Draw(t, "most")
			}
			return r
		}), 0, 9).Draw(t, "table"))
	})
}

// FuzzParseTable: whatever is read can be written and read again.
func FuzzParseTable(f *testing.F) {
	f.Add(DefaultTable.String())
	f.Add("allreduce ring/64K:1M@2-3+power2, linear # comment\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseTable(text)
		if err != nil {
			return
		}
		if again, err := ParseTable(got.String()); err != nil || !slices.Equal(again, got) {
			t.Errorf("%q: %v becomes %v, %v", text, got, again, err)
		}
	})
}
