package shm

import (
	"github.com/gofabric/gofabric/internal/shmem"
)

// poolBlock is the size of a bulk block. Smaller ones would let the two copies of a transfer overlap more, but each costs a
// hand-over: 64 KiB in parts of 8 KiB take half as long again.
const (
	poolBlock  = 32 << 10
	poolBlocks = 1024 // only those that have been in use at the same time take memory
	poolBytes  = poolBlock * poolBlocks
)

// pool is a domain's blocks for the bulk road: memory that peers map and read. Free blocks are handed out last in first
// out, so that hot ones return.
type pool struct {
	file *shmem.File
	mem  []byte // the file's; asking for it takes a lock, and a locked instruction waits until the block before is out
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
	q := &pool{file: f, mem: f.Bytes()}
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

func (q *pool) block(i int) []byte { return q.mem[i*poolBlock : (i+1)*poolBlock] }

func (q *pool) close() { q.file.Close() }
