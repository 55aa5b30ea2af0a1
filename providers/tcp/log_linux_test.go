package tcp_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// book keeps what is logged.
type book struct {
	level slog.Level
	mu    sync.Mutex
	lines []string
	wrote chan struct{} // one place
}

func newBook(level slog.Level) *book { return &book{level: level, wrote: make(chan struct{}, 1)} }

func (b *book) Enabled(_ context.Context, l slog.Level) bool { return l >= b.level }
func (b *book) WithAttrs([]slog.Attr) slog.Handler           { return b }
func (b *book) WithGroup(string) slog.Handler                { return b }

func (b *book) Handle(_ context.Context, r slog.Record) error {
	line := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "prov" && a.Key != "subsys" {
			line += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		}
		return true
	})
	b.mu.Lock()
	b.lines = append(b.lines, line)
	b.mu.Unlock()
	select {
	case b.wrote <- struct{}{}:
	default:
	}
	return nil
}

// with gives the lines that contain a text.
func (b *book) with(text string) (out []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.lines {
		if strings.Contains(l, text) {
			out = append(out, l)
		}
	}
	return out
}

// find waits for n lines that contain a text, and gives the last of them.
func (b *book) find(t testing.TB, text string, n int) string {
	t.Helper()
	limit := time.After(patient)
	for {
		if l := b.with(text); len(l) >= n {
			return l[n-1]
		}
		select {
		case <-b.wrote:
		case <-limit:
			t.Fatalf("not %d times %q in\n%s", n, text, strings.Join(b.with(""), "\n"))
		}
	}
}

// TestCallingAgain calls where nobody listens: the log has one line for all attempts, with the address and the reason.
func TestCallingAgain(t *testing.T) {
	b := newBook(slog.LevelInfo)
	all := openSides(t, 2, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "200"}, fi.DomainAttr{}, fabric.WithSlog(b))
	to, at := all[0].insert(t, all[1]), addrOf(t, all[1]).String()
	check(t, all[1].ep.Close())
	for n := 1; n < 3; n++ {
		check(t, all[0].ep.TSend(make([]byte, 8), to, 1, all[0].req))
		if bad := all[0].failure(t, patient); bad.Err != fi.ErrConnRefused {
			t.Fatal(bad)
		}
		b.find(t, "calling again", n)
		lines := b.with("calling again")
		want := "INFO no connection yet, calling again peer=" + at + " reason=connection refused: nobody listens there yet for=200ms limit=FI_TCP_CONNECT_TIMEOUT"
		if len(lines) != n || lines[n-1] != want {
			t.Errorf("after %d messages:\n%s\nwant that number of\n%s", n, strings.Join(lines, "\n"), want)
		}
	}
}
