package envknob

// nearest gives the name with the smallest edit distance to s, or "" when even that one differs in more than a third of
// its letters. Equal distances go to the first.
func nearest(s string, names []string) string {
	best, limit := "", len(s)/3
	for _, n := range names {
		if d := distance(s, n); d <= limit {
			best, limit = n, d-1
		}
	}
	return best
}

// distance counts the insertions, removals, replacements and swaps of neighbours that turn a into b.
func distance(a, b string) int {
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
