package tcp_test

import (
	"maps"
	"os"
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/tcp"
)

func TestMain(m *testing.M) {
	conformance.Main(m, loopback())
}

// loopback is the provider on this host's own interface; addresses at which nobody listens are given up soon, for many
// cases kill a peer and call it again.
func loopback() *tcp.Provider { return loopbackEnv(nil) }

func loopbackEnv(env map[string]string) *tcp.Provider {
	own := map[string]string{"FI_TCP_IFACE": "127.0.0.1", "FI_TCP_CONNECT_TIMEOUT": "300"}
	maps.Copy(own, env)
	return tcp.NewEnv(func(k string) (string, bool) {
		if v, ok := own[k]; ok {
			return v, true
		}
		return os.LookupEnv(k)
	})
}

func TestConformance(t *testing.T) {
	for name, pair := range map[string]conformance.PairKind{"one-process": conformance.InProcess, "two-processes": conformance.TwoProcess} {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, conformance.Harness{Provider: loopback(), Pair: pair})
		})
	}
}
