package window

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mr"
)

// Flavor is how the memory of a window comes about (MPI_WIN_CREATE_FLAVOR).
type Flavor uint8

// Flavors.
const (
	Allocate Flavor = iota // each member's memory is the library's
	Create                 // each member's memory is the program's
	Shared                 // one piece of memory for all, which all map
	Dynamic                // memory is attached later
)

// Config says what a window is.
type Config struct {
	Device *device.Device
	ID     uint32 // the context: the same at all members, and no other window or communicator of theirs has it
	Rank   int
	World  []int // world ranks of the members
	Flavor Flavor
	Unit   int    // bytes of an element
	Kind   uint16 // stands for the element's type
	Size   int    // bytes that Allocate and Shared take here
	Memory []byte // that Create gives away; it belongs to the window until Close

	// Gather gives every member's bytes, which have one length. Barrier waits for all members.
	Gather  func(ctx context.Context, mine []byte) ([][]byte, error)
	Barrier func(ctx context.Context) error
}

// Window is one member's part in a window.
type Window struct {
	c     Config
	d     *device.Device
	ep    *fabric.Endpoint
	order orders
	limit int // bytes of one access

	targets []target
	local   []byte
	control []byte // one's own control block
	blocks  []*mr.Memory
	regions []*fabric.MR
	nextKey atomic.Uint64

	fence  atomic.Uint32 // see fence.go
	locks  atomic.Int32  // lock epochs that are open, NoCheck ones too
	active active        // see active.go
	table  attachments   // see dynamic.go

	life    context.Context // ends with Release
	end     context.CancelFunc
	closed  atomic.Bool
	free    sync.Mutex     // guards release
	left    sync.WaitGroup // goroutines of locks that nobody waits for any more
	leaving atomic.Int32   // how many of these there are
}

// Rights of the memory of a window.
const rights = fi.AccessRemoteRead | fi.AccessRemoteWrite

// Open makes a window. All members call it; if it fails because of a member's arguments or memory, it fails at all.
func Open(ctx context.Context, c *Config) (*Window, error) {
	w := &Window{c: *c, d: c.Device, ep: c.Device.Endpoint()}
	w.life, w.end = context.WithCancel(context.Background())
	info := w.ep.Info()
	w.order = ordersOf(info.Tx.MsgOrder)
	w.limit = int(min(info.EP.MaxMsgSize, maxPiece))
	mine := w.offer()
	if err := w.exchange(ctx, &mine); err != nil {
		if kindOf(err) == Other {
			w.Abandon() // the others may have it
		} else {
			_ = w.Release()
		}
		return nil, err
	}
	return w, nil
}

// maxPiece bounds one access of the fabric, so that a large one does not hold up everything else.
const maxPiece = 64 << 20

// Local is one's own part of the memory.
func (w *Window) Local() []byte { return w.local }

// Members is the number of members.
func (w *Window) Members() int { return len(w.targets) }

// Bytes is the size of a member's memory; of dynamic windows 0.
func (w *Window) Bytes(rank int) (int, error) {
	if uint(rank) >= uint(len(w.targets)) {
		return 0, w.noRank(rank)
	}
	return w.targets[rank].size, nil
}

func (w *Window) noRank(rank int) *Error {
	return fault(Rank, -1, "rank %d: the window has 0 to %d", rank, len(w.targets)-1)
}

// usable finds a window that is closed.
func (w *Window) usable() error {
	if w.closed.Load() {
		return fault(Closed, -1, "the window is freed")
	}
	return nil
}
