// Package scenario says what a fabtests program is: a name, options of its own, and a function that both sides run.
//
//	var Hello = scenario.Scenario{
//		Name: "hello", Kind: scenario.Functional, Sides: scenario.Pair, Summary: "the server prints a greeting",
//		Run: func(env *scenario.Env) error { … },
//	}
//
// Scenarios are values without state; everything of one run is in its Env, since with --local both sides of the
// in-process provider run in one process.
package scenario
