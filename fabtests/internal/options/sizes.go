package options

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/internal/cli"
)

// defaultSizes are those without -S.
var defaultSizes = []int{64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20}

// largest is where "all" ends, and mostSizes how many a range may name.
const (
	largest   = 8 << 20
	mostSizes = 1 << 16
)

// AllSizes are the powers of two and the numbers halfway between them up to 8 MiB (-S all).
func AllSizes() []int {
	sizes := []int{1, 2, 3}
	for n := 4; n < largest; n *= 2 {
		sizes = append(sizes, n, n+n/2)
	}
	return append(sizes, largest)
}

// ParseSizes reads the value of -S: a number, "all", "r:start,inc,end" or "l:a,b,c". Numbers may end in k, m or g.
func ParseSizes(s string) ([]int, error) {
	switch {
	case strings.EqualFold(s, "all"):
		return AllSizes(), nil
	case strings.HasPrefix(s, "r:"):
		v, err := numbers(s[2:])
		if err != nil {
			return nil, err
		}
		if len(v) != 3 || v[1] < 1 || v[2] < v[0] {
			return nil, fmt.Errorf("a range is r:start,inc,end with inc above 0 and end not below start, not %q", s)
		}
		var sizes []int
		for n := v[0]; n <= v[2]; n += v[1] {
			if sizes = append(sizes, n); len(sizes) > mostSizes {
				return nil, fmt.Errorf("%q names more than %d sizes", s, mostSizes)
			}
		}
		return sizes, nil
	case strings.HasPrefix(s, "l:"):
		return numbers(s[2:])
	case strings.Contains(s, ","):
		if _, err := numbers(s); err == nil {
			return nil, fmt.Errorf("%q is no size: a list is l:%s", s, s)
		}
	}
	n, err := ParseSize(s)
	if err != nil {
		return nil, err
	}
	return []int{n}, nil
}

func numbers(s string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		n, err := ParseSize(part)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// ParseSize reads a number of bytes: "64", "4k", "1m".
func ParseSize(s string) (int, error) {
	text, shift := strings.TrimSpace(s), 0
	if n := len(text); n > 0 {
		if i := strings.IndexByte("kmg", text[n-1]|0x20); i >= 0 {
			text, shift = text[:n-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(text, 10, 62-shift)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of bytes (64, 4k, 1m)", s)
	}
	return int(n << shift), nil
}

// SizeList gives the sizes to measure, those that are longer than most left out.
func (o *Options) SizeList(most uint64) []int {
	list := o.Sizes
	if list == nil {
		list = defaultSizes
	}
	var out []int
	for _, n := range list {
		if uint64(n) <= most {
			out = append(out, n)
		}
	}
	return out
}

// Count gives the iterations of a ping-pong for a size.
func (o *Options) Count(size int) int {
	switch i := slices.Index(o.Sizes, size); {
	case i >= 0 && i < len(o.Counts):
		return o.Counts[i]
	case o.Iterations > 0:
		return o.Iterations
	case size >= 1<<20:
		return 100
	case size >= 1<<16:
		return 1000
	}
	return 10000
}

// StreamCount gives those of a stream: twice as many.
func (o *Options) StreamCount(size int) int {
	if o.Iterations > 0 || len(o.Counts) > 0 {
		return o.Count(size)
	}
	return 2 * o.Count(size)
}

// LargestInC is the size for which C programs have room in their buffers.
func (o *Options) LargestInC() uint64 {
	if n := len(o.Sizes); n > 0 {
		return uint64(o.Sizes[n-1])
	}
	return largest
}

// setIterations reads the value of -I.
func (o *Options) setIterations(v string) error {
	list, isList := strings.CutPrefix(v, "l:")
	if !isList {
		if _, err := numbers(v); err == nil && strings.Contains(v, ",") {
			return &cli.UsageError{Text: fmt.Sprintf("%q is no number: a list is l:%s", v, v)}
		}
		o.Counts = nil
		return Number(&o.Iterations, 1, math.MaxInt32)(v)
	}
	o.Counts = nil
	for part := range strings.SplitSeq(list, ",") {
		var n int
		if err := Number(&n, 1, math.MaxInt32)(part); err != nil {
			return err
		}
		o.Counts = append(o.Counts, n)
	}
	return nil
}

// CheckCounts refuses a list of -I that does not go with that of -S.
func (o *Options) CheckCounts() error {
	if len(o.Counts) > 0 && len(o.Counts) != len(o.Sizes) {
		return fmt.Errorf("-I has a list of %d numbers for %d sizes of -S", len(o.Counts), len(o.Sizes))
	}
	return nil
}
