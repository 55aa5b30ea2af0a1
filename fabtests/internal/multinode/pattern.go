package multinode

import "slices"

// pattern says who sends to whom.
type pattern struct {
	name    string
	targets func(rank, n int) []int // to whom a rank sends
}

var patterns = []pattern{
	{"full_mesh", func(_, n int) []int { return upTo(0, n) }}, // to itself, too
	{"ring", func(rank, n int) []int { return []int{(rank + 1) % n} }},
	{"gather", func(rank, n int) []int {
		if rank == 0 {
			return nil
		}
		return []int{0}
	}},
	{"broadcast", func(rank, n int) []int {
		if rank > 0 {
			return nil
		}
		return upTo(1, n)
	}},
}

// sources lists from whom a rank receives.
func (p *pattern) sources(rank, n int) []int {
	var out []int
	for from := range n {
		if slices.Contains(p.targets(from, n), rank) {
			out = append(out, from)
		}
	}
	return out
}

func upTo(from, n int) []int {
	var out []int
	for ; from < n; from++ {
		out = append(out, from)
	}
	return out
}

// names lists the patterns.
func names() []string {
	var out []string
	for _, p := range patterns {
		out = append(out, p.name)
	}
	return out
}
