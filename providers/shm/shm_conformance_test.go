package shm_test

import (
	"regexp"
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/shm"
)

func TestMain(m *testing.M) {
	shm.RunChild()
	conformance.Main(m, shm.New())
}

// faultCases kill a peer and call it again, where nobody listens any more.
var faultCases = regexp.MustCompile(`^[^/]*/fault/`)

func TestConformance(t *testing.T) {
	t.Setenv("FI_SHM_CONNECT_TIMEOUT", "1500") // who is there has twenty times that: the machine may stand still
	t.Setenv("FI_SHM_DGRAM_WAIT", "3000")
	conformance.RunBoth(t, conformance.Harness{Provider: shm.New(), Only: func(path string) bool { return !faultCases.MatchString(path) }})
	t.Run("faults", func(t *testing.T) {
		t.Setenv("FI_SHM_CONNECT_TIMEOUT", "500")
		conformance.Run(t, conformance.Harness{Provider: shm.New(), Pair: conformance.TwoProcess, Only: faultCases.MatchString})
	})
}
