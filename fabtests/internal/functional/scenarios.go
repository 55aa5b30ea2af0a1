package functional

import (
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// Scenarios lists the programs.
func Scenarios() []scenario.Scenario {
	caps := func(c fi.Caps) func(*options.Options) fi.Caps {
		return func(*options.Options) fi.Caps { return c }
	}
	list := []scenario.Scenario{
		{Name: "rdm", Summary: "a greeting from client to server", Caps: caps(fi.CapMsg), Run: runRDM},
	}
	for i := range list {
		list[i].Kind, list[i].Sides = scenario.Functional, scenario.Pair
	}
	return list
}
