//go:build !linux

package osx

// PidStart tells when a process was started; not on this system.
func PidStart(int) (uint64, bool) { return 0, false }

// PidSpace names the space in which process numbers mean something; here there is one.
func PidSpace() uint64 { return 0 }
