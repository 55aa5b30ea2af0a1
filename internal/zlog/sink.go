package zlog

import (
	"log/slog"
	"time"

	"go.uber.org/zap/zapcore"
)

// Sink is where messages go, with what is let through. It is immutable. A nil Sink is silent.
type Sink struct {
	core   zapcore.Core
	limit  Level // the most talkative level that is let through
	prov   filter
	subsys filter
	also   *Sink
}

// FromCore makes a sink of a zap core, "logger.Core()": it gets everything that it enables.
func FromCore(core zapcore.Core) *Sink {
	for _, l := range []Level{Debug, Info, Warn} {
		if core != nil && core.Enabled(l.zap()) {
			return &Sink{core: core, limit: l}
		}
	}
	return nil
}

// FromSlog makes a sink of a handler of the standard library's logger.
func FromSlog(h slog.Handler) *Sink {
	if h == nil {
		return nil
	}
	return FromCore(slogCore{h})
}

// Tee makes a sink that writes to both.
func Tee(a, b *Sink) *Sink {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	joined := *a
	joined.also = Tee(a.also, b)
	return &joined
}

// Logger gives the handle with which a subsystem of a provider speaks; the library itself is provider "core".
func (s *Sink) Logger(prov string, sub Subsys) Logger {
	l := Logger{sink: s, prov: prov, subsys: sub, limit: off}
	for ; s != nil; s = s.also {
		if s.wants(prov, sub) {
			l.limit = max(l.limit, s.limit)
		}
	}
	return l
}

func (s *Sink) wants(prov string, sub Subsys) bool {
	return s.prov.passes(prov) && s.subsys.passes(sub.String())
}

// write hands an entry to every part of s that wants it.
func (s *Sink) write(l Level, at time.Time, prov string, sub Subsys, msg string, fields []zapcore.Field) {
	ent := zapcore.Entry{Level: l.zap(), Time: at, LoggerName: prov + ":" + sub.String(), Message: msg}
	for ; s != nil; s = s.also {
		if l > s.limit || !s.wants(prov, sub) {
			continue
		}
		// A core that cannot write has nobody to tell.
		if ce := s.core.Check(ent, nil); ce != nil {
			ce.Write(fields...)
		}
	}
}
