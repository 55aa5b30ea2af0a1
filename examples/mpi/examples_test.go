package examples

import (
	"fmt"
	"slices"
	"testing"
)

// example is a program with what it prints.
type example struct {
	name string
	n    []int // numbers of ranks
	want func(n int) []string
}

// same is for programs that print the same with any number of ranks.
func same(lines ...string) func(int) []string { return func(int) []string { return lines } }

// each is for programs of which each rank prints a line.
func each(line func(n, rank int) string) func(int) []string {
	return func(n int) (lines []string) {
		for r := range n {
			lines = append(lines, line(n, r))
		}
		return lines
	}
}

var examples = []example{
	{"array", []int{2, 3}, same("rank 1 has [0 1 2 3 4 5 6 7 8 9], 40 bytes from rank 0")},
	{"farm", []int{1, 2, 3, 4}, same("pi is about 3.14148: 1570738 of 2000000 darts")},
	{"hello", []int{1, 2, 3, 4}, each(func(n, rank int) string {
		return fmt.Sprintf("hello from rank %d of %d, the sum is %d", rank, n, n*(n-1)/2)
	})},
	{"ring", []int{2, 3, 4, 5, 6, 7, 8}, each(func(n, rank int) string {
		return fmt.Sprintf("rank %d of %d sent %d elements for 84000: %.3f times, the naive way %d times",
			rank, n, 2*84000*(n-1)/n, 2*float64(n-1)/float64(n), n-1)
	})},
	{"table", []int{1, 2, 3, 10}, func(n int) []string {
		return []string{fmt.Sprintf("%d rows of 1000: the same as one process computes", n)}
	}},
	{"train", []int{1, 2, 3, 4}, same("loss 0.2025, 91.7 % right, as one process has it")},
}

func TestExamples(t *testing.T) {
	for _, e := range examples {
		for _, h := range hosts {
			for _, n := range e.n {
				t.Run(fmt.Sprintf("%s/%s/%d", e.name, h.name, n), func(t *testing.T) {
					want := slices.Sorted(slices.Values(e.want(n)))
					if got := run(t, h, n, e.name); !slices.Equal(got, want) {
						t.Errorf("it prints %q, want %q", got, want)
					}
				})
			}
		}
	}
}
