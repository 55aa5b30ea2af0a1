package shm_test

import (
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/shm"
)

func TestMain(m *testing.M) {
	shm.RunChild()
	conformance.Main(m, shm.New())
}

// soonGivenUp shortens the time for which addresses are called at which nobody listens: many cases kill a peer and call
// it again.
func soonGivenUp(t *testing.T) { t.Setenv("FI_SHM_CONNECT_TIMEOUT", "100") }

func TestConformance(t *testing.T) {
	soonGivenUp(t)
	for name, pair := range map[string]conformance.PairKind{"one-process": conformance.InProcess, "two-processes": conformance.TwoProcess} {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, conformance.Harness{Provider: shm.New(), Pair: pair})
		})
	}
}
