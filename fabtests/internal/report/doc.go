// Package report writes measurements as one HTML file that needs nothing else: inline charts with logarithmic axes, the
// numbers as tables, the facts of the machine. It reads well on a phone and in the dark.
//
//	r := &report.Report{Title: "fabtests", Charts: []report.Chart{{Title: "Latency", Unit: "us", Series: series}}}
//	err := r.Write(file)
//
// Nothing is kept after a call.
package report
