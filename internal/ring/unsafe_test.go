package ring

import "unsafe"

func ptr(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// inside tells whether b is part of mem.
func inside(mem, b []byte) bool {
	lo, hi := uintptr(ptr(mem)), uintptr(ptr(mem))+uintptr(len(mem))
	p := uintptr(ptr(b))
	return p >= lo && p+uintptr(cap(b)) <= hi
}
