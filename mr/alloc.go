package mr

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
)

// Memory is memory that peers on the same host can map (there is no C name for it). Messages from it and remote accesses
// to it need no help of its owner.
type Memory struct {
	b *Block
}

// Alloc takes at least n bytes, zeroed and page aligned, of a memory file of its own: whoever may map it sees nothing
// else of this process. On systems without memory files it is ordinary memory, which works as any other.
//
// Ownership: the memory is not the collector's; it lives until Free, and the slices of it must not be used afterwards.
// Errors: fi.ErrInvalid when n is not positive, fi.ErrNoMem.
func Alloc(n int) (*Memory, error) {
	if n <= 0 {
		return nil, &fi.Error{Op: "mr_alloc", Err: fi.ErrInvalid, Hint: fmt.Sprintf("%d bytes: give a positive length", n)}
	}
	page := os.Getpagesize()
	if n > 1<<46 {
		return nil, &fi.Error{Op: "mr_alloc", Err: fi.ErrNoMem, Hint: fmt.Sprintf("%d bytes are more than there can be", n)}
	}
	b := &Block{id: lastID.Add(1)}
	if shmem.Available() != nil {
		b.mem = make([]byte, n)
		return &Memory{b}, nil
	}
	f, err := shmem.Create("gofabric-mr", (n+page-1)/page*page, 0)
	if err != nil {
		return nil, &fi.Error{Op: "mr_alloc", Err: fi.ErrNoMem, Hint: fmt.Sprintf("%d bytes: %v; free memory, or raise the memory limit of the container", n, err)}
	}
	b.file, b.mem = f, f.Bytes()[:n:n]
	addBlock(b)
	return &Memory{b}, nil
}

// Bytes is the memory, of the length asked for.
func (m *Memory) Bytes() []byte { return m.b.mem }

// Free gives the memory back. Peers that have mapped it keep their mappings until they hear of it, and touch nothing of
// ours with them. Freeing twice does nothing. Slices of it must not be used any more, also not by operations: wait for the
// completions of receives and sends into and from it, or cancel them. An access after Free is a fault that ends the
// program.
//
// Errors: fi.ErrBusy while a region of it is registered or a message from it is on its way; the memory is then still
// there.
func (m *Memory) Free() error {
	b := m.b
	b.mu.Lock()
	if b.freed {
		b.mu.Unlock()
		return nil
	}
	if b.users > 0 {
		n := b.users
		b.mu.Unlock()
		return &fi.Error{Op: "mr_free", Err: fi.ErrBusy,
			Hint: fmt.Sprintf("%d regions or messages use it: close the regions, wait for the completions", n)}
	}
	b.freed = true
	onFree := b.onFree
	b.onFree = nil
	b.mu.Unlock()
	removeBlock(b)
	for _, f := range onFree {
		f()
	}
	if b.file != nil {
		b.file.Close()
	}
	b.mem = nil
	return nil
}

// Block is the memory of one Alloc as providers see it. Its methods may be called by anybody.
type Block struct {
	id   uint64
	file *shmem.File // nil on systems without
	mem  []byte
	from uintptr // where mem lies and how long it is: Find reads them while Free takes mem away
	size uintptr

	mu     sync.Mutex
	users  int
	freed  bool
	onFree map[any]func()
}

// ID names the block in this process; never 0, never used twice.
func (b *Block) ID() uint64 { return b.id }

// FD is the descriptor that peers map. It stays the block's.
func (b *Block) FD() int { return b.file.FD() }

// Bytes is all of the memory that peers map: whole pages.
func (b *Block) Bytes() []byte { return b.file.Bytes() }

// Retain keeps the block from being freed until Release: a region of it is registered, or a peer copies from it.
func (b *Block) Retain() {
	b.mu.Lock()
	b.users++
	b.mu.Unlock()
}

// Release ends that.
func (b *Block) Release() {
	b.mu.Lock()
	b.users--
	b.mu.Unlock()
}

// OnFree has f called when the block is freed, before its memory goes; false when that has happened. key names the
// request, for [Block.Forget].
func (b *Block) OnFree(key any, f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.freed {
		return false
	}
	if b.onFree == nil {
		b.onFree = make(map[any]func())
	}
	b.onFree[key] = f
	return true
}

// Forget takes an OnFree back.
func (b *Block) Forget(key any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.onFree, key)
}

// The blocks of this process, by address. This is the one state of the package: addresses are the process's, too.
var (
	lastID   atomic.Uint64
	blocksMu sync.Mutex
	blocks   atomic.Pointer[[]*Block] // sorted by address; replaced, never changed
)

func (b *Block) start() uintptr { return b.from }

func addBlock(b *Block) {
	b.from, b.size = address(b.mem), uintptr(len(b.mem))
	blocksMu.Lock()
	defer blocksMu.Unlock()
	var all []*Block
	if p := blocks.Load(); p != nil {
		all = *p
	}
	i, _ := slices.BinarySearchFunc(all, b.start(), func(x *Block, a uintptr) int { return compare(x.start(), a) })
	all = slices.Insert(slices.Clone(all), i, b)
	blocks.Store(&all)
}

func removeBlock(b *Block) {
	if b.file == nil {
		return
	}
	blocksMu.Lock()
	defer blocksMu.Unlock()
	all := slices.DeleteFunc(slices.Clone(*blocks.Load()), func(x *Block) bool { return x == b })
	blocks.Store(&all)
}

func compare(a, b uintptr) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Find gives the block that buf lies in, and where in it; nil when buf is other memory.
func Find(buf []byte) (b *Block, off uint64) {
	p := blocks.Load()
	if p == nil || len(buf) == 0 {
		return nil, 0
	}
	at := address(buf)
	all := *p
	lo, hi := 0, len(all)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); all[mid].start() <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil, 0
	}
	b = all[lo-1]
	if off := at - b.start(); off < b.size && uintptr(len(buf)) <= b.size-off {
		return b, uint64(off)
	}
	return nil, 0
}
