package runner

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// configured tells whether a test is many, made of a configuration.
func (t *Test) configured() bool { return t.Name == "ubertest" }

// configOf is the configuration for a set: that of -u, else ours by name. As in libfabric's script "complex" alone and "all"
// have the long one.
func (r *Runner) configOf(set string) string {
	switch {
	case r.Ubertest != "":
		return r.Ubertest
	case set == "verify":
		return "verify"
	case slices.Contains(r.Sets, "all") || len(r.Sets) == 1:
		return "all"
	}
	return "quick"
}

// counts are the lines in which ubertest says how its tests went. Those of the server have its name before them when both
// are one process.
var counts = regexp.MustCompile(`(?m)^(Success|ENODATA|ENOSYS|EIO|ERROR) *: (\d+)\r?$`)

// judgeTests gives the verdict over a test that is many, by what its client has counted.
func judgeTests(res *Result, limit time.Duration, strict bool) {
	res.Verdict, res.Reason = Fail, unfinished(res.Sides, limit)
	if res.Reason != "" {
		return
	}
	client := res.Sides[len(res.Sides)-1]
	bad, good, failed := "", 0, 0
	for _, s := range res.Sides {
		switch {
		case s.Stopped:
			bad = s.named("did not end after the other")
		case s.Status == 1:
			res.Reason = s.named("ended with status 1: it did not take its options or its configuration")
			if !strict {
				res.Verdict = NotRun
			}
			return
		case s.Status != 0:
			bad = s.named("ended with status " + statusText(s.Status))
		}
	}
	for _, m := range counts.FindAllStringSubmatch(client.Output, -1) {
		n, err := strconv.Atoi(m[2])
		switch {
		case err != nil:
		case m[1] == "Success":
			good += n
		default:
			failed += n
		}
	}
	res.Counted, res.Total = failed, good+failed
	switch {
	case bad != "" && failed > 0:
		res.Reason = fmt.Sprintf("%d tests failed, and %s", failed, bad)
	case bad != "":
		res.Reason = bad
	case failed > 0:
		res.Reason = fmt.Sprintf("%d tests failed", failed)
	case good == 0:
		res.Reason = "no test of the configuration was run"
		if !strict {
			res.Verdict = NotRun
		}
	default:
		res.Verdict, res.Counted = Pass, good
	}
}
