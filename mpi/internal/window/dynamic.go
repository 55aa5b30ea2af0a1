package window

import (
	"encoding/binary"
	"sync"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/mr"
)

// A dynamic window's elements are numbered so that the upper bits say which piece of memory is meant: piece<<pieceShift plus
// the element in it. Pieces count from 1 and are not used twice.
//
// The table lies in the control block behind the words of the lock. An entry is four words: the piece, or 0; the key and the
// address for the fabric; the size in bytes. Pieces take the entries in turn, as far as they are free.
const (
	tableEntries = 1024
	entryBytes   = 32
	tableBytes   = tableEntries * entryBytes
	tableAt      = controlBytes

	pieceShift = 36
	maxPieces  = 1 << (63 - pieceShift)
)

// piece is attached memory.
type piece struct {
	number uint64
	at     mr.Remote
	size   int
}

// attachments are one's own pieces and those of others that were looked up.
type attachments struct {
	mu    sync.Mutex // guards what follows
	last  uint64
	own   map[uint64]*fabric.MR
	known map[known]piece
}

type known struct {
	rank  int
	entry uint64
}

// Attach makes memory reachable in a dynamic window (MPI_Win_attach), and gives the number of its first element, which others
// use to access it. The memory belongs to the window until Detach.
func (w *Window) Attach(mem []byte) (int, error) {
	if err := w.isDynamic(); err != nil {
		return 0, err
	}
	if len(mem) == 0 || len(mem)/w.c.Unit > 1<<pieceShift {
		return 0, fault(Memory, -1, "%d bytes: attach 1 element or more, up to 2^%d", len(mem), pieceShift)
	}
	a := &w.table
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.own) >= tableEntries || a.last+1 >= maxPieces {
		return 0, fault(Memory, -1, "%d pieces are attached, of %d in all: detach some, at most %d can be there", len(a.own), a.last, tableEntries)
	}
	n := a.last + 1
	for word(w.control, entryAt(n)).Load() != 0 {
		n++
	}
	at, err := w.register(mem)
	if err != nil {
		return 0, err
	}
	w.free.Lock()
	m := w.regions[len(w.regions)-1]
	w.free.Unlock()
	if a.own == nil {
		a.own = map[uint64]*fabric.MR{}
	}
	a.last, a.own[n] = n, m
	e := entryAt(n)
	word(w.control, e+8).Store(at.Key)
	word(w.control, e+16).Store(at.Addr)
	word(w.control, e+24).Store(uint64(len(mem)))
	word(w.control, e).Store(n)
	return int(n << pieceShift), nil
}

func entryAt(n uint64) int { return tableAt + int(n%tableEntries)*entryBytes }

// Detach ends that (MPI_Win_detach): at is what Attach gave. Accesses that others still make fail.
func (w *Window) Detach(at int) error {
	if err := w.isDynamic(); err != nil {
		return err
	}
	a := &w.table
	a.mu.Lock()
	defer a.mu.Unlock()
	n := uint64(at) >> pieceShift
	m := a.own[n]
	if m == nil || at < 0 || uint64(at) != n<<pieceShift {
		return fault(Memory, -1, "nothing is attached at %d: give what Attach gave", at)
	}
	word(w.control, entryAt(n)).Store(0)
	delete(a.own, n)
	w.forget(m)
	if err := m.Close(); err != nil {
		return &Error{Kind: Memory, Rank: -1, Err: err}
	}
	return nil
}

// forget takes a region out of those that Release closes.
func (w *Window) forget(m *fabric.MR) {
	w.free.Lock()
	defer w.free.Unlock()
	for i, r := range w.regions {
		if r == m {
			w.regions = append(w.regions[:i], w.regions[i+1:]...)
			return
		}
	}
}

func (w *Window) isDynamic() error {
	if err := w.usable(); err != nil {
		return err
	}
	if w.c.Flavor != Dynamic {
		return fault(Closed, -1, "not a dynamic window: WinCreateDynamic makes one")
	}
	return nil
}

// attachedAt finds n bytes at an element of a member's pieces. It looks into the member's table for a piece that it does not
// know.
func (w *Window) attachedAt(t *target, at, n int) (mr.Remote, error) {
	number, off := uint64(at)>>pieceShift, at&(1<<pieceShift-1)*w.c.Unit
	key := known{t.rank, number % tableEntries}
	w.table.mu.Lock()
	p, ok := w.table.known[key]
	w.table.mu.Unlock()
	if !ok || p.number != number {
		var err error
		if p, err = w.lookUp(t, number); err != nil {
			return mr.Remote{}, err
		}
		w.table.mu.Lock()
		if w.table.known == nil {
			w.table.known = map[known]piece{}
		}
		w.table.known[key] = p
		w.table.mu.Unlock()
	}
	if off > p.size || n > p.size-off {
		return mr.Remote{}, fault(Range, t.rank, "elements %d to %d of what is attached at %d: there are %d", off/w.c.Unit, (off+n)/w.c.Unit-1, number<<pieceShift, p.size/w.c.Unit)
	}
	return p.at.At(uint64(off)), nil
}

// lookUp reads an entry of a member's table.
func (w *Window) lookUp(t *target, number uint64) (piece, error) {
	var e [entryBytes]byte
	at := entryAt(number)
	if t.block != nil {
		for i := 0; i < entryBytes; i += 8 {
			binary.NativeEndian.PutUint64(e[i:], word(t.block, at+i).Load())
		}
	} else if err := w.readTable(t, e[:], at); err != nil {
		return piece{}, err
	}
	get := func(i int) uint64 { return binary.NativeEndian.Uint64(e[i:]) }
	if number == 0 || get(0) != number {
		return piece{}, fault(Range, t.rank, "it has attached nothing at %d: use what its Attach gave, as long as it has not called Detach", number<<pieceShift)
	}
	if get(24) > 1<<62 {
		return piece{}, fault(Other, t.rank, "its table of attached memory is broken: something has written over it")
	}
	return piece{number: number, at: mr.Remote{Key: get(8), Addr: get(16)}, size: int(get(24))}, nil
}

// readTable reads a member's control block.
func (w *Window) readTable(t *target, dst []byte, at int) error {
	x := w.single(t, 0)
	x.iov[0] = dst
	if err := w.post(x, kindRead, t.control.At(uint64(at)), len(dst)); err != nil {
		return err
	}
	if err := w.wait(w.life, x); err != nil {
		return err
	}
	x.recycle()
	return nil
}
