package mpi

import (
	"fmt"
	"os"
	"time"
)

// watchdogVariable holds a duration, "10s", for programs that do not use WithWatchdog.
const watchdogVariable = "MPI_WATCHDOG"

// WithWatchdog has report called when a call of this process has waited for longer than d: with lines that say for each
// rank what it waits for, and where in the program, and who waits for each other in a circle. All ranks give the same d;
// one of them makes the report, after a second in which it collects what the others say, and again each time the wait has
// become twice as long. Nothing is ended. report is called by a goroutine that waits, which it holds up; nil prints to the
// standard error. d of 0 or less turns the watchdog off.
//
// The variable MPI_WATCHDOG ("10s") does the same, printing, for programs that do not use the option.
func WithWatchdog(d time.Duration, report func(report string)) Option {
	if report == nil {
		report = printReport
	}
	return func(o *options) { o.watchdog, o.report = d, report }
}

func printReport(text string) { fmt.Fprint(os.Stderr, text) }

// environment takes what variables say.
func (o *options) environment() error {
	text := os.Getenv(watchdogVariable)
	if text == "" {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return &Error{
			Op: "Init", Class: ErrArg, Rank: NoRank, Err: err,
			Hint: fmt.Sprintf("%s=%q: give a duration such as 10s, or 0 for none", watchdogVariable, text),
		}
	}
	WithWatchdog(d, nil)(o)
	return nil
}
