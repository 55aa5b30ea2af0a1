package driver

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/relstore"
)

// SharedTx is a transmit context that several endpoints share: how many of their operations may be under way in all.
// The domain's lock guards it.
type SharedTx struct{ size, taken, most, full uint64 }

// NewSharedTx makes one for size operations.
func NewSharedTx(size int) *SharedTx { return &SharedTx{size: uint64(size)} }

// Take takes a place for an operation; false when there is none. A nil context has places without end.
func (s *SharedTx) Take() bool {
	if s == nil {
		return true
	}
	if s.taken == s.size {
		relstore.Uint64(&s.full, s.full+1)
		return false
	}
	relstore.Uint64(&s.taken, s.taken+1)
	if s.taken > s.most {
		relstore.Uint64(&s.most, s.taken)
	}
	return true
}

// Give gives the place back.
func (s *SharedTx) Give() {
	if s != nil {
		relstore.Uint64(&s.taken, s.taken-1)
	}
}

// Stats gives the context's numbers. No lock needed.
func (s *SharedTx) Stats() fi.SharedTxStats {
	return fi.SharedTxStats{Taken: atomic.LoadUint64(&s.taken), Most: atomic.LoadUint64(&s.most), Full: atomic.LoadUint64(&s.full)}
}
