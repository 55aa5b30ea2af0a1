//go:build !linux

package osx

import "runtime"

// SchedYield lets other goroutines run; on Linux it is sched_yield(2).
func SchedYield() { runtime.Gosched() }
