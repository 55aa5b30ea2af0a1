//go:build !amd64 && !arm64

package atomic

import "unsafe"

const has16 = false

// cas16 is never reached: no kernel of that width is made.
func cas16(_ unsafe.Pointer, _, _, _, _ uint64) (lo, hi uint64, ok bool) { return 0, 0, false }
