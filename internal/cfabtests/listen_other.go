//go:build !linux

package cfabtests

import "errors"

// Listening would tell whether some process listens at a TCP port; this system has no table to look at.
func Listening(int) (bool, error) { return false, errors.ErrUnsupported }
