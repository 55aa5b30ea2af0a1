package lnx_test

import (
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
)

func TestMain(m *testing.M) { conformance.Main(m, linked(nil)) }

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Harness{Provider: linked(nil), Pair: conformance.InProcess})
}
