//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// agentSignals are what an agent does not die of: mpirun, which gets them too, tells it what to do.
var agentSignals = []os.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE}

// endSignals end the job.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// statusOf is the exit status that says which signal it was.
func statusOf(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 130
}

// exeSuffix is what names of programs end with.
const exeSuffix = ""

// readInBackground makes reading from a terminal fail, where it would stop us: a job that was started with & has no input.
func readInBackground() { signal.Ignore(syscall.SIGTTIN) }
