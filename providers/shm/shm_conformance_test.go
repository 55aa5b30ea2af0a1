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

func TestConformance(t *testing.T) {
	for name, pair := range map[string]conformance.PairKind{"one-process": conformance.InProcess, "two-processes": conformance.TwoProcess} {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, conformance.Harness{Provider: shm.New(), Pair: pair})
		})
	}
}
