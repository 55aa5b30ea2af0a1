package skeleton // so that a copy of the folder tests itself

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
)

var update = flag.Bool("update", false, "write missing.txt")

// TestMissing runs the conformance suite, prints what is missing, and compares its names with missing.txt.
func TestMissing(t *testing.T) {
	gaps, err := conformance.Gaps(conformance.Harness{
		Provider: New(), Pair: conformance.InProcess,
		Only: func(path string) bool {
			return strings.HasPrefix(path, "rdm/") && !strings.HasPrefix(path, "rdm/alloc/") // the race detector allocates
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	now := list(t, gaps)
	if *update {
		if err := os.WriteFile("missing.txt", []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("missing.txt")
	if err != nil {
		t.Fatal(err)
	}
	if now != string(want) {
		t.Errorf("what is missing is no longer what missing.txt says (go test -update writes it):\n%s", diff(string(want), now))
	}
}

// list is what missing.txt has: the cases that fail, and the abilities that others are about. It logs every case, with what
// went wrong.
func list(t *testing.T, gaps []conformance.Gap) string {
	var fails strings.Builder
	var abilities []string
	for _, g := range gaps {
		t.Log(g)
		switch {
		case g.Peers:
			abilities = append(abilities, "FI_EP_MSG")
		case g.Needs != 0:
			abilities = append(abilities, strings.Split(g.Needs.String(), ", ")...)
		default:
			fails.WriteString(g.Case + ": fails\n")
		}
	}
	slices.Sort(abilities)
	for _, a := range slices.Compact(abilities) {
		fails.WriteString(a + ": not offered\n")
	}
	return fails.String()
}

// diff lists the lines that only one of two lists has.
func diff(want, got string) string {
	var b strings.Builder
	for l := range strings.Lines(got) {
		if !strings.Contains(want, l) {
			b.WriteString("new: " + l)
		}
	}
	for l := range strings.Lines(want) {
		if !strings.Contains(got, l) {
			b.WriteString("no longer: " + l)
		}
	}
	return b.String()
}
