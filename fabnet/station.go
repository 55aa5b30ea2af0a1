package fabnet

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// station is what the connections of one domain share: its objects, and two goroutines that read its queues. It lives as
// long as one of them does.
type station struct {
	key  stationKey
	refs int // guarded by stations.mu

	fab *fabric.Fabric
	dom *fabric.Domain
	eq  *fabric.EQ
	cq  *fabric.CQ

	driving
	stop    context.CancelFunc // of the events' reader
	stopped atomic.Bool
	halt    chan struct{} // closed to stop the completions' reader
	readers sync.WaitGroup

	mu        sync.Mutex
	listeners map[*fabric.PassiveEndpoint]*listener // guarded by mu
	streams   map[*fabric.Endpoint]*Stream          // guarded by mu
}

// stationKey tells which connections may share.
type stationKey struct {
	provider, fabric, domain string
	dialer                   *Dialer // nil: one without wishes of its own
}

var stations = struct {
	mu   sync.Mutex
	open map[stationKey]*station
}{open: make(map[stationKey]*station)}

// stationFor gives the station of an Info; release gives it back.
func stationFor(info *fi.Info, d *Dialer) (*station, error) {
	k := stationKey{info.Fabric.ProvName, info.Fabric.Name, info.Domain.Name, nil}
	if d.Hints != nil || d.Options != nil {
		k.dialer = d
	}
	stations.mu.Lock()
	defer stations.mu.Unlock()
	if st := stations.open[k]; st != nil {
		st.refs++
		return st, nil
	}
	st := &station{key: k, refs: 1, listeners: make(map[*fabric.PassiveEndpoint]*listener), streams: make(map[*fabric.Endpoint]*Stream)}
	if err := st.begin(info, d.Options); err != nil {
		st.close()
		return nil, err
	}
	stations.open[k] = st
	return st, nil
}

func (st *station) begin(info *fi.Info, opts []fabric.Option) (err error) {
	if st.fab, err = fabric.Open(info, opts...); err != nil {
		return err
	}
	if st.dom, err = st.fab.OpenDomain(info); err != nil {
		return err
	}
	if st.eq, err = st.fab.OpenEQ(nil); err != nil {
		return err
	}
	if st.cq, err = st.dom.OpenCQ(&fi.CQAttr{Format: fi.CQFormatData, WaitObj: fi.WaitUnspec, Size: queueSize}); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	st.stop, st.halt = stop, make(chan struct{})
	st.driving.resident, st.driving.quiet = newWaiter(), make(chan struct{}, 1)
	st.readers.Go(func() { st.readCompletions(st.halt) })
	st.readers.Go(func() { st.readEvents(ctx) })
	return nil
}

// queueSize is how many sends of all connections may be under way.
const queueSize = 1 << 12

// hold takes the station for one more.
func (st *station) hold() {
	stations.mu.Lock()
	st.refs++
	stations.mu.Unlock()
}

// release gives it back. The last one closes it.
func (st *station) release() {
	stations.mu.Lock()
	st.refs--
	last := st.refs == 0
	if last {
		delete(stations.open, st.key)
	}
	stations.mu.Unlock()
	if last {
		st.close()
	}
}

func (st *station) close() {
	if st.stop != nil {
		st.stop()
		st.stopped.Store(true)
		close(st.halt)
		st.driving.resident.wake()
		st.readers.Wait()
	}
	if st.cq != nil {
		st.cq.Close()
	}
	if st.eq != nil {
		st.eq.Close()
	}
	if st.dom != nil {
		st.dom.Close()
	}
	if st.fab != nil {
		st.fab.Close()
	}
}

// pump hands out completions without waiting.
func (st *station) pump() {
	var entries [16]cq.Entry
	n, err := st.cq.Read(entries[:])
	st.completed(entries[:n], err)
}

// completed hands out what a read of the queue has given. More than one goroutine may be here: a connection puts what it
// receives in order.
func (st *station) completed(entries []cq.Entry, err error) {
	for i := range entries {
		switch e := &entries[i]; x := e.Context.(type) {
		case *slot:
			var h uint64
			if e.Flags&fi.CompRemoteCQData != 0 {
				h = e.Data
			}
			x.s.received(x, e.Len, h, nil)
		case *frame:
			x.s.sent(x, nil)
		}
	}
	if !errors.Is(err, fi.ErrAvail) {
		return
	}
	var bad cq.ErrEntry
	if st.cq.ReadErr(&bad) != nil {
		return
	}
	switch x := bad.Context.(type) {
	case *slot:
		x.s.received(x, 0, 0, &bad)
	case *frame:
		x.s.sent(x, &bad)
	}
}

// readEvents hands events to their connections and listeners, until ctx ends.
func (st *station) readEvents(ctx context.Context) {
	for ctx.Err() == nil {
		var e fi.EQEntry
		err := st.eq.SRead(ctx, &e, 0)
		if errors.Is(err, fi.ErrAvail) {
			bad := new(fi.EQErrEntry)
			if st.eq.ReadErr(bad) == nil {
				if s := st.stream(bad.FID); s != nil {
					s.fail(bad)
				}
			}
		}
		if err != nil {
			continue
		}
		switch e.Event {
		case fi.EventConnReq:
			st.mu.Lock()
			l := st.listeners[e.FID.(*fabric.PassiveEndpoint)]
			st.mu.Unlock()
			if l != nil {
				l.requested(&e)
			}
		case fi.EventConnected:
			if s := st.stream(e.FID); s != nil {
				s.connected(e.CMData)
			}
		case fi.EventShutdown:
			if s := st.stream(e.FID); s != nil {
				s.hungUp()
			}
		}
	}
}

func (st *station) stream(fid any) *Stream {
	ep, _ := fid.(*fabric.Endpoint)
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.streams[ep]
}

// open makes a connection's endpoint, with receives for all that its peer may send.
func (st *station) open(info *fi.Info) (*Stream, error) {
	ep, err := st.dom.OpenEndpoint(info)
	if err != nil {
		return nil, err
	}
	err = errors.Join(ep.BindEQ(st.eq), ep.BindCQ(st.cq, fi.BindTransmit|fi.BindRecv))
	if err == nil {
		err = ep.Enable()
	}
	if err != nil {
		ep.Close()
		return nil, err
	}
	s := newStream(st, ep, info)
	st.mu.Lock()
	st.streams[ep] = s
	st.mu.Unlock()
	return s, nil
}

// forget ends what open began.
func (st *station) forget(s *Stream) error {
	err := s.ep.Close()
	st.mu.Lock()
	delete(st.streams, s.ep)
	st.mu.Unlock()
	st.release()
	return err
}
