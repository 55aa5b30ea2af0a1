package shm

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/internal/relstore"
)

// workCount counts what Poll can advance without news from a socket. It changes under the domain's lock and is looked at
// without.
type workCount struct {
	copying uint32 // copies that need only time
	stuck   uint32 // what needs room in a ring or a free block
}

func (w *workCount) copy(d int)  { relstore.Uint32(&w.copying, w.copying+uint32(d)) }
func (w *workCount) stick(d int) { relstore.Uint32(&w.stuck, w.stuck+uint32(d)) }

func (w *workCount) some() bool {
	return atomic.LoadUint32(&w.copying) != 0 || atomic.LoadUint32(&w.stuck) != 0
}

// moving tells whether a poll is sure to get on.
func (w *workCount) moving() bool { return atomic.LoadUint32(&w.copying) != 0 }

// advance moves on what needs no message from the peer.
func (p *pair) advance() {
	if p.state >= dead || p.state == connecting {
		return
	}
	if p.outbox.Len() > 0 {
		p.flush()
	}
	if p.withdrawals.Len() > 0 {
		p.withdraw()
	}
	if p.fetching.Len() > 0 {
		if in := p.fetching.Pop(); in.step() {
			p.d.src.work.copy(-1)
		} else {
			p.fetching.PutBack(in)
		}
	}
	if p.sending.Len() > 0 {
		p.pump()
	}
	if p.stalled {
		p.resume()
	}
	if p.paused && p.Room() {
		p.goOn()
		if p.state == dying {
			p.finish()
		}
	}
}
