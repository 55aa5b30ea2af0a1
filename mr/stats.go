package mr

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/relstore"
)

// accesses counts remote accesses of one direction.
type accesses struct{ done, failed, bytes uint64 }

func (a *accesses) count(n int) {
	relstore.Uint64(&a.done, a.done+1)
	relstore.Uint64(&a.bytes, a.bytes+uint64(n))
}

func (a *accesses) stats() fi.OpStats {
	return fi.OpStats{Done: atomic.LoadUint64(&a.done), Failed: atomic.LoadUint64(&a.failed), Bytes: atomic.LoadUint64(&a.bytes)}
}

// CountWrite counts a remote write of n bytes; CountRead a read. With the domain's lock.
func (r *Region) CountWrite(n int) { r.writes.count(n) }

// CountRead counts a remote read of n bytes. With the domain's lock.
func (r *Region) CountRead(n int) { r.reads.count(n) }

// CountRefused counts an access that wanted the rights of need and was not allowed. With the domain's lock.
func (r *Region) CountRefused(need fi.Access) {
	a := &r.reads
	if need&fi.AccessRemoteWrite != 0 {
		a = &r.writes
	}
	relstore.Uint64(&a.failed, a.failed+1)
}

// Stats gives what was counted; Bytes is the region's length. No lock needed.
func (r *Region) Stats() fi.MRStats {
	return fi.MRStats{Bytes: r.Len, Write: r.writes.stats(), Read: r.reads.stats()}
}
