//go:build !linux

package cfabtests

import "errors"

// Listening would tell whether some process can be reached at a port; this system has no table to look at.
func Listening(string, int) (bool, error) { return false, errors.ErrUnsupported }
