package collective

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/coll"
)

// Host is a provider's endpoint. One that embeds rdm.Endpoint has all but Issue and Revoke from it.
type Host interface {
	driver.Revoker
	// Reserve, Unreserve, TxDone and TxFail are how operations of the endpoint complete.
	Reserve(fl fi.OpFlags) bool
	Unreserve(fl fi.OpFlags)
	TxDone(ctx any, fl fi.OpFlags, kind fi.CompFlags, n int, tag uint64)
	TxFail(ctx any, fl fi.OpFlags, kind fi.CompFlags, n int, tag uint64, err fi.Errno, text string)
}

// Endpoint is the collectives of an endpoint.
type Endpoint struct {
	eng   *driver.Engine
	host  Host
	most  uint64 // bytes of a message
	av    *driver.AV
	exact bool // receives must name their sender

	groups   map[uint32]*group // by number
	gone     map[uint32]*group // that were left, by the number that they had
	goners   []*group          // these, the oldest first
	last     uint32            // the number given last
	running  opList
	joining  int // groups that wait for members
	early    []message
	controls map[fi.Addr]*control // by the sender that they name
	watch    watch
	closed   bool
}

var _ driver.Collectives = (*Endpoint)(nil)

// New makes the collectives of an endpoint that is being enabled. Nothing is posted before a group is joined.
func New(eng *driver.Engine, host Host, info *fi.Info, b *driver.Bindings) *Endpoint {
	e := &Endpoint{eng: eng, host: host, most: b.Max.Tagged, av: b.AV,
		exact: info.Caps&fi.CapExactDirectedRecv != 0, groups: make(map[uint32]*group), gone: make(map[uint32]*group),
		controls: make(map[fi.Addr]*control)}
	e.watch.init(e)
	return e
}

// groupAddr is the bit of addresses that stand for groups.
const groupAddr fi.Addr = 1 << 62

func (e *Endpoint) group(a fi.Addr) *group {
	if a>>62 != 1 {
		return nil
	}
	return e.groups[uint32(a&^groupAddr)]
}

// Collective posts an operation.
func (e *Endpoint) Collective(o fi.CollectiveOp, at, root fi.Addr, k *fiatomic.Kernel, size int, in, out []byte, ctx any, fl fi.OpFlags) error {
	e.eng.Lock()
	defer e.eng.Unlock()
	if e.closed {
		return fi.ErrBadFD
	}
	g := e.group(at)
	if g == nil {
		return fi.ErrInvalid
	}
	if !g.flags.Serves(o) {
		return fi.ErrOpNotSupp
	}
	if g.state == groupJoining {
		return fi.ErrOpBadState
	}
	a, err := g.args(o, root, k, size, len(in), len(out))
	if err != 0 {
		return err
	}
	if uint64(a.Bytes()) > e.most {
		return fi.ErrMsgSize
	}
	p, err := g.plan(a)
	if err != 0 {
		return err
	}
	if !e.host.Reserve(fl) {
		return fi.ErrAgain
	}
	if g.state == groupFailed {
		e.host.TxFail(ctx, fl, fi.CompCollective, 0, 0, g.err, g.text)
		return nil
	}
	x := p.take()
	x.ctx, x.fl, x.k = ctx, fl, k
	x.buf[coll.In], x.buf[coll.Out] = in, out
	x.seq = g.seq
	g.seq++
	e.running.add(x)
	x.Run()
	if e.running.n > 0 {
		e.watch.begin()
	}
	return nil
}

// Close ends what runs with fi.ErrCanceled. The endpoint's own operations have ended.
func (e *Endpoint) Close() {
	defer e.watch.end() // without the lock
	e.eng.Lock()
	defer e.eng.Unlock()
	e.closed = true
	for _, g := range e.groups {
		if g.state == groupJoining {
			g.joined(fi.ErrCanceled, "the endpoint was closed")
		}
		g.state, g.err, g.text = groupFailed, fi.ErrCanceled, "the endpoint was closed"
	}
	e.running.each(func(x *op) {
		x.fail(fi.ErrCanceled, "the endpoint was closed")
		if x.left == 0 {
			x.finish()
		}
	})
}
