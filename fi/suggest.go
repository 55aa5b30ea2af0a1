package fi

import "strings"

// longestSuggestion bounds the words that are compared: the cost grows with the product of their lengths.
const longestSuggestion = 64

// Suggest gives the name of known that is nearest to word, for messages such as "did you mean FI_RMA?"; "" when none is
// near. Case, blanks around the word and the prefix FI_ do not count. Swapped neighbours count as one error, and the
// beginning of a name, three characters or more, is near. Of equally near names the first wins.
func Suggest(word string, known []string) string {
	w := bare(word)
	if len(w) == 0 || len(w) > longestSuggestion {
		return ""
	}
	best, bestDist := "", 2+len(w)/4
	for _, k := range known {
		n := bare(k)
		if len(n) == 0 || len(n) > longestSuggestion {
			continue
		}
		d := editDistance(w, n)
		if len(w) >= 3 && strings.HasPrefix(n, w) {
			d = min(d, 1)
		}
		if d < bestDist && d < max(len(w), len(n)) {
			best, bestDist = k, d
		}
	}
	return best
}

// bare is a word as words are compared: upper case, without the prefix that all have.
func bare(word string) string {
	return strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(word)), "FI_")
}

// editDistance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string
// alignment). Both are at most longestSuggestion bytes long.
func editDistance(a, b string) int {
	var rows [3][longestSuggestion + 1]int
	before, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
