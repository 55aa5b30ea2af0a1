package shm

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/mr"
)

// domain holds everything that its lock (its engine's) guards: endpoints, pairs, regions.
type domain struct {
	cfg     *config
	info    *fi.Info
	eng     *driver.Engine
	regions *mr.Table
	table   *table
	part    bool // of another provider's domain, which has the engine and the table of regions
	plain   bool // we publish with plain stores: membarrier works here
	nonce   *nonce

	src       *source
	notes     driver.Notes
	toldNoCMA atomic.Bool // that peers' memory cannot be read
	endpoints map[*endpoint]struct{}
	pairs     []*pair // all; the first hotRings of them are polled each time
	bulk      *pool   // blocks of the bulk road; made when first needed
	firsts    uint32
	cooled    uint32 // which hot ring goes next
	closed    bool

	blocks sync.Mutex
	known  map[uint64]*mr.Block // blocks that peers may ask for; guarded by blocks

	limbo    *ring.Pair
	scratch  []byte // for what must lie together
	scratch2 []byte
}

// newDomain makes a domain; w is what it is a part of, or nil.
func newDomain(c *config, info *fi.Info, log driver.Logger, w *driver.Whole) (*domain, error) {
	d := &domain{cfg: c, info: info, regions: mr.NewTable(), endpoints: make(map[*endpoint]struct{}), known: make(map[uint64]*mr.Block),
		scratch: make([]byte, 3*driver.MaxAtomicSize), scratch2: make([]byte, 2*driver.MaxAtomicSize)}
	d.notes.Log = log
	barriers := shmem.RegisterBarriers()
	d.plain = barriers&shmem.GlobalBarriers != 0
	if c.ptracerAny {
		shmem.AllowReaders()
	}
	var err error
	if d.table, err = newTable(); err != nil {
		return nil, err
	}
	if d.src, err = newSource(d); err != nil {
		d.table.close()
		return nil, err
	}
	d.nonce = newNonce()
	d.publish()
	if w != nil {
		d.part, d.eng, d.regions = true, w.Engine, w.Regions
		d.src.eng.Store(d.eng)
		return d, nil
	}
	var private func()
	if barriers&shmem.PrivateBarriers != 0 {
		private = shmem.PrivateBarrier
	}
	d.eng = driver.NewEngine(&info.Domain, d.src, private)
	d.src.eng.Store(d.eng)
	return d, nil
}

func (d *domain) Engine() *driver.Engine { return d.eng }

// Source is what the engine of a whole polls.
func (d *domain) Source() driver.Source { return d.src }

func (d *domain) OpenEndpoint(info *fi.Info) (driver.Endpoint, error) {
	return newEndpoint(d, info), nil
}

func (d *domain) OpenSharedRx(info *fi.Info) (driver.SharedRx, error) {
	x := rdm.NewRx(d.eng, info)
	x.SetBudget(d.cfg.budget(info.EP.Type))
	return x, nil
}

func (d *domain) QueryAtomic(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (fi.AtomicAttr, error) {
	k, err := fiatomic.Lookup(kind, dt, op)
	if err != nil {
		return fi.AtomicAttr{}, err
	}
	return k.Attr(driver.MaxAtomicSize), nil
}

func (d *domain) Resolve(ctx context.Context, node, service string, flags fi.InfoFlags) ([][]byte, error) {
	if why := systemNodes.elsewhere(ctx, node, flags); why != "" {
		return nil, &fi.Error{Op: "addr", Provider: Name, Err: fi.ErrHostUnreach, Hint: why + "; " + hereOnly}
	}
	raw, err := checkAddr([]byte(address(node, service)))
	return [][]byte{raw}, err
}

func (d *domain) CheckAddr(raw []byte) ([]byte, error) { return checkAddr(raw) }

func (d *domain) FormatAddr(raw []byte) string {
	if a, err := checkAddr(raw); err == nil {
		return string(a)
	}
	return ""
}

func (d *domain) Close() error {
	d.eng.Lock()
	d.closed = true
	d.eng.Unlock()
	if !d.part {
		d.eng.Close()
	}
	d.src.close()
	d.blocks.Lock()
	known := d.known
	d.known = nil
	d.blocks.Unlock()
	for _, b := range known {
		b.Forget(d)
	}
	if d.bulk != nil {
		d.bulk.close()
	}
	d.table.close()
	d.nonce.pin.Unpin()
	d.notes.Flush()
	return nil
}

// publish makes the present pairs visible to Ready. With the lock.
func (d *domain) publish() {
	w := &watched{pairs: make([]*pair, 0, len(d.pairs)), rings: make([]*ring.Rx, 0, len(d.pairs))}
	for _, p := range d.pairs {
		if !p.paused {
			w.pairs = append(w.pairs, p)
			w.rings = append(w.rings, &p.ring.Rx)
		}
	}
	for _, p := range d.pairs {
		if p.paused {
			w.pairs = append(w.pairs, p)
		}
	}
	d.src.watch.Store(w)
}

func (d *domain) addPair(p *pair) {
	d.pairs = append(d.pairs, p)
	if n := len(d.pairs); n > hotRings { // a new pair is about to be used
		d.pairs[0], d.pairs[n-1] = d.pairs[n-1], d.pairs[0]
	}
	d.publish()
}

// heat moves a pair that is in use to the rings that every poll looks at.
func (d *domain) heat(p *pair) {
	for i, q := range d.pairs {
		if q == p && i >= hotRings {
			to := int(d.cooled) % hotRings
			d.cooled++
			d.pairs[i], d.pairs[to] = d.pairs[to], d.pairs[i]
			d.publish()
			return
		}
	}
}

func (d *domain) removePair(p *pair) {
	for i, q := range d.pairs {
		if q == p {
			d.pairs = append(d.pairs[:i], d.pairs[i+1:]...)
			break
		}
	}
	d.publish()
}

func yield() {
	osx.SchedYield()
	runtime.Gosched()
}
