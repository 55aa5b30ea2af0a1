package zlog

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"go.uber.org/zap/zapcore"
)

// textCore writes one readable line an entry:
//
//	14:02:11.123456 gofabric[4711] info shm:ep_ctrl: connected peer=fi_shm://b road=cma
type textCore struct {
	out    *lockedWriter // shared with cores made by With
	fields []zapcore.Field
}

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

func newTextCore(w io.Writer) textCore { return textCore{out: &lockedWriter{w: w}} }

func (c textCore) Enabled(zapcore.Level) bool { return true }

func (c textCore) With(f []zapcore.Field) zapcore.Core {
	return textCore{out: c.out, fields: append(c.fields[:len(c.fields):len(c.fields)], f...)}
}

func (c textCore) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	return ce.AddCore(e, c)
}

func (c textCore) Sync() error { return nil }

func (c textCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	level := e.Level.String()
	var tail strings.Builder
	for _, list := range [][]zapcore.Field{c.fields, fields} {
		for _, f := range list {
			if f.Type == zapcore.SkipType {
				if f.Key == levelKey {
					level = Level(f.Integer).String()
				}
				continue
			}
			tail.WriteByte(' ')
			tail.WriteString(f.Key)
			tail.WriteByte('=')
			tail.WriteString(quote(text(f)))
		}
	}
	line := e.Time.Format("15:04:05.000000") + " gofabric[" + strconv.Itoa(os.Getpid()) + "] " + level + " " +
		e.LoggerName + ": " + oneLine(e.Message) + tail.String() + "\n"
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	_, err := io.WriteString(c.out.w, line)
	return err
}

// text gives the value of a field as text.
func text(f zapcore.Field) string {
	if f.Type == zapcore.StringType {
		return f.String
	}
	m := zapcore.NewMapObjectEncoder()
	f.AddTo(m)
	return fmt.Sprint(m.Fields[f.Key])
}

// quote puts a value in quotes when a reader could not tell where it ends.
func quote(s string) string {
	if s == "" || strings.ContainsAny(s, " \"=") || oneLine(s) != s {
		return strconv.Quote(s)
	}
	return s
}

// oneLine keeps control characters, which peers and users may have chosen, out of terminals and logs.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
