package wrap_test

import (
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/hook/wrap"
	"github.com/gofabric/gofabric/providers/mem"
)

// TestConformance runs the suite on a wrapper that only watches.
func TestConformance(t *testing.T) {
	simple := "mem is written to be read, and allocates"
	conformance.Run(t, conformance.Harness{
		Provider: wrap.New(mem.New(), "nothing", wrap.Nothing{}), Pair: conformance.InProcess,
		Only: func(path string) bool { return strings.HasPrefix(path, "rdm/") || strings.HasPrefix(path, "msg/") },
		Known: map[string]string{
			"alloc/msg": simple, "alloc/tagged": simple, "alloc/message-forms": simple, "alloc/unexpected": simple,
			"alloc/rma": simple, "alloc/rma-large": simple, "alloc/atomic": simple,
		},
	})
}
