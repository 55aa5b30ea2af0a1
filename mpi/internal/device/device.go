package device

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// Config says who a member is and how it learns the others' addresses.
type Config struct {
	Rank, Size int
	Provider   string // empty: the first that reaches all
	// Exchange gives the value of every member for one's own, in the order of ranks. All members call it.
	Exchange func(ctx context.Context, mine []byte) ([][]byte, error)
	Fabric   []fabric.Option

	Watchdog time.Duration       // how long a wait is no reason to worry; 0: for ever
	Report   func(report string) // gets what the watchdog has found
}

// Device is a member's endpoint. All methods may be called by any goroutine.
type Device struct {
	Rank, Size int
	Inject     int // bytes that Send takes over at once

	info   *fi.Info
	fabric *fabric.Fabric
	domain *fabric.Domain
	ep     *fabric.Endpoint
	queue  *fabric.CQ
	av     *fabric.AV
	addrs  []fi.Addr // by rank
	ranks  []int     // by address, where the numbers are small; else nil
	rankOf map[fi.Addr]int

	token   sync.Mutex // guards what follows: who has it drives
	entries [8]cq.Entry
	looks   uint32

	polls   atomic.Uint32 // looks at the queue by those who wait: tells the device's own goroutine that it is not needed
	backlog backlog
	back    background
	sends   atomic.Int64 // sends with a completion that are not over
	control control
	asks    asks
	failed  failures
	scopes  scopes
	stalls  stalls
	news    news
	closed  atomic.Bool
	gone    chan struct{} // closed with the device

	serveOnce sync.Once
}

// Open opens an endpoint, tells the others its address and takes theirs.
//
// Errors: those of package fabric; what Exchange returns; an address that cannot be.
func Open(ctx context.Context, c Config) (d *Device, err error) {
	d = &Device{Rank: c.Rank, Size: c.Size, gone: make(chan struct{})}
	defer func(opened *Device) {
		if err != nil {
			err = errors.Join(err, opened.release())
		}
	}(d)
	if err := d.open(ctx, &c); err != nil {
		return nil, err
	}
	name, err := d.ep.Name()
	if err != nil {
		return nil, err
	}
	all, err := c.Exchange(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(all) != c.Size {
		return nil, fmt.Errorf("mpi: %d addresses for %d ranks", len(all), c.Size)
	}
	if err := distinct(d.Provider(), all); err != nil {
		return nil, err
	}
	d.addrs = make([]fi.Addr, c.Size)
	if _, err := d.av.Insert(all, d.addrs, 0); err != nil {
		return nil, fmt.Errorf("mpi: an address that another rank published cannot be used: do all run the same version? %w", err)
	}
	d.index()
	d.failed.init(c.Size)
	d.asks.init(c.Size)
	d.stalls.init(c.Watchdog, c.Report)
	if err := d.listen(); err != nil {
		return nil, err
	}
	d.back.start(d)
	return d, nil
}

const caps = fi.CapTagged | fi.CapRMA | fi.CapAtomic | fi.CapDirectedRecv | fi.CapSource

func (d *Device) open(ctx context.Context, c *Config) error {
	hints := &fi.Hints{
		Caps: caps,
		EP:   &fi.EPAttr{Type: fi.EPRDM},
		Tx:   &fi.TxAttr{MsgOrder: fi.OrderSAS},
		Rx:   &fi.RxAttr{MsgOrder: fi.OrderSAS},
		Domain: &fi.DomainAttr{
			CQDataSize: 4,
			Threading:  fi.ThreadSafe,
			Progress:   fi.ProgressAuto,
			AVType:     fi.AVTable,
		},
	}
	if c.Provider != "" {
		hints.Fabric = &fi.FabricAttr{ProvName: c.Provider}
	}
	infos, err := fabric.GetInfo(ctx, hints, c.Fabric...)
	if err != nil {
		return err
	}
	d.info = infos[0]
	if d.fabric, err = fabric.Open(d.info, c.Fabric...); err != nil {
		return err
	}
	if d.domain, err = d.fabric.OpenDomain(d.info); err != nil {
		return err
	}
	if d.queue, err = d.domain.OpenCQ(&fi.CQAttr{Format: fi.CQFormatTagged, WaitObj: fi.WaitUnspec}); err != nil {
		return err
	}
	if d.av, err = d.domain.OpenAV(&fi.AVAttr{Type: fi.AVTable, Count: c.Size}); err != nil {
		return err
	}
	if d.ep, err = d.domain.OpenEndpoint(d.info); err != nil {
		return err
	}
	if err := errors.Join(d.ep.BindCQ(d.queue, fi.BindTransmit|fi.BindRecv), d.ep.BindAV(d.av), d.ep.Enable()); err != nil {
		return err
	}
	d.Inject = int(min(d.ep.InjectSizes().Tagged, injectMost))
	return nil
}

// injectMost bounds what is copied instead of being waited for.
const injectMost = 4096

// index makes the way from addresses to ranks.
func (d *Device) index() {
	d.rankOf = make(map[fi.Addr]int, len(d.addrs))
	d.ranks = make([]int, len(d.addrs))
	for r, a := range d.addrs {
		d.rankOf[a] = r
		if d.ranks != nil && a < fi.Addr(len(d.addrs)) {
			d.ranks[a] = r
		} else {
			d.ranks = nil
		}
	}
}

func (d *Device) rank(a fi.Addr) int {
	if a < fi.Addr(len(d.ranks)) {
		return d.ranks[a]
	}
	if r, ok := d.rankOf[a]; ok {
		return r
	}
	return AnyPeer
}

// Provider is the name of the provider in use.
func (d *Device) Provider() string { return d.info.Fabric.ProvName }

// Domain is where regions are registered.
func (d *Device) Domain() *fabric.Domain { return d.domain }

// Endpoint is for remote access; its messages belong to the device.
func (d *Device) Endpoint() *fabric.Endpoint { return d.ep }

// Addr is the address of a rank.
func (d *Device) Addr(rank int) fi.Addr { return d.addrs[rank] }

// Drain waits until what was sent is out of the caller's memory, up to ctx.
func (d *Device) Drain(ctx context.Context) error {
	return d.Until(ctx, func() bool { return d.sends.Load() == 0 && d.backlog.empty() })
}

// Close releases everything. Operations that are not over never complete.
func (d *Device) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	close(d.gone)
	d.back.stop(d)
	return d.release()
}

func (d *Device) release() error {
	var errs []error
	if d.ep != nil {
		errs = append(errs, d.ep.Close())
	}
	if d.av != nil {
		errs = append(errs, d.av.Close())
	}
	if d.queue != nil {
		errs = append(errs, d.queue.Close())
	}
	if d.domain != nil {
		errs = append(errs, d.domain.Close())
	}
	if d.fabric != nil {
		errs = append(errs, d.fabric.Close())
	}
	return errors.Join(errs...)
}
