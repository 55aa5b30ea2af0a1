package main

import (
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/bench"
	"github.com/gofabric/gofabric/fabtests/internal/cpingpong"
	"github.com/gofabric/gofabric/fabtests/internal/figures"
	"github.com/gofabric/gofabric/fabtests/internal/functional"
	"github.com/gofabric/gofabric/fabtests/internal/multinode"
	"github.com/gofabric/gofabric/fabtests/internal/rdmstress"
	"github.com/gofabric/gofabric/fabtests/internal/regression"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/stress"
	"github.com/gofabric/gofabric/fabtests/internal/ubertest"
	"github.com/gofabric/gofabric/fabtests/internal/unit"
)

// scenarios lists all that can be run.
func scenarios() []scenario.Scenario {
	return slices.Concat(bench.Scenarios(), functional.Scenarios(), rdmstress.Scenarios(), ubertest.Scenarios(), multinode.Scenarios(), stress.Scenarios(),
		cpingpong.Scenarios(), unit.Scenarios(), regression.Scenarios(), figures.Scenarios())
}

// names lists those of all scenarios.
func names() []string {
	var out []string
	for _, s := range scenarios() {
		out = append(out, s.Name)
	}
	return out
}

// find looks a scenario up by its name, with or without fi_.
func find(name string) *scenario.Scenario {
	name = strings.TrimPrefix(name, "fi_")
	for _, s := range scenarios() {
		if s.Name == name {
			return &s
		}
	}
	return nil
}
