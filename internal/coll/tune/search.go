package tune

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gofabric/gofabric/internal/coll"
)

// Trial is one thing to measure.
type Trial struct {
	Coll    coll.Coll
	Alg     coll.Alg
	Segment int // bytes; 0: the algorithm has none, or the default
	Members int
	Bytes   int // as coll.Args.Bytes counts
}

// Args are those of a trial for a member, with elements of size bytes: as many as give t.Bytes, and at least one for each
// block. Operations with a Vector have none.
func (t Trial) Args(rank, size int) (coll.Args, error) {
	if t.Coll.Vectored() || size < 1 {
		return coll.Args{}, fmt.Errorf("tune: %v with elements of %d bytes: only operations without a Vector, and elements of 1 byte on", t.Coll, size)
	}
	a := coll.Args{Coll: t.Coll, Members: t.Members, Rank: rank, Count: 1, Size: size, Segment: t.Segment}
	a.Count = max(1, t.Bytes/max(1, a.Bytes()))
	return a, nil
}

// Sample is a trial and how long it took.
type Sample struct {
	Trial
	Time time.Duration
}

// Search says what to measure: all combinations, but those that cannot be, and but what was hopeless with fewer bytes.
type Search struct {
	Colls    []coll.Coll
	Members  []int
	Bytes    []int // ascending; barriers are measured once
	Segments []int // to try with algorithms that have them; none: the default
	// GiveUp leaves an algorithm out from where it took so many times as long as the fastest and falls behind further; 0: 8.
	GiveUp float64
}

// Powers gives the powers of two from the first not below low up to high.
func Powers(low, high int) (out []int) {
	for n := 1; n > 0 && n <= high; n *= 2 {
		if n >= low {
			out = append(out, n)
		}
	}
	return out
}

// Run measures. It ends with the first error, and gives what has been measured until then.
func (s Search) Run(measure func(Trial) (time.Duration, error)) ([]Sample, error) {
	if !slices.IsSorted(s.Bytes) {
		return nil, fmt.Errorf("tune: sizes %v: give them in ascending order", s.Bytes)
	}
	var out []Sample
	for _, c := range s.Colls {
		for _, members := range s.Members {
			sizes := s.Bytes
			if c == coll.Barrier {
				sizes = []int{0}
			}
			tried, ratios := s.candidates(c), make(map[choice]float64)
			for _, n := range sizes {
				from := len(out)
				for _, t := range tried {
					t.Members, t.Bytes = members, n
					a, err := t.Args(0, 1)
					if err != nil {
						return out, err
					}
					if !t.Alg.Serves(&a) {
						continue
					}
					took, err := measure(t)
					if err != nil {
						return out, fmt.Errorf("tune: %v by %v, %d members, %d bytes: %w", c, t.Alg, members, n, err)
					}
					out = append(out, Sample{t, max(took, 1)})
				}
				tried = s.hopeful(tried, out[from:], ratios)
			}
		}
	}
	return out, nil
}

// candidates are the algorithms of an operation, those with segments once for each.
func (s Search) candidates(c coll.Coll) (out []Trial) {
	for _, g := range c.Algs() {
		t := Trial{Coll: c, Alg: g}
		if !g.Segmented() || len(s.Segments) == 0 {
			out = append(out, t)
			continue
		}
		for _, t.Segment = range s.Segments {
			out = append(out, t)
		}
	}
	return out
}

// falling is how much larger the ratio to the fastest must have become to count as falling behind.
const falling = 1.25

// hopeful leaves out what was much slower than the best and falls behind further: what has only much to prepare comes up
// with more bytes. ratios are those of the sizes before, and become those of got.
func (s Search) hopeful(tried []Trial, got []Sample, ratios map[choice]float64) (out []Trial) {
	limit := s.GiveUp
	if limit == 0 {
		limit = 8
	}
	best := time.Duration(math.MaxInt64)
	for _, x := range got {
		best = min(best, x.Time)
	}
	slow := make(map[choice]bool)
	for _, x := range got {
		k := choice{x.Alg, x.Segment}
		ratio := float64(x.Time) / float64(best)
		was, known := ratios[k]
		slow[k] = known && ratio > limit && ratio > falling*was
		ratios[k] = ratio
	}
	for _, t := range tried {
		if !slow[choice{t.Alg, t.Segment}] {
			out = append(out, t)
		}
	}
	return out
}
