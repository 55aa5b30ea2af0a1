package rdm

import (
	"encoding/binary"

	"github.com/gofabric/gofabric/internal/memcopy"
)

// copyEager copies a small payload; the commonest size goes without a call.
//
//fabric:fastpath
func copyEager(dst, src []byte) {
	if len(src) == 8 && len(dst) >= 8 {
		binary.NativeEndian.PutUint64(dst, binary.NativeEndian.Uint64(src))
		return
	}
	memcopy.In(dst, src)
}
