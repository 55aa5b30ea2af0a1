package udp_test

import (
	"maps"
	"os"
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/udp"
)

func TestMain(m *testing.M) {
	conformance.Main(m, loopback(nil))
}

// loopback is the provider on this host's own interface.
func loopback(env map[string]string) *udp.Provider {
	own := map[string]string{"FI_UDP_IFACE": "127.0.0.1"}
	maps.Copy(own, env)
	return udp.NewEnv(func(k string) (string, bool) {
		if v, ok := own[k]; ok {
			return v, true
		}
		return os.LookupEnv(k)
	})
}

func TestConformance(t *testing.T) {
	conformance.RunBoth(t, conformance.Harness{Provider: loopback(nil)})
}
