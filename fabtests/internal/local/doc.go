// Package local runs all sides of a scenario on this machine: as processes, each pinned to a processor, or, for a provider
// that reaches its own process only, as goroutines.
//
//	err := local.Run(ctx, &local.Job{Scenario: s, Opt: o, Args: args, Out: os.Stdout, Err: os.Stderr}, func(r perf.Row) { … })
//
// One call is one start. The processes are in groups of their own, so that Ctrl-C reaches the launcher alone, which ends
// them; on Linux they die with it however it ends.
//
// Run may be called by one goroutine at a time. The package talks to its children by FABTESTS_SIDE, which it sets, and by
// the first bytes of the lines that they print.
package local
