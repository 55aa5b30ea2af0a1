//go:build amd64 && !race

package memcopy

import "unsafe"

// overlap tells whether two slices of one length share bytes.
func overlap(a, b []byte) bool {
	x, y := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	n := uintptr(len(a))
	return x < y+n && y < x+n
}
