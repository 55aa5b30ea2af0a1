package layout

import (
	"fmt"
	"math"
	"slices"
)

// Vector is count blocks of blocklen elements, whose starts lie stride elements apart (MPI_Type_vector, MPI 4.1, 5.1.2).
//
// Errors: a negative number, or more elements than an int counts.
func Vector(count, blocklen, stride int) (*Layout, error) {
	if count < 0 || blocklen < 0 {
		return nil, fmt.Errorf("a vector of %d blocks of %d elements: neither may be negative", count, blocklen)
	}
	if stride < 0 && count > 1 {
		return nil, fmt.Errorf("a vector with stride %d leaves the slice at its start: list the blocks in that order (Indexed)", stride)
	}
	if !fits(count, blocklen) || count > 1 && !fits(count, stride) || count > 1 && (count-1)*stride > math.MaxInt-blocklen {
		return nil, fmt.Errorf("a vector of %d blocks of %d elements with stride %d: more than can be counted", count, blocklen, stride)
	}
	if count == 0 || blocklen == 0 {
		return new(Layout), nil
	}
	return regular(0, blocklen, []dim{{count, stride}}), nil
}

// Subarray is the part of an array of several dimensions, whose last index is the fastest, that has subsizes elements from
// starts on in each (MPI_Type_create_subarray with MPI_ORDER_C, MPI 4.1, 5.1.3).
//
// Errors: lists of different lengths, a part that is not within the array, or more elements than an int counts.
func Subarray(sizes, subsizes, starts []int) (*Layout, error) {
	if len(sizes) == 0 || len(sizes) != len(subsizes) || len(sizes) != len(starts) {
		return nil, fmt.Errorf("a sub-array with %d sizes, %d subsizes and %d starts: give one of each for every dimension",
			len(sizes), len(subsizes), len(starts))
	}
	all, size := 1, 1
	for i, n := range sizes {
		if n < 1 || subsizes[i] < 0 || starts[i] < 0 || subsizes[i] > n || starts[i] > n-subsizes[i] {
			return nil, fmt.Errorf("a sub-array of %d elements from %d on in dimension %d, which has %d: it must lie within",
				subsizes[i], starts[i], i, n)
		}
		if !fits(all, n) {
			return nil, fmt.Errorf("an array of sizes %v has more elements than can be counted", sizes)
		}
		all *= n
		size *= subsizes[i]
	}
	if size == 0 {
		return new(Layout), nil
	}
	dims := make([]dim, len(sizes))
	start, step := 0, 1
	for i := len(sizes) - 1; i >= 0; i-- {
		dims[i] = dim{subsizes[i], step}
		start += starts[i] * step
		step *= sizes[i]
	}
	return regular(start, 1, dims), nil
}

// regular folds dims into the block where runs are neighbours, and two dims into one where they go on evenly.
func regular(start, block int, dims []dim) *Layout {
	l := &Layout{start: start, block: block, size: block, end: start + block}
	var kept []dim // the slowest last
	for _, d := range slices.Backward(dims) {
		l.size *= d.count
		l.end += (d.count - 1) * d.step
		switch n := len(kept); {
		case d.count == 1:
		case n == 0 && d.step == l.block:
			l.block *= d.count
		case n > 0 && d.step == kept[n-1].count*kept[n-1].step:
			kept[n-1].count *= d.count
		default:
			l.overlap = l.overlap || n == 0 && d.step < l.block
			kept = append(kept, d)
		}
	}
	slices.Reverse(kept)
	l.dims = kept
	return l
}

// Indexed is blocks of blocklens[i] elements at displs[i] (MPI_Type_indexed, MPI 4.1, 5.1.2).
//
// Errors: lists of different lengths, a negative number, or more elements than an int counts.
func Indexed(blocklens, displs []int) (*Layout, error) {
	if len(blocklens) != len(displs) {
		return nil, fmt.Errorf("%d block lengths and %d displacements: give one of each for every block", len(blocklens), len(displs))
	}
	return irregular(len(displs), func(i int) (at, n int) { return displs[i], blocklens[i] })
}

// IndexedBlock is blocks of one length at displs[i] (MPI_Type_create_indexed_block, MPI 4.1, 5.1.2).
//
// Errors: a negative number, or more elements than an int counts.
func IndexedBlock(blocklen int, displs []int) (*Layout, error) {
	return irregular(len(displs), func(i int) (at, n int) { return displs[i], blocklen })
}

func irregular(count int, block func(i int) (at, n int)) (*Layout, error) {
	l := &Layout{displs: make([]int, 0, count), lens: make([]int, 0, count)}
	for i := range count {
		at, n := block(i)
		if at < 0 || n < 0 {
			return nil, fmt.Errorf("block %d has %d elements at %d: neither may be negative", i, n, at)
		}
		if at > math.MaxInt-n || l.size > math.MaxInt-n {
			return nil, fmt.Errorf("block %d has %d elements at %d: more than can be counted", i, n, at)
		}
		if n == 0 {
			continue
		}
		l.size += n
		l.end = max(l.end, at+n)
		if last := len(l.displs) - 1; last >= 0 && l.displs[last]+l.lens[last] == at {
			l.lens[last] += n
			continue
		}
		l.displs, l.lens = append(l.displs, at), append(l.lens, n)
	}
	if l.size == 0 {
		return new(Layout), nil
	}
	l.overlap = overlaps(l.displs, l.lens)
	l.block = l.lens[0]
	if !slices.ContainsFunc(l.lens, func(n int) bool { return n != l.block }) {
		l.lens = nil
		return l, nil
	}
	l.ends = make([]int, len(l.lens))
	sum := 0
	for i, n := range l.lens {
		sum += n
		l.ends[i] = sum
	}
	return l, nil
}

// overlaps tells whether two runs share an element.
func overlaps(displs, lens []int) bool {
	order := make([]int, len(displs))
	sorted := true
	for i := range order {
		order[i] = i
		sorted = sorted && (i == 0 || displs[i-1] <= displs[i])
	}
	if !sorted {
		slices.SortFunc(order, func(i, j int) int { return displs[i] - displs[j] })
	}
	for k := 1; k < len(order); k++ {
		if i := order[k-1]; displs[i]+lens[i] > displs[order[k]] {
			return true
		}
	}
	return false
}

// fits tells whether the product of two numbers that are not negative is an int.
func fits(a, b int) bool { return a == 0 || b <= math.MaxInt/a }
