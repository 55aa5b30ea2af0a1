// Package perfrun is the sweep of fabtests perf: scenarios, providers and sizes, and the same exchanges by other programs
// where they are installed, run in turns, and written as a table, JSON, Go's benchmark format or a page.
//
//	s := &perfrun.Sweep{Plan: plan, Ours: run, Note: note}
//	result, err := s.Run(ctx)
//	err = result.WriteJSON(file)
//
// A sweep counts first how long messages take here, and chooses from that how many of each size there is time for. Every
// repetition measures everything once, so that all see the same hours of the machine. What is late is left out and named.
//
// Run starts processes and waits for them; one goroutine calls it. A Result is data and may be read by many.
package perfrun
