package conformance

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/internal/osx"
)

// PairKind says where the two ends of a case live.
type PairKind int

// Where the two ends live.
const (
	InProcess  PairKind = iota // both in the process of the test
	TwoProcess                 // the second one in a process of its own; needs Main in TestMain
)

// Harness is a provider to be examined.
type Harness struct {
	Provider driver.Provider
	Pair     PairKind

	// Known are cases that fail, with the reason: "rma/zero-length" in every cell, "rdm,av=table/rma/zero-length" in
	// one. They must fail.
	Known map[string]string

	// Patience is how long a case waits for something that must come at once; 0: 30 seconds.
	Patience time.Duration

	// Only chooses cases by their path, cell/family/case; nil: all.
	Only func(path string) bool

	core bool // the core cases only
}

// Result is what became of one case.
type Result struct {
	Path     string // cell/family/case
	Failures []string
	Logs     []string
	Took     time.Duration
}

// Failed tells whether the case found something wrong.
func (r *Result) Failed() bool { return len(r.Failures) > 0 }

var long = flag.Bool("conformance.long", false, "conformance: the full matrix, larger sizes, more random programs")

// Run runs the suite as sub-tests of t.
func Run(t *testing.T, h Harness) {
	t.Helper()
	if !flag.Parsed() {
		t.Fatal("flags are not parsed")
	}
	s, err := newSuite(&h)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	used := map[string]bool{}
	for _, c := range s.cells {
		t.Run(c.name, func(t *testing.T) {
			for _, family := range s.families(c) {
				t.Run(family, func(t *testing.T) {
					for _, tc := range s.cases(c, family) {
						t.Run(tc.name, func(t *testing.T) {
							r := s.run(c, tc)
							s.report(t, r, used)
						})
					}
				})
			}
		})
	}
	if h.Only != nil || h.core || !ranEverything() {
		return
	}
	for path := range h.Known {
		if !used[path] && !slices.ContainsFunc(allCases, func(tc *testCase) bool { return !tc.here() && path == tc.family+"/"+tc.name }) {
			t.Errorf("Known names %q, which is no case of this provider", path)
		}
	}
}

// RunBoth runs the suite as sub-tests of t with both kinds of pairs, whatever h.Pair says. Everything runs with one of them,
// the core with the other: under the race detector, which sees both ends of one process, everything runs in one, and
// otherwise in two. With -conformance.long everything runs with both.
func RunBoth(t *testing.T, h Harness) {
	t.Helper()
	for name, pair := range map[string]PairKind{"one-process": InProcess, "two-processes": TwoProcess} {
		t.Run(name, func(t *testing.T) {
			h.Pair = pair
			h.core = !*long && (pair == InProcess) != osx.RaceEnabled
			Run(t, h)
		})
	}
}

// ranEverything tells whether no -run pattern chose among the sub-tests.
func ranEverything() bool {
	f := flag.Lookup("test.run")
	return f == nil || !strings.Contains(f.Value.String(), "/")
}

// report hands a result over to testing.
func (s *suite) report(t *testing.T, r *Result, used map[string]bool) {
	t.Helper()
	for _, l := range r.Logs {
		t.Log(l)
	}
	key, failures, note := verdict(r, s.h.Known)
	if key != "" {
		used[key] = true
	}
	if note != "" {
		t.Log(note)
	}
	for _, f := range failures {
		t.Error(f)
	}
}

// verdict compares a result with what is known: a known failure must fail.
func verdict(r *Result, all map[string]string) (key string, failures []string, note string) {
	_, path, _ := strings.Cut(r.Path, "/")
	for _, key := range []string{r.Path, path} {
		switch why, known := all[key]; {
		case !known:
		case !r.Failed():
			return key, []string{fmt.Sprintf("passes, but is known to fail (%s): remove %q from Known", why, key)}, ""
		default:
			return key, nil, fmt.Sprintf("fails as known (%s): %s", why, r.Failures[0])
		}
	}
	return "", r.Failures, ""
}

// Record runs the suite without a test, for tests of the suite itself, until next returns false; nil runs everything.
// The error says that nothing could be run at all.
func Record(h Harness, next func(Result) bool) ([]Result, error) {
	s, err := newSuite(&h)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var out []Result
	for _, c := range s.cells {
		for _, family := range s.families(c) {
			for _, tc := range s.cases(c, family) {
				r := s.run(c, tc)
				out = append(out, *r)
				if next != nil && !next(*r) {
					return out, nil
				}
			}
		}
	}
	return out, nil
}

// suite is a harness with its matrix and, if there is one, its second process.
type suite struct {
	h     *Harness
	cells []*cell
	limit time.Duration // of a case
	agent *agent
}

func newSuite(h *Harness) (*suite, error) {
	if h.Patience == 0 {
		h.Patience = 30 * time.Second
	}
	if osx.RaceEnabled {
		h.Patience *= 3
	}
	if h.Pair == TwoProcess && !mainCalled {
		return nil, fmt.Errorf("conformance: TwoProcess needs func TestMain(m *testing.M) { conformance.Main(m, provider) }")
	}
	warmUp()
	cells, err := matrix(h.Provider)
	if err != nil {
		return nil, err
	}
	return &suite{h: h, cells: cells, limit: 6*h.Patience + 20*time.Second}, nil
}

func (s *suite) close() {
	if s.agent != nil {
		s.agent.stop()
	}
}

// families are those that have a case in the cell, in the order of their registration.
func (s *suite) families(c *cell) []string {
	var out []string
	for _, tc := range allCases {
		if !slices.Contains(out, tc.family) && s.wanted(c, tc) {
			out = append(out, tc.family)
		}
	}
	return out
}

func (s *suite) cases(c *cell, family string) []*testCase {
	var out []*testCase
	for _, tc := range allCases {
		if tc.family == family && s.wanted(c, tc) {
			out = append(out, tc)
		}
	}
	return out
}

func (s *suite) wanted(c *cell, tc *testCase) bool {
	switch {
	case !tc.here(), c.needs(tc)&^c.offered != 0, tc.lacks != 0 && tc.lacks&c.offered != 0:
		return false
	case tc.connected != c.set.connected() && !(c.set.connected() && tc.connectable()):
		return false
	case c.set.datagrams() && tc.unpaced(), tc.datagrams && !c.set.datagrams():
		return false
	case tc.kind != core && s.h.core:
		return false
	case tc.where == faulty && s.h.Pair != TwoProcess:
		return false
	case tc.kind == normal && !c.full(tc) && !(*long && c.listed):
		return false
	case tc.kind == threads && !c.threadSafe():
		return false
	case tc.kind == threads && !c.full(tc) && !(*long && c.listed):
		return false
	}
	return s.h.Only == nil || s.h.Only(c.name+"/"+tc.family+"/"+tc.name)
}
