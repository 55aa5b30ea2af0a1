package unit

import (
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
)

// runDomain opens several domains at a time.
func runDomain(env *scenario.Env) error {
	x, err := openDomain(env, hints(env.Opt))
	if err != nil {
		return err
	}
	var open []*fabric.Domain
	for i := 1; i < env.Opt.Window && err == nil; i++ {
		var d *fabric.Domain
		if d, err = x.fabric.OpenDomain(x.info); err != nil {
			fmt.Fprintf(env.Out, "fi_domain num %d %v\n", i, err)
			break
		}
		open = append(open, d)
	}
	for i, d := range open {
		if cerr := d.Close(); cerr != nil {
			fmt.Fprintf(env.Out, "Error closing domain num %d: %v\n", i+1, cerr)
			if err == nil {
				err = cerr
			}
		}
	}
	if cerr := x.close(); err == nil {
		err = cerr
	}
	if err == nil {
		fmt.Fprintf(env.Out, "Summary: domains opened and closed on fabric %s: %d\n", x.info.Fabric.Name, env.Opt.Window)
	}
	return err
}
