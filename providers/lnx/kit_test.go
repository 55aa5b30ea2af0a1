package lnx_test

import (
	"maps"
	"os"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/providers/lnx"
	"github.com/gofabric/gofabric/providers/shm"
	"github.com/gofabric/gofabric/providers/tcp"
)

// linked is the provider over shm and tcp on this host's own interface, with variables of its own.
func linked(env map[string]string) *lnx.Provider { return linkedBy(env, nil) }

// linkedBy is that with variables that are another thing each time.
func linkedBy(env map[string]string, changing map[string]func() string) *lnx.Provider {
	own := map[string]string{"FI_TCP_IFACE": "127.0.0.1"}
	maps.Copy(own, env)
	look := func(k string) (string, bool) {
		if f := changing[k]; f != nil {
			return f(), true
		}
		if v, ok := own[k]; ok {
			return v, true
		}
		if v, ok := os.LookupEnv(k); ok || k != "FI_TCP_CONNECT_TIMEOUT" {
			return v, ok
		}
		return "30000", true
	}
	return lnx.NewEnv(look, func() []driver.Provider { return []driver.Provider{shm.NewEnv(look), tcp.NewEnv(look)} })
}
