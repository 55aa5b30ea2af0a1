package shm

import (
	"github.com/gofabric/gofabric/internal/shmem"
)

// poolBlock is the size of a bulk block; small transfers fill parts of more blocks, so that both copies overlap.
const (
	poolBlock  = 32 << 10
	poolBlocks = 1024 // only those that have been in use at the same time take memory
	poolBytes  = poolBlock * poolBlocks
)

// pool is a domain's blocks for the bulk road: memory that peers map and read. Free blocks are handed out last in first
// out, so that hot ones return.
type pool struct {
	file *shmem.File
	free []int
}

// bulkID is what peers ask for to map the pool.
const bulkID = 0

func (d *domain) blockPool() (*pool, error) {
	if d.bulk != nil {
		return d.bulk, nil
	}
	f, err := shmem.Create("gofabric-bulk", poolBytes, shmem.OwnerWrites)
	if err != nil {
		return nil, err
	}
	q := &pool{file: f}
	for i := poolBlocks - 1; i >= 0; i-- {
		q.free = append(q.free, i)
	}
	d.blocks.Lock()
	d.bulk = q
	d.blocks.Unlock()
	return q, nil
}

func (q *pool) take() (int, bool) {
	n := len(q.free)
	if n == 0 {
		return 0, false
	}
	i := q.free[n-1]
	q.free = q.free[:n-1]
	return i, true
}

// share is how many blocks one peer may have: the fewer are left the less, so that peers who keep theirs, stopped ones,
// leave some for the others.
func (q *pool) share() int { return len(q.free) / 8 }

func (q *pool) give(i int) { q.free = append(q.free, i) }

func (q *pool) block(i int) []byte { return q.file.Bytes()[i*poolBlock : (i+1)*poolBlock] }

// sizeFor is the part of a block that a transfer of n bytes fills: an eighth of it, between 8 and 32 KiB.
func (q *pool) sizeFor(n int) int {
	switch {
	case n <= 64<<10:
		return 8 << 10
	case n <= 128<<10:
		return 16 << 10
	}
	return poolBlock
}

func (q *pool) close() { q.file.Close() }
