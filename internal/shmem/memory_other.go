//go:build !linux

package shmem

import "errors"

// Mapping is memory that a peer made; there is none on this system.
type Mapping struct{}

// Bytes is nil on this system.
func (*Mapping) Bytes() []byte { return nil }

// Unmap does nothing on this system.
func (*Mapping) Unmap() error { return nil }

// File is an anonymous memory file; there is none on this system.
type File struct{ Mapping }

// Create returns errors.ErrUnsupported on this system.
func Create(string, int, Flags) (*File, error) { return nil, errors.ErrUnsupported }

// FD is -1 on this system.
func (*File) FD() int { return -1 }

// CloseFD does nothing on this system.
func (*File) CloseFD() error { return nil }

// Close does nothing on this system.
func (*File) Close() error { return nil }

// MapPeer returns errors.ErrUnsupported on this system.
func MapPeer(int, int, Access, Flags) (*Mapping, error) { return nil, errors.ErrUnsupported }

// ReadProcess returns errors.ErrUnsupported on this system.
func ReadProcess(int, []byte, uintptr) (int, error) { return 0, errors.ErrUnsupported }

// ReadVouched returns errors.ErrUnsupported on this system.
func ReadVouched(int, []byte, uintptr, *Voucher) (int, error) { return 0, errors.ErrUnsupported }

// AllowReaders returns errors.ErrUnsupported on this system.
func AllowReaders() error { return errors.ErrUnsupported }

// RegisterBarriers reports that there are none on this system.
func RegisterBarriers() Barriers { return 0 }

// GlobalBarrier reports that there is none on this system.
func GlobalBarrier() bool { return false }

// PrivateBarrier does nothing on this system.
func PrivateBarrier() {}
