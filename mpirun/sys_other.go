//go:build !unix

package main

import "os"

// agentSignals are what an agent does not die of: mpirun, which gets them too, tells it what to do.
var agentSignals = []os.Signal{os.Interrupt}

// endSignals end the job.
var endSignals = []os.Signal{os.Interrupt}

// statusOf is the exit status that says which signal it was.
func statusOf(os.Signal) int { return 130 }

// exeSuffix is what names of programs end with.
const exeSuffix = ".exe"

// readInBackground has nothing to do here.
func readInBackground() {}
