package mem_test

import (
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/testx/together"
	"github.com/gofabric/gofabric/providers/mem"
)

// TestCollectives does everything with groups of 1 to 16 members.
func TestCollectives(t *testing.T) {
	most := 16
	if osx.RaceEnabled {
		most = 5 // the others take the same ways, and minutes
	}
	for n := 1; n <= most; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) { together.Everything(t, together.Open(t, mem.New(), n, together.Options{})) })
	}
	together.Suite(t, func() driver.Provider { return mem.New() })
}
