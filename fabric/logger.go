package fabric

import (
	"log/slog"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"go.uber.org/zap/zapcore"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/internal/zlog"
)

// WithLogger makes GetInfo, or Open and everything that is opened in the fabric, tell what they do to l, a *zap.Logger.
// At its level info that is a story of some five lines: what was chosen and why, what was opened, who connected by which
// roads, how it ended; warnings say what a user must know, debug says more. Without a logger, and without FI_LOG_LEVEL in
// the environment, nothing is ever written.
//
// The parameter is an interface so that programs that do not use zap do not link it. A nil logger is silent. Lines are
// written by whichever goroutine comes by, never on the path of a message, and never with a lock held.
func WithLogger(l interface{ Core() zapcore.Core }) Option {
	v := reflect.ValueOf(l)
	if l == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return func(*options) {}
	}
	return withLog(zlog.FromCore(l.Core()))
}

// WithSlog is [WithLogger] for a handler of the standard library's log/slog, such as slog.Default().Handler(). Provider
// and subsystem are the attributes "prov" and "subsys".
func WithSlog(h slog.Handler) Option { return withLog(zlog.FromSlog(h)) }

func withLog(s *zlog.Sink) Option {
	return func(o *options) { o.log = zlog.Tee(o.log, s) }
}

// logged completes the options: the variables add to what the program set.
func (o *options) logged() *options {
	o.log = zlog.Tee(o.log, zlog.Of(o.lookup))
	warnStrays(o)
	return o
}

// strays makes sure that a process warns of its unknown variables once.
var strays struct {
	told atomic.Bool
	list func() []envknob.Stray // found at the first use
}

func init() {
	strays.list = sync.OnceValue(func() []envknob.Stray { return envknob.Unknown(os.Environ()) })
}

// warnStrays warns of variables that look misspelled. Others may belong to the C library, and are left to debug.
func warnStrays(o *options) {
	log := o.log.Logger("core", zlog.Core)
	if o.ownEnv || !log.On(zlog.Warn) || strays.told.Swap(true) {
		return
	}
	for _, s := range strays.list() {
		if s.Nearest != "" {
			log.Warn(s.String())
		} else {
			log.Debug(s.String())
		}
	}
}

// logRejected tells who does not match.
func (o *options) logRejected(rejected []fi.Rejection) {
	if log := o.log.Logger("core", zlog.Core); log.On(zlog.Debug) {
		for _, r := range rejected {
			log.Debug("does not match", "reason", r)
		}
	}
}

// logFound tells what GetInfo chose and why.
func (o *options) logFound(infos []*fi.Info, rejected []fi.Rejection) {
	log := o.log.Logger("core", zlog.Core)
	if !log.On(zlog.Info) {
		return
	}
	var names []string
	for _, i := range infos {
		if n := len(names); n == 0 || names[n-1] != i.Fabric.ProvName {
			names = append(names, i.Fabric.ProvName)
		}
	}
	var reason string
	switch {
	case len(names) > 1:
		reason = "first of " + strings.Join(names, ", ") + ", which all match, in the order of speed"
	case len(rejected) > 0:
		reason = "the only one that matches; " + rejected[0].String()
	default:
		reason = "the only one that is registered"
	}
	i := infos[0]
	log.Info("provider chosen", "provider", i.Fabric.ProvName, "domain", i.Domain.Name, "type", i.EP.Type, "reason", reason)
}

// setLog hands the log to a provider that takes one.
func (f *Fabric) setLog(log *zlog.Sink) {
	f.log = log
	if s, ok := f.drv.(driver.LogSetter); ok {
		s.SetLog(log)
	}
}

// logger is the handle with which an object speaks for its provider.
func (o *object) logger(sub zlog.Subsys) zlog.Logger { return o.log.Logger(o.prov, sub) }

// address is the endpoint's own as text; empty before Enable.
func (c *epCore) address() string {
	if c.drv == nil { // a context that does not work yet
		return ""
	}
	name, err := c.drv.Name()
	if err != nil {
		return ""
	}
	return c.domain.drv.FormatAddr(name)
}
