// Package runner runs sets of scenarios the way libfabric's script does: both sides of each as processes, here or on two
// hosts, with the script's sets, verdicts and table.
//
//	plan, err := r.Plan()             // which tests, from sets, providers and excludes
//	results := r.Run(ctx, plan, func(res Result) { … })
//
// Each test is one or two processes of this program, or of C fabtests ([Config].Peer), in process groups of their own. They
// end when their time is over or the runner goes away, however it goes: ours notice the end of their standard input
// ([Supervised]), others die with the thread that started them on Linux.
//
// A verdict is checked against what the provider says it offers: a test that is not supported although it should be is a
// failure, and so is one that works although it should not.
//
// [Runner.Run] starts a goroutine for each test that runs at a time and waits for all of them. A Runner may be used by one
// goroutine at a time. It reads FABTESTS_SSH through its Config, and sets FABTESTS_RUN for its children.
package runner
