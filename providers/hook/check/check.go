package check

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
	"github.com/gofabric/gofabric/providers/hook/wrap"
)

// Name is the hook's name in FI_HOOK.
const Name = "check"

// logName is the name under which it logs.
const logName = "ofi_hook_check"

// Kind is what a report is about, as the package's remarks list them.
type Kind string

// Kinds of reports.
const (
	Context   Kind = "context"
	Overlap   Kind = "overlap"
	Changed   Kind = "changed"
	Closed    Kind = "close"
	Bind      Kind = "bind"
	Undrained Kind = "undrained"
	MR        Kind = "mr"
)

// Report is a rule that the program has broken.
type Report struct {
	Kind      Kind
	Place     string // where, "main.go:44"
	Text      string // what, and what to do instead
	Operation uint64 // the operation in flight that it is about; 0 for none
	Posted    string // where that was posted
}

// String gives one line: "main.go:44: context reused while operation 17 is in flight (posted at main.go:31): ...".
func (r Report) String() string { return r.Place + ": " + r.Text }

// New puts the hook before a provider. Reports go to report, one at a time, and to the log of the fabric; report may be
// nil, and must not close a fabric.
func New(inner driver.Provider, report func(Report)) *wrap.Provider {
	return wrap.New(inner, Name, &checker{report: report, told: map[string]bool{}, contexts: map[any]*flight{},
		eps: map[string]*endpoint{}})
}

// checker knows what is in flight.
type checker struct {
	report func(Report)
	log    atomic.Pointer[driver.Log]
	later  wrap.Later
	told   map[string]bool // by kind and place; used by what later does

	mu       sync.Mutex // order: after a domain's lock; nobody is called with it held
	contexts map[any]*flight
	spans    spans
	eps      map[string]*endpoint
}

// endpoint is what is known of an endpoint or a shared receive context.
type endpoint struct {
	domain  string
	b       *driver.Bindings // when it is enabled
	address string
	quiet   bool    // a queue of it was told of, or it closes, which completes everything
	flights flights // begun here
}

// flight is an operation in flight.
type flight struct {
	n       uint64
	api     wrap.API
	ep      *endpoint
	context any // nil when it is not in contexts
	place   wrap.Place
	sent    [][]byte // what is compared
	sum     uint64
	descs   []fi.Desc
	peer    fi.Addr
	keys    []uint64
	spans   []*span

	prev, next *flight
}

// flights is a list.
type flights struct{ first *flight }

func (l *flights) add(f *flight) {
	if f.next = l.first; f.next != nil {
		f.next.prev = f
	}
	l.first = f
}

func (l *flights) remove(f *flight) {
	if f.prev != nil {
		f.prev.next = f.next
	} else if l.first == f {
		l.first = f.next
	}
	if f.next != nil {
		f.next.prev = f.prev
	}
	f.prev, f.next = nil, nil
}

// SetLog takes the log of the fabric that was opened last.
func (c *checker) SetLog(log *driver.Log) { c.log.Store(log) }

// finding is what a report is made of.
type finding struct {
	kind  Kind
	place wrap.Place
	text  string  // with OPERATION where the one in flight shall be named
	of    *flight // the one in flight
}

// write makes a report, once for a place. By what later does only.
func (c *checker) write(x finding) {
	r := Report{Kind: x.kind, Place: x.place.String(), Text: x.text}
	key := string(r.Kind) + " " + r.Place
	if c.told[key] {
		return
	}
	c.told[key] = true
	if x.of != nil {
		r.Operation, r.Posted = x.of.n, x.of.place.String()
		who := fmt.Sprintf("operation %d is in flight (posted at %s)", r.Operation, r.Posted)
		r.Text = strings.Replace(r.Text, "OPERATION", who, 1)
	}
	c.log.Load().Logger(logName, driver.LogEPData).Warn(r.String())
	if c.report != nil {
		c.report(r)
	}
}

// tell reports from where no lock is held.
func (c *checker) tell(found []finding) {
	if len(found) > 0 {
		c.later.Now(func() {
			for _, x := range found {
				c.write(x)
			}
		})
	}
}

// tellLater reports from where the domain's lock is held.
func (c *checker) tellLater(x finding) { c.later.Do(func() { c.write(x) }) }

// Calling looks at what is about to be closed.
func (c *checker) Calling(call *wrap.Call) {
	switch call.API {
	case wrap.Close:
		c.tell(c.closing(call.Object))
	case wrap.MRClose:
		if r, ok := call.Target.(*mr.Region); ok {
			c.tell(c.closingMR(call.Parent, r))
		}
	}
}

// Called remembers what is opened.
func (c *checker) Called(call *wrap.Call) {
	switch call.API {
	case wrap.Endpoint, wrap.SharedRx:
		if call.Err == nil {
			c.mu.Lock()
			c.eps[call.Object] = &endpoint{domain: call.Parent}
			c.mu.Unlock()
		}
	case wrap.Enable:
		c.enabled(call)
	case wrap.Close:
		c.mu.Lock()
		if e := c.eps[call.Object]; e != nil && call.Err == nil {
			for e.flights.first != nil { // what was not reported will not be any more
				c.forget(e.flights.first)
			}
			delete(c.eps, call.Object)
		}
		c.mu.Unlock()
	case wrap.FabricClose:
		c.later.Settle()
	}
}

// enabled learns what is bound, or reports what is not.
func (c *checker) enabled(call *wrap.Call) {
	b, given := call.Target.(*driver.Bindings)
	if !given {
		if errors.Is(call.Err, fi.ErrNoAV) || errors.Is(call.Err, fi.ErrNoEQ) || errors.Is(call.Err, fi.ErrNoCQ) {
			c.tell([]finding{{kind: Bind, place: wrap.Here(), text: call.Err.Error()}})
		}
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.eps[call.Object]; e != nil && call.Err == nil {
		copied := *b
		e.b, e.address = &copied, string(call.Name)
	}
}

// closing reports operations that an endpoint has begun and that have not ended.
func (c *checker) closing(name string) []finding {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.eps[name]
	if e == nil {
		return nil
	}
	e.quiet = true
	var oldest *flight
	n := 0
	for f := e.flights.first; f != nil; f = f.next {
		if !f.api.Receives() {
			oldest = f
			n++
		}
	}
	if oldest == nil {
		return nil
	}
	text := "endpoint closed while OPERATION: read its completion first, or it is not known whether it was done"
	if n > 1 {
		text = fmt.Sprintf("endpoint closed while OPERATION, and %d more: read their completions first, or it is not known which were done", n-1)
	}
	return []finding{{Closed, wrap.Here(), text, oldest}}
}

// closingMR reports operations that use a region.
func (c *checker) closingMR(domain string, r *mr.Region) []finding {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.eps {
		for f := e.flights.first; f != nil; f = f.next {
			if e.domain == domain && uses(f, r) || c.targets(f, domain, r) {
				return []finding{{MR, wrap.Here(), "memory region closed while OPERATION uses it: wait for the completion, and of peers' accesses for their word", f}}
			}
		}
	}
	return nil
}

// uses tells whether an operation has the region's descriptor.
func uses(f *flight, r *mr.Region) bool {
	return slices.Contains(f.descs, fi.Desc(r.Key))
}

// targets tells whether an operation accesses the region from this process.
func (c *checker) targets(f *flight, domain string, r *mr.Region) bool {
	if len(f.keys) == 0 || f.ep.b == nil || f.ep.b.AV == nil {
		return false
	}
	raw, ok := f.ep.b.AV.Lookup(f.peer)
	if !ok {
		return false
	}
	for _, key := range f.keys {
		if key != r.Key {
			continue
		}
		for _, e := range c.eps {
			if e.domain == domain && e.address != "" && e.address == string(raw) {
				return true
			}
		}
	}
	return false
}

// comparableContext tells whether a context can be found again, and is one of its own.
func comparableContext(ctx any) bool {
	if ctx == nil {
		return false
	}
	v := reflect.ValueOf(ctx)
	if v.Kind() == reflect.Pointer && v.Type().Elem().Size() == 0 { // all of these may be one
		return false
	}
	return v.Comparable()
}
