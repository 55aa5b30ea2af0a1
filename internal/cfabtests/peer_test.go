package cfabtests

import (
	"slices"
	"strings"
	"testing"
)

// TestNotPeer: which programs can be the other side, in which role, from which version on.
func TestNotPeer(t *testing.T) {
	versions := []*Programs{{Major: 1, Minor: 17}, {Major: 1, Minor: 22}, {Major: 2, Minor: 6}}
	for _, c := range []struct {
		name, args, provider string
		serves, joins        [3]bool // with each of the versions
	}{
		{"rdm", "", "tcp", [3]bool{true, true, true}, [3]bool{true, true, true}},
		{"cq_data", "-e msg", "tcp", [3]bool{true, true, true}, [3]bool{true, true, true}},
		{"cq_data", "-e msg -o senddata", "tcp", [3]bool{false, true, true}, [3]bool{false, true, true}},
		{"rma_pingpong", "-e msg -o write", "tcp", [3]bool{false, true, true}, [3]bool{false, true, true}},
		{"rma_pingpong", "-e msg -o read", "tcp", [3]bool{false, false, true}, [3]bool{false, false, true}},
		{"multi_recv", "-e rdm", "tcp", [3]bool{false, true, true}, [3]bool{false, true, true}},
		{"rdm_cntr_pingpong", "-e msg -I 5", "tcp", [3]bool{}, [3]bool{}},
		{"rdm_cntr_pingpong", "-I 5", "tcp", [3]bool{false, true, true}, [3]bool{false, true, true}},
		{"flood", "-e msg -v -T 1", "tcp", [3]bool{true, true, true}, [3]bool{}},
		{"rdm_rma_event", "", "tcp", [3]bool{}, [3]bool{true, true, true}},
		{"scalable_ep", "", "tcp", [3]bool{}, [3]bool{}},
	} {
		for i, p := range versions {
			for role, want := range map[Role]bool{Serves: c.serves[i], Joins: c.joins[i]} {
				if why := p.NotPeer(c.name, strings.Fields(c.args), c.provider, role); why == "" != want {
					t.Errorf("%s %s over %s, C of %v as the %s: %q", c.name, c.args, c.provider, p, role, why)
				}
			}
		}
	}
}

// TestLimitsAreOfPrograms: a limit of a program that is no peer at all gives a better reason, and must be one of all versions.
func TestLimitsAreOfPrograms(t *testing.T) {
	for _, l := range limits {
		if !slices.Contains(peers, l.name) && (l.args != "" || l.before != [2]int{} || l.role != "") {
			t.Errorf("%s: it is no peer, so nothing of it is", l.name)
		}
		if l.why == "" {
			t.Errorf("%s: why?", l.name)
		}
	}
}
