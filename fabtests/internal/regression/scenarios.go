package regression

import (
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// Scenarios lists the programs.
func Scenarios() []scenario.Scenario {
	return []scenario.Scenario{
		{Name: "sighandler_test", Kind: scenario.Regression, Sides: scenario.Alone, Summary: "a provider leaves signals to the application",
			Caps: func(*options.Options) fi.Caps { return fi.CapMsg }, Run: runSignals},
	}
}
