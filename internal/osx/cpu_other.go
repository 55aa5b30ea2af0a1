//go:build !linux

package osx

import "errors"

// CPUs lists the processors that this process may run on: 0 to runtime.NumCPU-1.
func CPUs() []int { return allCPUs() }

// Pin would bind this process to one processor; this system cannot.
func Pin(int) error { return errors.ErrUnsupported }

// PinThread would bind the calling thread to one processor; this system cannot.
func PinThread(int) error { return errors.ErrUnsupported }
