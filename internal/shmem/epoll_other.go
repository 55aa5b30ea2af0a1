//go:build !linux

package shmem

import (
	"errors"
	"time"
)

// Epoll watches descriptors; there is none on this system.
type Epoll struct{}

// Event is what happened to a descriptor; nothing does on this system.
type Event struct{}

// Token is 0 on this system.
func (*Event) Token() uint64 { return 0 }

// Events is 0 on this system.
func (*Event) Events() Events { return 0 }

// NewEpoll returns errors.ErrUnsupported on this system.
func NewEpoll() (*Epoll, error) { return nil, errors.ErrUnsupported }

// Add returns errors.ErrUnsupported on this system.
func (*Epoll) Add(int, Events, uint64) error { return errors.ErrUnsupported }

// Modify returns errors.ErrUnsupported on this system.
func (*Epoll) Modify(int, Events, uint64) error { return errors.ErrUnsupported }

// Del returns errors.ErrUnsupported on this system.
func (*Epoll) Del(int) error { return errors.ErrUnsupported }

// Wait returns 0 on this system.
func (*Epoll) Wait([]Event) int { return 0 }

// Park returns errors.ErrUnsupported on this system.
func (*Epoll) Park() error { return errors.ErrUnsupported }

// SetDeadline returns errors.ErrUnsupported on this system.
func (*Epoll) SetDeadline(time.Time) error { return errors.ErrUnsupported }

// FD is -1 on this system.
func (*Epoll) FD() int { return -1 }

// Close does nothing on this system.
func (*Epoll) Close() error { return nil }

// EventFD is a bell inside one process; there is none on this system.
type EventFD struct{}

// NewEventFD returns errors.ErrUnsupported on this system.
func NewEventFD() (*EventFD, error) { return nil, errors.ErrUnsupported }

// FD is -1 on this system.
func (*EventFD) FD() int { return -1 }

// Ring does nothing on this system.
func (*EventFD) Ring() {}

// Drain is false on this system.
func (*EventFD) Drain() bool { return false }

// Close does nothing on this system.
func (*EventFD) Close() error { return nil }
