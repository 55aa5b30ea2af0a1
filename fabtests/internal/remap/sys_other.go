//go:build !unix

package remap

import "github.com/gofabric/gofabric/fi"

// Place is an address that memory had.
type Place *byte

// Memory would be memory of the system's own.
type Memory struct{}

// New fails: this system's calls for it are not used.
func New(int, Place) (*Memory, error) {
	return nil, &fi.Error{Op: "mmap", Err: fi.ErrNoSys, Hint: "memory is mapped at an address of choice on unix systems only"}
}

// Bytes is nil.
func (m *Memory) Bytes() []byte { return nil }

// At is nil.
func (m *Memory) At() Place { return nil }

// Free does nothing.
func (m *Memory) Free() (Place, error) { return nil, nil }
