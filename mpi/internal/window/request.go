package window

import (
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// Request is an access that is waited for by itself. Op is over when all of its parts are, with the error of the first that
// failed.
type Request struct {
	Op   *device.Op
	left atomic.Int32
	mu   sync.Mutex // guards Op.Err until Op is over
}

// begin makes a request with one part: the making of the others.
func begin(peer int, tag uint64) *Request {
	r := &Request{Op: device.NewOp()}
	r.Op.Peer, r.Op.Want = peer, tag
	r.left.Store(1)
	r.Op.Begin()
	return r
}

// part says that a part is over.
func (r *Request) part(err error) {
	if err != nil {
		r.mu.Lock()
		if r.Op.Err == nil {
			r.Op.Err = err
		}
		r.mu.Unlock()
	}
	if r.left.Add(-1) == 0 {
		r.Op.Finish()
	}
}

// Rput is Put with a request, which is over when src may be used again (MPI_Rput).
func (w *Window) Rput(src []byte, rank, at int) (*Request, error) {
	return w.requested(rank, at, src, kindWrite, w.Put)
}

// Rget is Get with a request, which is over when dst has what was read (MPI_Rget).
func (w *Window) Rget(dst []byte, rank, at int) (*Request, error) {
	return w.requested(rank, at, dst, kindRead, w.Get)
}

func (w *Window) requested(rank, at int, buf []byte, k kind, direct func([]byte, int, int) error) (*Request, error) {
	t, _, err := w.reach(rank, at, len(buf))
	if err != nil {
		return nil, err
	}
	r := begin(t.world, w.tag(msgAccess, rank))
	if t.mem != nil {
		err = direct(buf, rank, at)
	} else {
		err = w.transferAll(t, at, k, buf, r)
	}
	r.part(nil)
	if err != nil {
		return nil, err
	}
	return r, nil
}
