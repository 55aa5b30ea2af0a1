package topology

import (
	"fmt"
	"math"
	"slices"
)

// DimsCreate chooses the sizes of a grid of n processes (MPI_Dims_create, MPI 4.1, 8.5.2). A size of dims that is not 0 stays;
// the others become as close to each other as n allows, in an order that does not rise: first the largest is as small as can be,
// then the second, and so on.
//
// Errors: a negative size, sizes that do not divide n, or that leave none to choose and do not make n.
func DimsCreate(n int, dims []int) ([]int, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, fmt.Errorf("a grid of %d processes: give 1 to %d", n, math.MaxInt32)
	}
	rest, free := n, 0
	for i, d := range dims {
		switch {
		case d < 0:
			return nil, fmt.Errorf("dimension %d has size %d: give a positive size, or 0 to have it chosen", i, d)
		case d == 0:
			free++
		case rest%d != 0:
			return nil, fmt.Errorf("%d processes cannot be laid out in a grid of %v: the given sizes must divide their number", n, dims)
		default:
			rest /= d
		}
	}
	if free == 0 && rest != 1 {
		return nil, fmt.Errorf("a grid of %v has %d places and there are %d processes: give a size of 0 to have it chosen", dims, n/rest, n)
	}
	out := slices.Clone(dims)
	f := factoring{divisors: divisors(rest), failed: map[[3]int]bool{}}
	chosen, _ := f.split(rest, free, rest)
	for i, d := range out {
		if d == 0 {
			out[i], chosen = chosen[0], chosen[1:]
		}
	}
	return out, nil
}

// divisors lists all of n, rising.
func divisors(n int) []int {
	var low, high []int
	for d := 1; d*d <= n; d++ {
		if n%d == 0 {
			low = append(low, d)
			if d != n/d {
				high = append(high, n/d)
			}
		}
	}
	slices.Reverse(high)
	return append(low, high...)
}

type factoring struct {
	divisors []int
	failed   map[[3]int]bool
}

// split makes n of parts factors that do not rise and are at most limit. The first that works is the least in order.
func (f *factoring) split(n, parts, limit int) ([]int, bool) {
	if parts == 0 {
		return nil, n == 1
	}
	key := [3]int{n, parts, limit}
	if f.failed[key] {
		return nil, false
	}
	for _, d := range f.divisors {
		if d > limit {
			break
		}
		if n%d != 0 || !reaches(d, parts, n) {
			continue
		}
		if rest, ok := f.split(n/d, parts-1, d); ok {
			return append([]int{d}, rest...), true
		}
	}
	f.failed[key] = true
	return nil, false
}

// reaches tells whether parts factors of at most d can make n.
func reaches(d, parts, n int) bool {
	for p := 1; ; parts-- {
		if p >= n {
			return true
		}
		if parts == 0 || d == 1 {
			return false
		}
		p *= d
	}
}
