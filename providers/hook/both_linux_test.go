package hook_test

import (
	"os"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/hook/monitor"
	"github.com/gofabric/gofabric/providers/hook/profile"
	"github.com/gofabric/gofabric/providers/shm"
	"github.com/gofabric/gofabric/providers/tcp"
)

// TestOthers runs the suite through all hooks before the providers that reach other processes. What is left on in long
// runs, profile and monitor, allocates nothing for an operation.
func TestOthers(t *testing.T) {
	if !*all {
		t.Skip("known: takes half a minute; run with -args -hooks")
	}
	for name, p := range map[string]func() driver.Provider{
		"shm": func() driver.Provider { return shm.New() },
		"tcp": func() driver.Provider { return tcp.New() },
	} {
		t.Run(name, func(t *testing.T) { throughAll(t, p()) })
		t.Run(name+"-allocations", func(t *testing.T) {
			folder := t.TempDir() + "/monitor"
			conformance.Run(t, conformance.Harness{
				Provider: monitor.New(profile.New(p(), os.Stderr), func(string) (string, bool) { return folder, true }),
				Pair:     conformance.InProcess, Only: func(path string) bool { return strings.HasPrefix(path, "rdm/alloc/") },
			})
		})
	}
}
