// Package osx is the little of the operating system that several packages need: giving up the processor, pinning,
// limits, whether a process lives, and annotations for the race detector.
//
// It builds everywhere; what a system does not have answers [errors.ErrUnsupported] or does the nearest thing, as each
// comment says. All functions may be called by any goroutine. Memory files, sockets and barriers are in internal/shmem.
package osx
