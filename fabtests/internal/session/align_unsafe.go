package session

import "unsafe"

// gap is how far from its beginning b is aligned.
func gap(b []byte, to int) int {
	over := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % uintptr(to))
	return (to - over) % to
}
