package examples

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// example is a program with what it prints.
type example struct {
	name   string
	meant  []int // numbers of ranks that it is meant for: these run over every provider
	others []int // and others that it takes
	want   func(n int) []string
}

// same is for programs that print the same with any number of ranks.
func same(lines ...string) func(int) []string { return func(int) []string { return lines } }

// each is for programs of which each rank prints a line, or more.
func each(lines func(n, rank int) string) func(int) []string {
	return func(n int) (all []string) {
		for r := range n {
			all = append(all, strings.Split(lines(n, r), "\n")...)
		}
		return all
	}
}

var examples = []example{
	{"array", []int{2}, []int{3}, same("rank 1 has [0 1 2 3 4 5 6 7 8 9], 40 bytes from rank 0")},
	{"bcast", []int{5}, []int{1, 2, 3}, each(func(_, rank int) string {
		return fmt.Sprintf("rank %d has [0 1 2 3 4 5 6 7 8 9]", rank)
	})},
	{"farm", []int{4}, []int{1, 2, 3}, same("pi is about 3.14238: 785595 of 1000000 darts")},
	{"gather", []int{5}, []int{1, 2, 3}, each(func(n, rank int) string {
		if rank == 0 {
			return fmt.Sprint("rank 0 has ", []int{0, 1, 2, 3, 4}[:n])
		}
		return fmt.Sprintf("rank %d has nothing", rank)
	})},
	{"halo", []int{4, 6}, []int{1, 2, 3}, func(n int) []string {
		dims := map[int]string{1: "1 x 1", 2: "2 x 1", 3: "3 x 1", 4: "2 x 2", 6: "3 x 2"}[n]
		return []string{"100 steps of 48 x 48 cells on " + dims + " ranks, largest difference from one process: 0"}
	}},
	{"hello", []int{4}, []int{1, 2, 3}, each(func(n, rank int) string {
		return fmt.Sprintf("hello from rank %d of %d, the sum is %d", rank, n, n*(n-1)/2)
	})},
	{"isend", []int{2}, []int{3}, same("rank 1 has [0 1 2 3 4 5 6 7 8 9]")},
	{"list", []int{2}, []int{3}, same("rank 1 has [0 1 2 3 4 5 6 7 8 9]")},
	{"order", []int{4}, []int{1, 2, 3}, func(n int) []string {
		return []string{
			"at once, somebody's number: true",
			fmt.Sprint("one after the other: ", n-1),
			fmt.Sprint("added to it: ", n-1+n*(n-1)/2),
		}
	}},
	{"paramserver", []int{4}, []int{1, 2, 3}, same("500 steps, all of them in the model: true")},
	{"primitives", []int{4}, []int{1, 2, 3}, each(primitives)},
	{"ring", []int{4}, []int{1, 2, 3, 5, 6, 7, 8}, each(func(n, rank int) string {
		return fmt.Sprintf("rank %d of %d sent %d elements for 84000: %.3f times, the naive way %d times",
			rank, n, 2*84000*(n-1)/n, 2*float64(n-1)/float64(n), n-1)
	})},
	{"scatter", []int{10}, []int{1, 2, 3}, each(func(_, rank int) string { return fmt.Sprintf("rank %d has %d", rank, rank) })},
	{"shapes", []int{4}, []int{1, 2, 3}, each(shapes)},
	{"split", []int{5}, []int{1, 2, 3}, each(func(n, rank int) string {
		var half []int
		sum := 0
		for r := rank % 2; r < n; r += 2 {
			half, sum = append(half, r), sum+r
		}
		return fmt.Sprintf("rank %d is %d of %d in its half, which has %v with sum %d; Split(0, 0) is congruent, Self has 1",
			rank, rank/2, len(half), half, sum)
	})},
	{"table", []int{10}, []int{1, 2, 3}, func(n int) []string {
		return []string{fmt.Sprintf("%d rows of 1000: the same as one process computes", n)}
	}},
	{"train", []int{4}, []int{1, 2, 3}, same("loss 0.2089, 91.4 % right, as one process has it")},
	{"windows", []int{8}, []int{1, 2, 3}, func(n int) (lines []string) {
		for r := 1; r < n; r++ {
			lines = append(lines, fmt.Sprintf("win.Get successfully on Rank %d.", r))
		}
		return lines
	}},
}

// shapes are the lines of a rank of that program, which for 4 ranks are written out.
func shapes(n, rank int) string {
	lists, columns := []string{"[0 1 2 [3]]", "[4 5 6 [7 8]]", "[8 9 10 [11 12 13]]", "[12 13 14 [15 16 17 18]]"},
		[]string{"[0 4 8 12]", "[1 5 9 13]", "[2 6 10 14]", "[[3] [7 8] [11 12 13] [15 16 17 18]]"}
	switch n {
	case 1:
		lists, columns = []string{"[[0]]"}, []string{"[[0]]"}
	case 2:
		lists, columns = []string{"[0 [1]]", "[2 [3 4]]"}, []string{"[0 2]", "[[1] [3 4]]"}
	case 3:
		lists, columns = []string{"[0 1 [2]]", "[3 4 [5 6]]", "[6 7 [8 9 10]]"},
			[]string{"[0 3 6]", "[1 4 7]", "[[2] [5 6] [8 9 10]]"}
	}
	var joined []string
	for _, l := range lists {
		joined = append(joined, l[1:len(l)-1])
	}
	text := fmt.Sprintf("rank %d allgather [%s]\nrank %d alltoall %s\nrank %d allreduce [%s]",
		rank, strings.Join(lists, " "), rank, columns[rank], rank, strings.Join(joined, " "))
	if rank == 0 {
		text += "\nrank 0 reduce [" + strings.Join(joined, " ") + "]"
	}
	return text
}

func TestExamples(t *testing.T) {
	for _, e := range examples {
		for i, h := range places {
			counts := e.meant
			if i == 0 {
				counts = slices.Concat(counts, e.others)
			}
			for _, n := range counts {
				t.Run(fmt.Sprintf("%s/%s/%d", e.name, h.name, n), func(t *testing.T) {
					want := slices.Sorted(slices.Values(e.want(n)))
					if got := run(t, h, n, e.name); !slices.Equal(got, want) {
						t.Errorf("it prints\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
				})
			}
		}
	}
}
