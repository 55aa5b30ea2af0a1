//go:build race

package osx

import (
	"runtime"
	"unsafe"
)

// RaceEnabled tells whether this is a race-detector build.
const RaceEnabled = true

// RaceAcquire tells the detector that everything before the last RaceRelease of p has happened before what follows. Use
// it where memory or a system call that the detector does not see made the order. The Race functions do nothing in
// ordinary builds.
func RaceAcquire(p unsafe.Pointer) { runtime.RaceAcquire(p) }

// RaceRelease tells the detector that what came before may be seen after a RaceAcquire of p; it forgets earlier releases.
func RaceRelease(p unsafe.Pointer) { runtime.RaceRelease(p) }

// RaceReleaseMerge is RaceRelease beside earlier releases by others, which it keeps.
func RaceReleaseMerge(p unsafe.Pointer) { runtime.RaceReleaseMerge(p) }

// RaceWriteRange tells the detector that the calling goroutine wrote b by means that it does not see.
func RaceWriteRange(b []byte) {
	if len(b) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&b[0]), len(b))
	}
}

// RaceReadRange tells the detector that the calling goroutine read b by means that it does not see.
func RaceReadRange(b []byte) {
	if len(b) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&b[0]), len(b))
	}
}
