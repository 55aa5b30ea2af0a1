//go:build unix

package remap

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Place is an address that memory had.
type Place unsafe.Pointer

// Memory is memory of the system's own, zeroed.
type Memory struct{ b []byte }

// New maps n bytes: at a place where nothing is mapped now or, when the system does not want that or the place is nil,
// anywhere.
func New(n int, at Place) (*Memory, error) {
	n = max(n, 1)
	p, err := unix.MmapPtr(-1, 0, unsafe.Pointer(at), uintptr(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	return &Memory{unsafe.Slice((*byte)(p), n)}, nil
}

// Bytes is the memory, until Free.
func (m *Memory) Bytes() []byte { return m.b }

// At is where it is.
func (m *Memory) At() Place { return Place(unsafe.SliceData(m.b)) }

// Free gives the memory back and tells where it was.
func (m *Memory) Free() (Place, error) {
	at := m.At()
	err := unix.MunmapPtr(unsafe.Pointer(at), uintptr(len(m.b)))
	m.b = nil
	return at, err
}
