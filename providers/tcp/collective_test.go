package tcp_test

import (
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/testx/together"
)

// TestCollectiveWildcard: endpoints at the wildcard address find themselves in sets by other addresses than their names.
func TestCollectiveWildcard(t *testing.T) {
	together.Large(t, together.Open(t, loopback(), 2, together.Options{
		Name: []byte("fi_sockaddr_in://0.0.0.0:0"),
		Known: func(name []byte) []byte {
			a, err := fi.DecodeSockaddr(name)
			if err != nil {
				t.Fatal(err)
			}
			return []byte("fi_sockaddr_in://127.0.0.2:" + fmt.Sprint(a.Port()))
		},
	}), 64)
}

// TestCollectives does everything with groups of 1 to 16 members.
func TestCollectives(t *testing.T) {
	most := 16
	if osx.RaceEnabled {
		most = 5 // the others take the same ways, and minutes
	}
	for n := 1; n <= most; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) { together.Everything(t, together.Open(t, loopback(), n, together.Options{})) })
	}
	together.Suite(t, func() driver.Provider { return loopbackEnv(map[string]string{"FI_TCP_CONNECT_TIMEOUT": "300"}) })
}

// TestCollectiveKilled kills a member.
func TestCollectiveKilled(t *testing.T) {
	together.Killed(t, loopbackEnv(map[string]string{"FI_TCP_CONNECT_TIMEOUT": "300"}))
}
