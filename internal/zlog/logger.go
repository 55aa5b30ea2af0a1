package zlog

import (
	"fmt"
	"time"

	"go.uber.org/zap/zapcore"
)

// Logger is the handle of one subsystem of one provider. Copy it freely; the zero Logger is silent.
type Logger struct {
	sink   *Sink
	prov   string
	subsys Subsys
	limit  Level // off when nothing passes
}

// On tells whether a message of the level would go anywhere.
func (l Logger) On(level Level) bool { return level <= l.limit }

// Warn tells that something is wrong or degraded. kv are pairs of a name and a value, as for the other levels.
func (l Logger) Warn(msg string, kv ...any) {
	if l.On(Warn) {
		l.write(Warn, msg, kv)
	}
}

// Trace tells a step of set-up.
func (l Logger) Trace(msg string, kv ...any) {
	if l.On(Trace) {
		l.write(Trace, msg, kv)
	}
}

// Info tells what was chosen and why.
func (l Logger) Info(msg string, kv ...any) {
	if l.On(Info) {
		l.write(Info, msg, kv)
	}
}

// Debug tells what only a developer of this module wants to know.
func (l Logger) Debug(msg string, kv ...any) {
	if l.On(Debug) {
		l.write(Debug, msg, kv)
	}
}

//go:noinline
func (l Logger) write(level Level, msg string, kv []any) {
	fields := make([]zapcore.Field, 0, len(kv)/2+2)
	fields = append(fields, levelField(level))
	for len(kv) > 1 {
		fields = append(fields, field(fmt.Sprint(kv[0]), kv[1]))
		kv = kv[2:]
	}
	if len(kv) == 1 {
		fields = append(fields, field("extra", kv[0]))
	}
	l.sink.write(level, time.Now(), l.prov, l.subsys, msg, fields)
}

// levelKey marks the field that carries our level past zap, which has none between warn and info. Encoders leave fields
// of the skip type out; our own text shows it.
const levelKey = "fi_log_level"

func levelField(l Level) zapcore.Field {
	return zapcore.Field{Key: levelKey, Type: zapcore.SkipType, Integer: int64(l)}
}

// field makes a zap field; texts are made now, so that the caller may change what it passed.
func field(key string, v any) zapcore.Field {
	switch v := v.(type) {
	case string:
		return zapcore.Field{Key: key, Type: zapcore.StringType, String: v}
	case int:
		return zapcore.Field{Key: key, Type: zapcore.Int64Type, Integer: int64(v)}
	case int64:
		return zapcore.Field{Key: key, Type: zapcore.Int64Type, Integer: v}
	case uint64:
		return zapcore.Field{Key: key, Type: zapcore.Uint64Type, Integer: int64(v)}
	case bool:
		n := int64(0)
		if v {
			n = 1
		}
		return zapcore.Field{Key: key, Type: zapcore.BoolType, Integer: n}
	case time.Duration:
		return zapcore.Field{Key: key, Type: zapcore.DurationType, Integer: int64(v)}
	}
	return zapcore.Field{Key: key, Type: zapcore.StringType, String: fmt.Sprint(v)}
}
