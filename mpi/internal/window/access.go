package window

import (
	"encoding/binary"

	"github.com/gofabric/gofabric/internal/memcopy"
	"github.com/gofabric/gofabric/mr"
)

// Put writes src to a member's memory, from an element on (MPI_Put). src belongs to the window until the accesses to that
// member are flushed.
//
//fabric:fastpath
func (w *Window) Put(src []byte, rank, at int) error {
	t, mem, err := w.reach(rank, at, len(src))
	if err != nil {
		return err
	}
	switch {
	case t.mem == nil:
		return w.transferAll(t, at, kindWrite, src, nil)
	case len(src) == 8:
		binary.NativeEndian.PutUint64(mem, binary.NativeEndian.Uint64(src))
	default:
		memcopy.Out(mem, src)
	}
	return nil
}

// Get reads into dst from a member's memory (MPI_Get). dst has it once the accesses to that member are flushed.
//
//fabric:fastpath
func (w *Window) Get(dst []byte, rank, at int) error {
	t, mem, err := w.reach(rank, at, len(dst))
	if err != nil {
		return err
	}
	switch {
	case t.mem == nil:
		return w.transferAll(t, at, kindRead, dst, nil)
	case len(dst) == 8:
		binary.NativeEndian.PutUint64(dst, binary.NativeEndian.Uint64(mem))
	default:
		memcopy.In(dst, mem)
	}
	return nil
}

// remote is where an element is for the fabric, when n bytes are accessed there.
func (w *Window) remote(t *target, at, n int) (mr.Remote, error) {
	if w.c.Flavor == Dynamic {
		return w.attachedAt(t, at, n)
	}
	return t.data.At(uint64(at) * uint64(w.c.Unit)), nil
}

// transferAll does an access by the fabric, in pieces.
func (w *Window) transferAll(t *target, at int, k kind, buf []byte, r *Request) error {
	if len(buf) == 0 {
		return nil
	}
	place, err := w.remote(t, at, len(buf))
	if err != nil {
		return err
	}
	for len(buf) > 0 {
		n := min(len(buf), w.limit)
		x := w.take(t, r)
		x.iov[0] = buf[:n]
		if err := w.post(x, k, place, n); err != nil {
			return err
		}
		buf, place = buf[n:], place.At(uint64(n))
	}
	return nil
}
