//go:build amd64 && !race

package relstore

// Uint32 stores v with release order.
func Uint32(p *uint32, v uint32) { *p = v }

// Uint64 stores v with release order.
func Uint64(p *uint64, v uint64) { *p = v }
