package mr

import "unsafe"

// VirtualAddress is the address of b's first byte, as peers use it where the domain's mode has MRModeVirtAddr. The
// number keeps nothing alive and holds for memory that does not move: no stack memory reaches here, because a slice that
// is registered or handed to an operation escapes to the heap.
func VirtualAddress(b []byte) uint64 { return uint64(address(b)) }

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
