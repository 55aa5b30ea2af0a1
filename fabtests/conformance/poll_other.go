//go:build !linux

package conformance

import (
	"errors"
	"time"
)

// canPoll tells whether native waits can be tried here.
const canPoll = false

func readable(uintptr, time.Duration) (bool, error) { return false, errors.ErrUnsupported }

func cpuTime() time.Duration { return 0 }
