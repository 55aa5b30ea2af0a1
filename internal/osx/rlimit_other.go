//go:build !(darwin || freebsd || linux || netbsd || openbsd)

package osx

import "errors"

// RLimits would read the limits of this process; this system has none.
func RLimits() (Limits, error) { return Limits{}, errors.ErrUnsupported }
