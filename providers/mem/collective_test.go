package mem_test

import (
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/internal/testx/together"
	"github.com/gofabric/gofabric/providers/mem"
)

// TestCollectives does everything with groups of 1 to 16 members.
func TestCollectives(t *testing.T) {
	for n := 1; n <= 16; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			ms := together.Open(t, mem.New(), n, together.Options{})
			together.Everything(t, ms)
		})
	}
}
