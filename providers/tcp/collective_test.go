package tcp_test

import (
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/internal/testx/together"
)

// TestCollectives does everything with groups of 2 to 5 members.
func TestCollectives(t *testing.T) {
	for n := 2; n <= 5; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) { together.Everything(t, together.Open(t, loopback(), n, together.Options{})) })
	}
	together.Suite(t, func() driver.Provider { return loopbackEnv(map[string]string{"FI_TCP_CONNECT_TIMEOUT": "300"}) })
}
