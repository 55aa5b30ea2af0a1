package mem_test

import (
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/internal/testx/together"
	"github.com/gofabric/gofabric/providers/mem"
)

// TestCollectives does everything with groups of 1 to 16 members.
func TestCollectives(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 13, 16} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { together.Everything(t, together.Open(t, mem.New(), n, together.Options{})) })
	}
	together.Suite(t, func() driver.Provider { return mem.New() })
}
