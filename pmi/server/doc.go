// Package server is the launcher's side of package pmi: it starts the processes of a job, answers what they ask in PMI-1,
// and ends all of them when one fails. MPICH's programs find in it the launcher that they know.
//
// You need it to write a launcher (this module's mpirun is one) or a program that starts itself several times:
//
//	job, err := server.Start(ctx, server.Spec{Procs: []server.Proc{
//		{Path: "/proc/self/exe", Args: os.Args, Env: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr},
//		...
//	}})
//	status, err := job.Wait() // status is an exit status, err says what went wrong in words
//
// [Start] is for the processes of this host, which may be all of a job or, with [Spec.Exchange], a part: the caller then
// brings the parts together at each fence. A [Space] alone serves PMI-1 on connections of any origin.
//
// Each process is the leader of a process group, where the system has them, and gets an inherited socket; elsewhere, or
// when [Spec.Port] says so, it dials a port of the loopback with a token that only it was given. When a process ends its
// group is killed, when the program that called Start dies the processes are killed by the system (Linux, FreeBSD): nothing stays behind.
//
// All methods are safe for concurrent use. Writers given in a Proc are written by one goroutine each. No variables of the
// environment are read.
package server
