package runner

import (
	"regexp"
	"slices"
)

// errorLines are those in which one of our processes says why it failed; both sides of one process have their names before
// them.
var errorLines = regexp.MustCompile(`(?m)^(?:[a-z]+(?: \d+)?: )?fabtests: (.+?)\r?$`)

// said is the last error that the processes of a test have told; "" for none. A process that failed comes before one that
// only noticed it, and one that ended by itself before one that was stopped.
func said(sides []Ended) string {
	order := slices.Clone(sides)
	slices.SortStableFunc(order, func(a, b Ended) int { return guilt(b) - guilt(a) })
	for _, s := range order {
		if s.Status == 0 && !s.Stopped && s.Lost == "" {
			continue
		}
		if all := errorLines.FindAllStringSubmatch(s.Output, -1); all != nil {
			return all[len(all)-1][1]
		}
	}
	return ""
}

// guilt is how likely it is that a process knows why a test failed.
func guilt(e Ended) int {
	switch {
	case e.Stopped:
		return 0
	case unsupported(e.Status): // another error counts more, as with judge
		return 1
	}
	return 2
}
