package mem_test

import (
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/mem"
)

// simple is why mem allocates: it is written to be read, and as the reference that others are compared with.
const simple = "an operation is a closure here: the provider is to be read, not to be fast"

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Harness{
		Provider: mem.New(),
		Pair:     conformance.InProcess,
		Known: map[string]string{
			"alloc/msg": simple, "alloc/tagged": simple, "alloc/message-forms": simple, "alloc/contexts": simple, "alloc/unexpected": simple,
			"alloc/rma": simple, "alloc/rma-large": simple, "alloc/atomic": simple,
		},
	})
}
