package trace

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
	"github.com/gofabric/gofabric/providers/hook/wrap"
)

// Name is the hook's name in FI_HOOK.
const Name = "trace"

// logName is the name under which it logs, as libfabric has it.
const logName = "ofi_hook_trace"

// New puts the hook before a provider. Lines go to w, or with a nil w to the log of the fabric that is opened. w must be
// ready for calls of several goroutines, one at a time.
func New(inner driver.Provider, w io.Writer) *wrap.Provider {
	t := &tracer{w: w}
	t.log.Store(zlog.Env()) // until a fabric is opened
	return wrap.New(inner, Name, t)
}

// tracer writes the lines.
type tracer struct {
	w     io.Writer
	log   atomic.Pointer[driver.Log]
	later wrap.Later
}

// SetLog takes the log of the fabric that was opened last.
func (t *tracer) SetLog(log *driver.Log) { t.log.Store(log) }

// on tells whether anybody reads lines of a part.
func (t *tracer) on(sub driver.Subsys) bool {
	return t.w != nil || t.log.Load().Logger(logName, sub).On(driver.LevelTrace)
}

// line writes a line.
func (t *tracer) line(sub driver.Subsys, text string) {
	if t.w != nil {
		fmt.Fprintln(t.w, text) //nolint:errcheck // nobody to tell
		return
	}
	t.log.Load().Logger(logName, sub).Trace(text)
}

// Calling does nothing: a call is told with its result.
func (t *tracer) Calling(*wrap.Call) {}

// Called tells of a call.
func (t *tracer) Called(c *wrap.Call) {
	if sub := subsys(c.API); t.on(sub) {
		text := call(c)
		t.later.Now(func() { t.line(sub, text) })
	}
	if c.API == wrap.FabricClose {
		t.later.Settle()
	}
}

// Posting does nothing.
func (t *tracer) Posting(*wrap.Op) {}

// Posted tells of an operation.
func (t *tracer) Posted(o *wrap.Op, err error) {
	if t.on(driver.LogEPData) {
		text := operation(o, err)
		t.later.Now(func() { t.line(driver.LogEPData, text) })
	}
}

// Completed tells of a completion, a little later: the domain's lock is held.
func (t *tracer) Completed(o *wrap.Op, c *wrap.Completion) {
	if !t.on(driver.LogEPData) {
		return
	}
	var text string
	if o != nil {
		text = fmt.Sprintf("operation %d (%v, %s) completed: %s, after %v", o.N, o.API, c.EP, entry(c.Entry, c.IsErr, o.Context), time.Since(o.Start))
	} else {
		text = "completed at " + c.EP + ": " + entry(c.Entry, c.IsErr, c.Entry.Context)
	}
	t.later.Do(func() { t.line(driver.LogEPData, text) })
}

// subsys is the part of a provider that a call is about.
func subsys(a wrap.API) driver.Subsys {
	switch a {
	case wrap.GetInfo, wrap.Fabric, wrap.FabricClose, wrap.SetTLS:
		return driver.LogFabric
	case wrap.Domain, wrap.DomainClose, wrap.QueryAtomic:
		return driver.LogDomain
	case wrap.MRReg, wrap.MRClose, wrap.MRMap:
		return driver.LogMR
	case wrap.AVInsertSvc, wrap.CheckAddr:
		return driver.LogAV
	}
	return driver.LogEPCtrl
}

// result is an error as C's calls return it.
func result(err error) string {
	if err == nil {
		return "0"
	}
	if e, ok := err.(fi.Errno); ok { //nolint:errorlint // a bare one has a short name
		return e.Name()
	}
	return err.Error()
}
