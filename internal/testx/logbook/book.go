package logbook

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

// Book keeps lines such as "INFO connected peer=fi_shm://a". Provider and subsystem are left out.
type Book struct {
	level slog.Level
	mu    sync.Mutex
	lines []string      // guarded by mu
	hook  func()        // guarded by mu
	wrote chan struct{} // one place
}

// New makes a book for lines of a level and above.
func New(level slog.Level) *Book { return &Book{level: level, wrote: make(chan struct{}, 1)} }

// OnLine has f called for each line, by whoever writes it.
func (b *Book) OnLine(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hook = f
}

// Enabled tells whether lines of a level are kept.
func (b *Book) Enabled(_ context.Context, l slog.Level) bool { return l >= b.level }

// WithAttrs gives the book itself.
func (b *Book) WithAttrs([]slog.Attr) slog.Handler { return b }

// WithGroup gives the book itself.
func (b *Book) WithGroup(string) slog.Handler { return b }

// Handle writes a line.
func (b *Book) Handle(_ context.Context, r slog.Record) error {
	line := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "prov" && a.Key != "subsys" {
			line += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		}
		return true
	})
	b.mu.Lock()
	b.lines = append(b.lines, line)
	hook := b.hook
	b.mu.Unlock()
	if hook != nil {
		hook()
	}
	select {
	case b.wrote <- struct{}{}:
	default:
	}
	return nil
}

// With gives the lines that contain a text.
func (b *Book) With(text string) (out []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.lines {
		if strings.Contains(l, text) {
			out = append(out, l)
		}
	}
	return out
}

// patience is how long a line may take on a busy machine.
const patience = 30 * time.Second

// Find waits for n lines that contain a text, and gives the last of them.
func (b *Book) Find(t testing.TB, text string, n int) string {
	t.Helper()
	limit := time.After(patience)
	for {
		if l := b.With(text); len(l) >= n {
			return l[n-1]
		}
		select {
		case <-b.wrote:
		case <-limit:
			t.Fatalf("not %d times %q in\n%s", n, text, strings.Join(b.With(""), "\n"))
		}
	}
}
