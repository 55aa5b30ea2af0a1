package mem_test

import (
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/mem"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Harness{Provider: mem.New(), Pair: conformance.InProcess})
}
