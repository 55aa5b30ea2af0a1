package monitor

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/monfile"
	"github.com/gofabric/gofabric/providers/hook/wrap"
)

// Name is the hook's name in FI_HOOK.
const Name = "monitor"

// logName is the name under which it logs, as libfabric has it.
const logName = "ofi_hook_monitor"

// every is how often the file is looked after.
const every = 250 * time.Millisecond

// Provider is a provider with the hook before it.
type Provider struct {
	*wrap.Provider
	m *monitor
}

// New puts the hook before a provider. env is where FI_OFI_HOOK_MONITOR_BASEPATH is looked up, os.LookupEnv for one.
func New(inner driver.Provider, env func(string) (string, bool)) *Provider {
	m := &monitor{env: env, name: inner.Name()}
	return &Provider{wrap.New(inner, Name, m), m}
}

// Count is how often a call was made with a class of sizes.
type Count = monfile.Count

// Counts gives what was counted since the first fabric was opened, in the order of calls and sizes; nothing when all are
// closed.
func (p *Provider) Counts() []Count { return p.m.counts() }

// Ops gives the counts of operations by kinds, in the words of the Stats of endpoints: all endpoints together. What has
// failed is not among them, nor what passes no hook, such as the messages that collectives are made of.
func (p *Provider) Ops() (t fi.OpTable) {
	for a := range p.m.cells {
		k, ok := wrap.API(a).Kind()
		if !ok {
			continue
		}
		for b := range p.m.cells[a] {
			t[k].Done += p.m.cells[a][b].count.Load()
			t[k].Bytes += p.m.cells[a][b].bytes.Load()
		}
	}
	return t
}

// monitor counts, and has a goroutine that writes while a fabric is open.
type monitor struct {
	wrap.Nothing
	env   func(string) (string, bool)
	name  string
	cells [wrap.APIs][wrap.Buckets]struct{ count, bytes atomic.Uint64 }
	news  atomic.Bool
	log   atomic.Pointer[driver.Log]

	mu   sync.Mutex
	open int           // fabrics; guarded by mu
	stop chan struct{} // guarded by mu
	done chan struct{} // guarded by mu
}

// SetLog takes the log of the fabric that was opened last.
func (m *monitor) SetLog(log *driver.Log) { m.log.Store(log) }

func (m *monitor) add(a wrap.API, bytes int) {
	c := &m.cells[a][wrap.Bucket(bytes)]
	c.count.Add(1)
	c.bytes.Add(uint64(bytes))
	if !m.news.Load() {
		m.news.Store(true)
	}
}

// Called counts a call that is no operation.
func (m *monitor) Called(c *wrap.Call) {
	if c.Err != nil {
		return
	}
	m.add(c.API, 0)
	switch c.API {
	case wrap.Fabric:
		m.mu.Lock()
		m.open++
		m.mu.Unlock()
	case wrap.Domain, wrap.Passive: // the fabric has its log by now
		m.start()
	case wrap.FabricClose:
		m.closed()
	}
}

// Posted counts an operation that was accepted; a receive that completes counts then.
func (m *monitor) Posted(o *wrap.Op, err error) {
	if err == nil && !(o.API.Receives() && o.Completes()) {
		m.add(o.API, o.Size)
	}
}

// Completed counts a receive.
func (m *monitor) Completed(o *wrap.Op, c *wrap.Completion) {
	if o != nil && !c.IsErr && o.API.Receives() {
		m.add(o.API, c.Entry.Len)
	}
}

func (m *monitor) counts() []Count {
	var out []Count
	for a := range m.cells {
		for b := range m.cells[a] {
			n := m.cells[a][b].count.Load()
			if n == 0 {
				continue
			}
			c := Count{Call: wrap.API(a).String(), Count: n}
			if wrap.API(a).IsOp() {
				c.Size, c.Bytes = wrap.BucketName(b), m.cells[a][b].bytes.Load()
			}
			out = append(out, c)
		}
	}
	return out
}

// start shows the figures from now on.
func (m *monitor) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stop != nil {
		return
	}
	m.stop, m.done = make(chan struct{}), make(chan struct{})
	go m.show(time.Now(), m.stop, m.done)
}

// closed ends that with the last one.
func (m *monitor) closed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open--; m.open > 0 {
		return
	}
	if m.stop != nil {
		close(m.stop)
		<-m.done
		m.stop = nil
	}
	for a := range m.cells {
		for b := range m.cells[a] {
			m.cells[a][b].count.Store(0)
			m.cells[a][b].bytes.Store(0)
		}
	}
}

// show writes the file while there is news, until stop is closed.
func (m *monitor) show(since time.Time, stop, done chan struct{}) {
	defer close(done)
	dir, err := monfile.Make(m.env)
	if err == nil {
		_, err = dir.List() // sweeps
	}
	if err != nil {
		m.warn(err)
		return
	}
	defer dir.Remove(m.name)
	tick := time.NewTicker(every)
	defer tick.Stop()
	m.news.Store(true)
	for {
		if m.news.Swap(false) {
			f := &monfile.Figures{Provider: m.name, Program: filepath.Base(os.Args[0]), Since: since, Counts: m.counts()}
			err := dir.Write(f)
			if errors.Is(err, os.ErrNotExist) { // the last one there has just removed the folder
				if _, err = monfile.Make(m.env); err == nil {
					err = dir.Write(f)
				}
			}
			if err != nil {
				m.warn(err)
				return
			}
		}
		select {
		case <-tick.C:
		case <-stop:
			return
		}
	}
}

func (m *monitor) warn(err error) {
	m.log.Load().Logger(logName, driver.LogFabric).Warn("figures are not shown", "reason", err)
}
