// Package perf holds what a benchmark measured and prints it: the table of libfabric's fabtests, its machine-readable
// form, and JSON.
//
//	out := perf.NewReporter(os.Stdout, perf.Human, perf.Source{Argv: argv, Machine: perf.Facts()})
//	out.Row(perf.Row{Size: 64, Iterations: 10000, PerIter: 2, Elapsed: d})
//
// A Reporter is used by one goroutine. Nothing here is on a measured path.
package perf
