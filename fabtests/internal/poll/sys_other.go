//go:build !linux

package poll

import (
	"context"
	"errors"
	"time"
)

// Readable would wait until fd is readable; queues have no descriptors here.
func Readable(uintptr, time.Duration) (bool, error) { return false, errors.ErrUnsupported }

// Epoll is something that only Linux has.
type Epoll struct{}

// NewEpoll gives errors.ErrUnsupported.
func NewEpoll(uintptr) (*Epoll, error) { return nil, errors.ErrUnsupported }

// Wait gives errors.ErrUnsupported.
func (*Epoll) Wait(context.Context) error { return errors.ErrUnsupported }

// Close does nothing.
func (*Epoll) Close() error { return nil }
