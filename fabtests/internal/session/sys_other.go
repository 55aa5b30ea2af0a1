//go:build !linux

package session

import (
	"errors"
	"time"
)

// pollFD would wait until fd is readable; queues have no descriptors here.
func pollFD(uintptr, time.Duration) error { return errors.ErrUnsupported }
