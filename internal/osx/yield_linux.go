package osx

import "golang.org/x/sys/unix"

// SchedYield lets another thread of any process run on this processor (0.16 us when there is none). It is a raw system
// call: the Go scheduler does not notice, so a waiting loop keeps its P. On other systems it is runtime.Gosched, which
// lets other goroutines of this process run and nobody else.
//
//fabric:fastpath
func SchedYield() { unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
