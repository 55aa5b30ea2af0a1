package zlog

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"
)

// slogCore is a zap core over a handler of the standard library's logger. The logger's name becomes the attributes
// "prov" and "subsys".
type slogCore struct{ h slog.Handler }

func slogLevel(l zapcore.Level) slog.Level {
	switch {
	case l >= zapcore.ErrorLevel:
		return slog.LevelError
	case l == zapcore.WarnLevel:
		return slog.LevelWarn
	case l == zapcore.InfoLevel:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

func (c slogCore) Enabled(l zapcore.Level) bool {
	return c.h.Enabled(context.Background(), slogLevel(l))
}

func (c slogCore) With(f []zapcore.Field) zapcore.Core { return slogCore{c.h.WithAttrs(attrs(f))} }

func (c slogCore) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return ce.AddCore(e, c)
	}
	return ce
}

func (c slogCore) Sync() error { return nil }

func (c slogCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	r := slog.NewRecord(e.Time, slogLevel(e.Level), e.Message, 0)
	if e.LoggerName != "" {
		prov, sub, _ := strings.Cut(e.LoggerName, ":")
		r.AddAttrs(slog.String("prov", prov), slog.String("subsys", sub))
	}
	r.AddAttrs(attrs(fields)...)
	return c.h.Handle(context.Background(), r)
}

func attrs(fields []zapcore.Field) []slog.Attr {
	list := make([]slog.Attr, 0, len(fields))
	for _, f := range fields {
		if f.Type == zapcore.SkipType {
			continue
		}
		m := zapcore.NewMapObjectEncoder()
		f.AddTo(m)
		list = append(list, slog.Any(f.Key, m.Fields[f.Key]))
	}
	return list
}

// Handler gives the sink as a handler of the standard library's logger, for code that is to know no other: what it
// writes comes from subsystem sub of provider prov. Groups become prefixes, "group.key".
func (s *Sink) Handler(prov string, sub Subsys) slog.Handler {
	return sinkHandler{log: s.Logger(prov, sub)}
}

type sinkHandler struct {
	log    Logger
	prefix string
	fields []zapcore.Field
}

func (h sinkHandler) Enabled(_ context.Context, l slog.Level) bool { return h.log.On(fromSlog(l)) }

func (h sinkHandler) Handle(_ context.Context, r slog.Record) error {
	level := fromSlog(r.Level)
	if !h.log.On(level) {
		return nil
	}
	fields := append([]zapcore.Field{levelField(level)}, h.fields...)
	r.Attrs(func(a slog.Attr) bool { fields = appendAttr(fields, h.prefix, a); return true })
	at := r.Time
	if at.IsZero() {
		at = time.Now()
	}
	h.log.sink.write(level, at, h.log.prov, h.log.subsys, r.Message, fields)
	return nil
}

func (h sinkHandler) WithAttrs(as []slog.Attr) slog.Handler {
	h.fields = h.fields[:len(h.fields):len(h.fields)]
	for _, a := range as {
		h.fields = appendAttr(h.fields, h.prefix, a)
	}
	return h
}

func (h sinkHandler) WithGroup(name string) slog.Handler {
	if name != "" {
		h.prefix += name + "."
	}
	return h
}

func appendAttr(fields []zapcore.Field, prefix string, a slog.Attr) []zapcore.Field {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, b := range v.Group() {
			fields = appendAttr(fields, prefix, b)
		}
		return fields
	}
	if a.Equal(slog.Attr{}) {
		return fields
	}
	return append(fields, field(prefix+a.Key, v.Any()))
}
