//go:build !linux

package osx

import "errors"

// EventFD is a descriptor that is readable from a Signal to the next Clear; only Linux has it.
type EventFD struct{}

// NewEventFD gives errors.ErrUnsupported.
func NewEventFD() (*EventFD, error) { return nil, errors.ErrUnsupported }

// FD is of no use here.
func (e *EventFD) FD() uintptr { return 0 }

// Signal does nothing here.
func (e *EventFD) Signal() {}

// Clear does nothing here.
func (e *EventFD) Clear() {}

// Close does nothing here.
func (e *EventFD) Close() {}
