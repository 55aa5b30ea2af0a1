//go:build amd64 && !race

package ring

// A store with release order is an ordinary store on this architecture: stores are not reordered among themselves, and
// the compiler keeps them in program order. sync/atomic has only the store with a full fence (XCHG), which halves the
// rate of a stream of small messages. All stores that rely on this are here.

func release64(p *uint64, v uint64) { *p = v }

func release32(p *uint32, v uint32) { *p = v }
