package mr

import "github.com/gofabric/gofabric/fi"

// Watcher is told of remote accesses to a region, under the domain's lock: a counter bound to it.
type Watcher interface {
	Done(bytes int)
}

// Region is registered memory as a provider sees it. Applications hold a fabric.MR, which wraps one. A Region's fields
// do not change after registration, but for Enabled, dead and the watchers, which the domain's lock guards.
//
// The Region keeps its memory reachable; it lives until it is closed.
type Region struct {
	Parts   [][]byte // the memory, in order; most regions have one part
	Len     uint64   // bytes in all
	Base    uint64   // what a peer calls the first byte: 0, or its virtual address
	Key     uint64
	Access  fi.Access
	Flags   fi.MRFlags
	Context any
	Parent  *Region // a sub-region's base
	Subs    int     // live sub-regions

	OnWrite Watcher // counts remote writes; nil for none
	OnRead  Watcher // counts remote reads; nil for none
	Enabled bool    // remote access is allowed
	Export  any     // the provider's own state
	// Admits tells whether a peer may access the region, by its address as the vector has it and the digest of its key; nil:
	// every peer that reaches an endpoint may.
	Admits func(peer []byte, key [32]byte) bool

	dead          bool
	writes, reads accesses
}

// Check tells whether n bytes at addr may be accessed with all rights of need, and gives the offset in the region.
//
//fabric:fastpath
func (r *Region) Check(addr uint64, n int, need fi.Access) (off uint64, err fi.Errno) {
	off = addr - r.Base
	if r.dead || !r.Enabled {
		return 0, fi.ErrKeyRejected
	}
	if r.Access&need != need {
		return 0, fi.ErrAccess
	}
	if off > r.Len || uint64(n) > r.Len-off {
		return 0, fi.ErrInvalid
	}
	return off, 0
}

// Slice gives the n bytes at off if they lie in one part, else nil. The range must have been checked.
func (r *Region) Slice(off uint64, n int) []byte {
	for _, p := range r.Parts {
		if l := uint64(len(p)); off < l || (n == 0 && off == l) {
			if uint64(n) > l-off {
				return nil
			}
			return p[off : off+uint64(n) : off+uint64(n)]
		} else {
			off -= l
		}
	}
	return nil
}

// Pieces appends the parts of n bytes at off to dst. The range must have been checked.
func (r *Region) Pieces(dst [][]byte, off uint64, n int) [][]byte {
	for _, p := range r.Parts {
		l := uint64(len(p))
		if off >= l {
			off -= l
			continue
		}
		if n == 0 {
			break
		}
		k := min(uint64(n), l-off)
		dst = append(dst, p[off:off+k:off+k])
		n -= int(k)
		off = 0
	}
	return dst
}

// CopyIn copies src into the region at off. The range must have been checked.
func (r *Region) CopyIn(off uint64, src []byte) {
	for _, p := range r.Parts {
		l := uint64(len(p))
		if off >= l {
			off -= l
			continue
		}
		n := copy(p[off:], src)
		if src = src[n:]; len(src) == 0 {
			return
		}
		off = 0
	}
}

// CopyOut copies the region from off into dst. The range must have been checked.
func (r *Region) CopyOut(dst []byte, off uint64) {
	for _, p := range r.Parts {
		l := uint64(len(p))
		if off >= l {
			off -= l
			continue
		}
		n := copy(dst, p[off:])
		if dst = dst[n:]; len(dst) == 0 {
			return
		}
		off = 0
	}
}

// Remote is what a peer uses to reach the region's first byte.
func (r *Region) Remote() Remote { return Remote{Addr: r.Base, Key: r.Key} }

// Bytes is the memory of a region of one part; nil for several.
func (r *Region) Bytes() []byte {
	if len(r.Parts) != 1 {
		return nil
	}
	return r.Parts[0]
}

// Dead tells whether the region was closed or used up.
func (r *Region) Dead() bool { return r.dead }
