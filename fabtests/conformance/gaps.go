package conformance

import (
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// Gap is a case of the suite that a provider does not pass.
type Gap struct {
	Case  string  // family/case: "rma/write-data"
	Needs fi.Caps // what the provider does not offer, and the case is about; 0: it offers that
	Peers bool    // the case is about connected endpoints (FI_EP_MSG), which it does not offer
	Why   string  // the first failure, of a case that ran
	Path  string  // where that was: cell/family/case
}

// String gives one line: what is missing, by its name.
func (g Gap) String() string {
	switch {
	case g.Peers:
		return g.Case + ": not offered: FI_EP_MSG"
	case g.Needs != 0:
		return g.Case + ": not offered: " + g.Needs.String()
	}
	return g.Case + ": fails: " + g.Why
}

// Gaps runs the suite without a test, and lists what the provider still lacks, in the order of the suite: cases that fail,
// and those about abilities that no Info of it has. It is for who writes a provider: when the list is empty, [Run] passes.
// The error says that nothing could be run at all. Harness.Known is not looked at.
func Gaps(h Harness) ([]Gap, error) {
	failed := map[string]Result{}
	if _, err := Record(h, func(r Result) bool {
		_, name, _ := strings.Cut(r.Path, "/")
		if _, already := failed[name]; r.Failed() && !already {
			failed[name] = r
		}
		return true
	}); err != nil {
		return nil, err
	}
	cells, err := matrix(h.Provider)
	if err != nil {
		return nil, err
	}
	var gaps []Gap
	for _, tc := range allCases {
		name := tc.family + "/" + tc.name
		g := Gap{Case: name}
		if r, bad := failed[name]; bad {
			g.Path = r.Path
			g.Why, _, _ = strings.Cut(r.Failures[0], "\n")
		} else {
			g.Needs, g.Peers = tc.lacking(cells)
		}
		if (g.Why != "" || g.Needs != 0 || g.Peers) && tc.here() {
			gaps = append(gaps, g)
		}
	}
	return gaps, nil
}

// lacking tells what the cells do not offer of what a case needs: nothing, when there is one in which it can run.
func (tc *testCase) lacking(cells []*cell) (needs fi.Caps, peers bool) {
	peers = tc.connected
	for _, c := range cells {
		if tc.connected && !c.set.connected() {
			continue
		}
		peers = false
		lack := tc.need &^ c.offered
		if lack == 0 {
			return 0, false
		}
		if needs == 0 || len(lack.String()) < len(needs.String()) {
			needs = lack
		}
	}
	return needs, peers
}
