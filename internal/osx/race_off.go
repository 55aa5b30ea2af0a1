//go:build !race

package osx

import "unsafe"

// RaceEnabled tells whether this is a race-detector build.
const RaceEnabled = false

// RaceAcquire does nothing in ordinary builds.
func RaceAcquire(unsafe.Pointer) {}

// RaceRelease does nothing in ordinary builds.
func RaceRelease(unsafe.Pointer) {}

// RaceReleaseMerge does nothing in ordinary builds.
func RaceReleaseMerge(unsafe.Pointer) {}

// RaceWriteRange does nothing in ordinary builds.
func RaceWriteRange([]byte) {}

// RaceReadRange does nothing in ordinary builds.
func RaceReadRange([]byte) {}
