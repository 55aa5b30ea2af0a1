package tune

import (
	"cmp"
	"math"
	"slices"

	"github.com/gofabric/gofabric/internal/coll"
)

// worth is how many times faster a switch between algorithms must make things in all, to be worth a rule: less is noise.
const worth = 1.1

// Table makes rules of samples: for each operation and number of members the algorithms that are fastest, from which bytes
// on. Between what was measured the border is in the middle. What differs by a few hundredths switches nothing. Of several
// samples of one trial the fastest counts.
func Table(samples []Sample) coll.Table {
	var t coll.Table
	for c, here := range grouped(samples, func(s Sample) coll.Coll { return s.Coll }) {
		var groups []coll.Table // of one number of members each
		var members []int
		for m, of := range grouped(here, func(s Sample) int { return s.Members }) {
			groups, members = append(groups, switches(c, of)), append(members, m)
		}
		for i := 0; i < len(groups); {
			j := i + 1
			for j < len(groups) && slices.Equal(groups[i], groups[j]) {
				j++
			}
			for _, r := range groups[i] {
				if i > 0 {
					r.MinMembers = (members[i-1]+members[i])/2 + 1
				}
				if j < len(groups) {
					r.MaxMembers = (members[j-1] + members[j]) / 2
				}
				t = append(t, r)
			}
			i = j
		}
	}
	return t
}

// grouped gives the samples with the same key, in the order of keys.
func grouped[K cmp.Ordered](samples []Sample, key func(Sample) K) func(yield func(K, []Sample) bool) {
	of := make(map[K][]Sample)
	var keys []K
	for _, s := range samples {
		k := key(s)
		if of[k] == nil {
			keys = append(keys, k)
		}
		of[k] = append(of[k], s)
	}
	slices.Sort(keys)
	return func(yield func(K, []Sample) bool) {
		for _, k := range keys {
			if !yield(k, of[k]) {
				return
			}
		}
	}
}

// choice is an algorithm as a table names it.
type choice struct {
	alg     coll.Alg
	segment int
}

// switches finds the cheapest way through the sizes: what an algorithm costs at a size is the logarithm of how many times
// slower than the best it is there, and to switch costs worth.
func switches(c coll.Coll, samples []Sample) coll.Table {
	var sizes []int
	var costs []map[choice]float64
	for n, here := range grouped(samples, func(s Sample) int { return s.Bytes }) {
		at, best := make(map[choice]float64), math.Inf(1)
		for _, s := range here {
			x := choice{s.Alg, s.Segment}
			if was, ok := at[x]; !ok || float64(s.Time) < was {
				at[x] = float64(s.Time)
			}
			best = min(best, at[x])
		}
		for x := range at {
			at[x] = math.Log(at[x] / best)
		}
		sizes, costs = append(sizes, n), append(costs, at)
	}
	way := cheapest(costs)
	var t coll.Table
	for i, x := range way {
		r := coll.Rule{Coll: c, Alg: x.alg, Segment: x.segment}
		if i+1 < len(way) {
			if way[i+1] == x {
				continue
			}
			r.MaxBytes = (sizes[i] + sizes[i+1]) / 2
		}
		t = append(t, r)
	}
	return t
}

// cheapest is the way of least cost, one choice for each place.
func cheapest(costs []map[choice]float64) []choice {
	type step struct {
		total float64
		from  choice
	}
	steps := make([]map[choice]step, len(costs))
	for i, at := range costs {
		steps[i] = make(map[choice]step)
		for _, x := range ordered(at) {
			s := step{from: x}
			if i > 0 {
				s.total = math.Inf(1)
				for _, y := range ordered(steps[i-1]) {
					total := steps[i-1][y].total
					if y != x {
						total += math.Log(worth)
					}
					if total < s.total {
						s = step{total, y}
					}
				}
			}
			s.total += at[x]
			steps[i][x] = s
		}
	}
	way := make([]choice, len(costs))
	for i := len(costs) - 1; i >= 0; i-- {
		if i+1 < len(costs) {
			way[i] = steps[i+1][way[i+1]].from
			continue
		}
		least := math.Inf(1)
		for _, x := range ordered(steps[i]) {
			if steps[i][x].total < least {
				least, way[i] = steps[i][x].total, x
			}
		}
	}
	return way
}

// ordered gives the keys in an order that does not change from run to run: all members must come to the same table.
func ordered[V any](m map[choice]V) []choice {
	var out []choice
	for x := range m {
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.alg, b.alg), cmp.Compare(a.segment, b.segment))
	})
	return out
}
