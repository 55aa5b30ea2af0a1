package profile

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/hook/wrap"
)

// Name is the hook's name in FI_HOOK.
const Name = "profile"

// Provider is a provider with the hook before it.
type Provider struct {
	*wrap.Provider
	p *profiler
}

// New puts the hook before a provider. The table goes to w when the provider's last fabric closes; with a nil w it is
// written by [Provider.Report] only.
func New(inner driver.Provider, w io.Writer) *Provider {
	p := &profiler{w: w, name: inner.Name(), began: time.Now()}
	return &Provider{wrap.New(inner, Name, p), p}
}

// Report writes the table of what was counted since the first fabric was opened, or since all were closed. Errors: those
// of w.
func (p *Provider) Report(w io.Writer) error { return p.p.report(w) }

// profiler counts.
type profiler struct {
	wrap.Nothing
	w     io.Writer
	name  string
	cells [wrap.APIs][wrap.Buckets]atomic.Pointer[cell]

	mu    sync.Mutex
	open  int       // fabrics; guarded by mu
	began time.Time // guarded by mu
}

// cell counts calls of one kind and class of sizes.
type cell struct {
	count, bytes  atomic.Uint64
	again, failed atomic.Uint64
	times         histogram
}

// at gives the cell of a call.
func (p *profiler) at(a wrap.API, size int) *cell {
	at := &p.cells[a][wrap.Bucket(size)]
	c := at.Load()
	for c == nil {
		at.CompareAndSwap(nil, new(cell))
		c = at.Load()
	}
	return c
}

// add counts a call that was done.
func (c *cell) add(bytes int) {
	c.count.Add(1)
	c.bytes.Add(uint64(bytes))
}

// Called counts a call that is no operation.
func (p *profiler) Called(c *wrap.Call) {
	if c.API == wrap.Fabric && c.Err == nil {
		p.opened()
	}
	at := p.at(c.API, 0)
	at.add(0)
	at.times.add(c.Took)
	if c.Err != nil {
		at.failed.Add(1)
	}
	if c.API == wrap.FabricClose && c.Err == nil {
		p.closed()
	}
}

func (p *profiler) opened() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open++; p.open == 1 {
		p.began = time.Now()
	}
}

// closed writes the table when the last fabric was closed, and begins again.
func (p *profiler) closed() {
	p.mu.Lock()
	p.open--
	last := p.open == 0
	p.mu.Unlock()
	if !last {
		return
	}
	if p.w != nil {
		p.report(p.w) //nolint:errcheck // nobody to tell
	}
	for a := range p.cells {
		for b := range p.cells[a] {
			p.cells[a][b].Store(nil)
		}
	}
}

// Posted counts an operation that was refused, or that reports nothing.
func (p *profiler) Posted(o *wrap.Op, err error) {
	switch {
	case err == fi.ErrAgain: //nolint:errorlint // providers give it bare
		p.at(o.API, o.Size).again.Add(1)
	case err != nil:
		p.at(o.API, o.Size).failed.Add(1)
	case !o.Completes():
		c := p.at(o.API, o.Size)
		c.add(o.Size)
		c.times.add(time.Since(o.Start))
	}
}

// Completed counts an operation that is done.
func (p *profiler) Completed(o *wrap.Op, c *wrap.Completion) {
	if o == nil {
		return
	}
	size := o.Size
	if o.API.Receives() {
		size = c.Entry.Len
	}
	at := p.at(o.API, size)
	if c.IsErr {
		at.failed.Add(1)
		return
	}
	at.add(size)
	if !o.Multi() {
		at.times.add(time.Since(o.Start))
	}
}
