package stress

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// node is one rank in one round: what it has opened, and what it still has to do.
type node struct {
	*plan
	rank     int
	link     *link
	patience time.Duration
	opts     []fabric.Option
	info     *fi.Info
	fab      *fabric.Fabric
	dom      *fabric.Domain
	av       *fabric.AV
	eq       *fabric.EQ
	pep      *fabric.PassiveEndpoint
	queues   []*fabric.CQ
	ports    []*port

	// Of the phase.
	h       *phase
	mem     []byte // what peers read and write
	alloc   *mr.Memory
	region  *fabric.MR
	remote  []mr.Remote // by rank
	names   map[place]string
	addr    map[place]fi.Addr
	second  map[place]fi.Addr
	byAddr  map[fi.Addr]place
	left    atomic.Int64  // steps of ours that are not done
	moved   atomic.Uint64 // grows with every completion
	closing atomic.Bool   // the round's work is done: connections may end
	stop    atomic.Bool   // a fault was found, here or elsewhere
	over    atomic.Bool   // the threads of the phase shall end
	bad     atomic.Pointer[fault]
	mu      sync.Mutex       // guards the rest
	data    map[uint64]*step // remote writes whose data has not come
	fetched []fetched
	reads   [][]int // remote reads of ours, by place

	total totals
}

// totals are what a run has done.
type totals struct {
	Operations int64 `json:"operations"`
	Bytes      int64 `json:"bytes"`
}

// port is an endpoint: the one of a lane, or that of a lane for one peer where endpoints are connected.
type port struct {
	n        *node
	lane     int
	peer     int // -1: all
	ep       *fabric.Endpoint
	txq, rxq *fabric.CQ
	counters [len(counted)]*fabric.Counter
	want     [len(counted)]uint64
	wantErrs [len(counted)]uint64
	tx       *txStream
	rx       *rxStream
}

// Counters of a port.
const (
	cntSend = iota
	cntRecv
	cntRead
	cntWrite
	cntRemoteRead
	cntRemoteWrite
)

var counted = [...]fi.CountFlags{fi.CountSend, fi.CountRecv, fi.CountRead, fi.CountWrite, fi.CountRemoteRead, fi.CountRemoteWrite}

// fail notes a fault; the first one counts. It may be called by all threads.
func (n *node) fail(s *step, view, format string, args ...any) {
	f := &fault{Rank: n.rank, Step: -1, Text: fmt.Sprintf(format, args...), View: view}
	if s != nil {
		f.Step, f.What = s.ID, s.String()
	}
	if n.h != nil {
		f.Phase = n.h.Index
	}
	n.bad.CompareAndSwap(nil, f)
	n.stop.Store(true)
}

// open opens what the round needs, up to the endpoints.
func (n *node) open() error {
	info := n.info.Clone()
	info.Domain.Threading, info.Domain.Progress = n.Threading, n.Progress
	if n.Type == fi.EPRDM {
		info.Domain.AVType = fi.AVTable
		if n.AVMap {
			info.Domain.AVType = fi.AVMap
		}
	}
	n.info = info
	var err error
	if n.fab, err = fabric.Open(info, n.opts...); err != nil {
		return err
	}
	if n.dom, err = n.fab.OpenDomain(info); err != nil {
		return err
	}
	if n.Type == fi.EPMsg {
		if n.eq, err = n.fab.OpenEQ(nil); err != nil {
			return err
		}
	} else if n.av, err = n.dom.OpenAV(&fi.AVAttr{Type: info.Domain.AVType, Count: n.Ranks * n.Lanes}); err != nil {
		return err
	}
	if err := n.openPorts(); err != nil {
		return err
	}
	if n.Type == fi.EPMsg {
		return n.connect()
	}
	for _, p := range n.ports {
		if err := p.open(info); err != nil {
			return err
		}
		if err := p.ep.Enable(); err != nil {
			return err
		}
	}
	return nil
}

// openPorts makes the ports with their queues, without their endpoints.
func (n *node) openPorts() error {
	wait := fi.WaitNone
	if n.Wait {
		wait = fi.WaitUnspec
	}
	queue := func() (*fabric.CQ, error) {
		q, err := n.dom.OpenCQ(&fi.CQAttr{Format: fi.CQFormatTagged, WaitObj: wait})
		if err == nil {
			n.queues = append(n.queues, q)
		}
		return q, err
	}
	var one *fabric.CQ
	var err error
	if n.Queues == 0 {
		if one, err = queue(); err != nil {
			return err
		}
	}
	for lane := range n.Lanes {
		tx, rx := one, one
		if n.Queues > 0 {
			if tx, err = queue(); err != nil {
				return err
			}
			rx = tx
		}
		if n.Queues == 2 {
			if rx, err = queue(); err != nil {
				return err
			}
		}
		if n.Type != fi.EPMsg {
			n.ports = append(n.ports, &port{n: n, lane: lane, peer: -1, txq: tx, rxq: rx})
			continue
		}
		for peer := range n.Ranks {
			if peer != n.rank {
				n.ports = append(n.ports, &port{n: n, lane: lane, peer: peer, txq: tx, rxq: rx})
			}
		}
	}
	return nil
}

// open opens the port's endpoint and binds it.
func (p *port) open(info *fi.Info) (err error) {
	n := p.n
	if p.ep, err = n.dom.OpenEndpoint(info); err != nil {
		return err
	}
	tx := fi.BindTransmit
	if n.Selective {
		tx |= fi.BindSelectiveCompletion
	}
	if p.txq == p.rxq && !n.Selective {
		err = p.ep.BindCQ(p.txq, fi.BindTransmit|fi.BindRecv)
	} else if err = p.ep.BindCQ(p.txq, tx); err == nil {
		err = p.ep.BindCQ(p.rxq, fi.BindRecv)
	}
	if err != nil {
		return err
	}
	p.want, p.wantErrs = [len(counted)]uint64{}, [len(counted)]uint64{}
	for i, what := range counted {
		if i >= cntRemoteRead && n.Limits.Caps&fi.CapRMAEvent == 0 || i >= cntRead && n.Limits.Caps&(fi.CapRMA|fi.CapAtomic) == 0 {
			continue
		}
		if p.counters[i], err = n.dom.OpenCounter(nil); err != nil {
			return err
		}
		if err := p.ep.BindCounter(p.counters[i], what); err != nil {
			return err
		}
	}
	if err := p.ep.SetMinMultiRecv(multiMost); err != nil && !errors.Is(err, fi.ErrNoProtoOpt) {
		return err
	}
	if n.Type == fi.EPMsg {
		return p.ep.BindEQ(n.eq)
	}
	return p.ep.BindAV(n.av)
}

// at gives the port of this rank that is used between two places: by the lane of ours and the rank of the other.
func (n *node) at(lane, peer int) *port {
	for _, p := range n.ports {
		if p.lane == lane && (p.peer < 0 || p.peer == peer) {
			return p
		}
	}
	return nil
}

// close closes everything; what is pending at an endpoint must come back, cancelled, and once.
func (n *node) close() error {
	var errs []error
	for _, p := range n.ports {
		errs = append(errs, p.close())
	}
	n.drainAll()
	for _, p := range n.ports {
		p.rx.allBack()
	}
	if n.region != nil {
		errs = append(errs, n.closeRegion())
	}
	for _, q := range n.queues {
		errs = append(errs, q.Close())
	}
	if n.av != nil {
		errs = append(errs, n.av.Close())
	}
	if n.pep != nil {
		errs = append(errs, n.pep.Close())
	}
	if n.dom != nil {
		errs = append(errs, n.dom.Close())
	}
	if n.eq != nil {
		errs = append(errs, n.eq.Close())
	}
	if n.fab != nil {
		errs = append(errs, n.fab.Close())
	}
	return errors.Join(errs...)
}

// close closes the port's endpoint and counters.
func (p *port) close() error {
	if p.ep == nil {
		return nil
	}
	errs := []error{p.ep.Close()}
	p.ep = nil
	for i, c := range p.counters {
		if c != nil {
			errs = append(errs, c.Close())
			p.counters[i] = nil
		}
	}
	return errors.Join(errs...)
}
