package local

import (
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/internal/topo"
)

// CheckCores refuses processors of --pin-core that are not there, and with --local fewer than there are sides.
func CheckCores(m topo.Machine, s *scenario.Scenario, o *options.Options) error {
	if len(o.PinCore) == 0 {
		return nil
	}
	there := m.Allowed()
	n := 1
	if o.Local && s.Sides == scenario.Pair {
		n = 2
	}
	usage := func(text string) error {
		return &fail.Usage{Text: fmt.Sprintf("%s: --pin-core: %s; there are %v", s.Name, text, there),
			Next: fmt.Sprintf("fabtests %s --pin-core %v", s.Name, there)}
	}
	for _, c := range o.PinCore {
		if !there.Contains(c) {
			return usage(fmt.Sprintf("no processor %d that this process may run on", c))
		}
	}
	if len(o.PinCore) < n {
		return usage("server and client need a processor each")
	}
	return nil
}
