package shmem

import (
	"sync"

	"golang.org/x/sys/unix"
)

// Commands of membarrier(2).
const (
	cmdGlobal            = 1 << 0
	cmdGlobalExpedited   = 1 << 1
	cmdRegisterGlobal    = 1 << 2
	cmdPrivateExpedited  = 1 << 3
	cmdRegisterPrivate   = 1 << 4
	globalBarrierNeeded  = cmdGlobalExpedited | cmdRegisterGlobal
	privateBarrierNeeded = cmdPrivateExpedited | cmdRegisterPrivate
)

func membarrier(cmd uintptr) (uintptr, unix.Errno) {
	r, _, e := unix.RawSyscall(unix.SYS_MEMBARRIER, cmd, 0, 0)
	return r, e
}

// RegisterBarriers prepares this process for process-wide memory barriers and returns those that work (none on an old
// kernel, or where a filter forbids them). Each is tried. Only the first call does something.
func RegisterBarriers() Barriers { return registerBarriers() }

var registerBarriers = sync.OnceValue(func() (have Barriers) {
	can, e := membarrier(0)
	if e != 0 {
		return 0
	}
	works := func(need, register, use uintptr) bool {
		if can&need != need {
			return false
		}
		if _, e := membarrier(register); e != 0 {
			return false
		}
		_, e := membarrier(use)
		return e == 0
	}
	if works(globalBarrierNeeded, cmdRegisterGlobal, cmdGlobalExpedited) {
		have |= GlobalBarriers
	}
	if works(privateBarrierNeeded, cmdRegisterPrivate, cmdPrivateExpedited) {
		have |= PrivateBarriers
	}
	return have
})

// GlobalBarrier runs a full memory barrier on every thread of every process that called [RegisterBarriers] (18 us when one
// of them runs on another processor): whatever they stored before it is visible after it, and what they load after it sees
// what was stored here before it. It reports whether it did; if not, the caller must not rely on stores without a fence,
// and so must not sleep.
func GlobalBarrier() bool { return barrier(cmdGlobalExpedited) }

// PrivateBarrier does the same for the threads of this process. It can fail only where [RegisterBarriers] did not report
// [PrivateBarriers].
func PrivateBarrier() { barrier(cmdPrivateExpedited) }

// barrier falls back on the slow command, which needs neither memory nor registration.
func barrier(cmd uintptr) bool {
	if _, e := membarrier(cmd); e == 0 {
		return true
	}
	_, e := membarrier(cmdGlobal)
	return e == 0
}
