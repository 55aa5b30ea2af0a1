package shm_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/providers/shm"
)

// book keeps what is logged, and calls hook for each line.
type book struct {
	mu    sync.Mutex
	lines []string
	wrote chan struct{} // one place
	hook  func()
}

func newBook() *book { return &book{wrote: make(chan struct{}, 1)} }

func (b *book) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }
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

// find waits for a line that begins with start.
func (b *book) find(t *testing.T, start string) string {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		b.mu.Lock()
		for _, l := range b.lines {
			if strings.HasPrefix(l, start) {
				b.mu.Unlock()
				return l
			}
		}
		all := strings.Join(b.lines, "\n")
		b.mu.Unlock()
		select {
		case <-b.wrote:
		case <-limit:
			t.Fatalf("no %q in\n%s", start, all)
		}
	}
}

// teller opens a side that logs to b; its last return value closes everything.
func teller(t *testing.T, b *book, env map[string]string, name string) (*fabric.Endpoint, *fabric.CQ, *fabric.AV, func()) {
	t.Helper()
	lookup := func(k string) (string, bool) { v, ok := env[k]; return v, ok }
	opts := []fabric.Option{fabric.WithRegistry(fabric.NewRegistry(shm.NewEnv(lookup))), fabric.WithEnv(lookup), fabric.WithSlog(b),
		fabric.WithNode("", name), fabric.WithFlags(fi.InfoSource)}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	infos, err := fabric.GetInfo(t.Context(), &fi.Hints{Caps: fi.CapMsg}, opts...)
	ok(err)
	f, err := fabric.Open(infos[0], opts...)
	ok(err)
	d, err := f.OpenDomain(infos[0])
	ok(err)
	q, err := d.OpenCQ(nil)
	ok(err)
	av, err := d.OpenAV(nil)
	ok(err)
	ep, err := d.OpenEndpoint(infos[0])
	ok(err)
	ok(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv))
	ok(ep.BindAV(av))
	ok(ep.Enable())
	end := sync.OnceFunc(func() {
		for _, c := range []interface{ Close() error }{ep, av, q, d, f} {
			ok(c.Close())
		}
	})
	t.Cleanup(end)
	return ep, q, av, end
}

// TestStory reads what both sides of one exchange tell. The log of one calls the library, which must not stop it.
func TestStory(t *testing.T) {
	a, b := newBook(), newBook()
	env := map[string]string{"FI_SHM_DISABLE_CMA": "1"}
	names := [2]string{fmt.Sprintf("story-a-%d", os.Getpid()), fmt.Sprintf("story-b-%d", os.Getpid())}
	epA, qA, avA, endA := teller(t, a, env, names[0])
	epB, qB, _, endB := teller(t, b, env, names[1])
	b.mu.Lock()
	b.hook = func() { epB.Name(); qB.Read(make([]cq.Entry, 1)) } //nolint:errcheck // only that they return
	b.mu.Unlock()
	if _, err := avA.Insert([][]byte{[]byte("fi_shm://" + names[1])}, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := epA.Send([]byte("hello"), 0, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := qA.SRead(t.Context(), make([]cq.Entry, 1)); err != nil {
		t.Fatal(err)
	}
	connected := fmt.Sprintf(" pid=%d roads=map, bulk cma=disabled", os.Getpid())
	for _, c := range []struct {
		b    *book
		peer string
	}{{a, names[1]}, {b, names[0]}} {
		if got, want := c.b.find(t, "INFO connected"), "INFO connected peer=fi_shm://"+c.peer+connected; got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
	endA()
	want := fmt.Sprintf("INFO peer closed peer=fi_shm://%s pid=%d unfinished=0", names[0], os.Getpid())
	if got := b.find(t, "INFO peer closed"); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	endB()
	for _, c := range []*book{a, b} {
		if n := len(c.lines); n > 6 || n < 5 {
			t.Errorf("%d lines:\n%s", n, strings.Join(c.lines, "\n"))
		}
		for _, l := range c.lines {
			if !strings.HasPrefix(l, "INFO ") {
				t.Errorf("a warning: %s", l)
			}
		}
	}
}

// TestWarnings causes what a user must know.
func TestWarnings(t *testing.T) {
	b := newBook()
	name := fmt.Sprintf("warned-%d", os.Getpid())
	ep, q, av, _ := teller(t, b, map[string]string{"FI_SHM_CONNECT_TIMEOUT": "20"}, name)
	conn, err := shmem.Connect(shmem.Abstract(fmt.Sprintf("gofabric/shm/%d/%s", os.Getuid(), name)))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Send([]byte("something else than a hello")); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("WARN refused a peer pid=%d reason=the socket belongs to another program", os.Getpid())
	if got := b.find(t, "WARN refused"); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if _, err := av.Insert([][]byte{[]byte("fi_shm://nobody-is-here")}, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := ep.Send([]byte("hello"), 0, nil); err != nil {
		t.Fatal(err)
	}
	_, err = q.SRead(t.Context(), make([]cq.Entry, 1))
	text := q.Explain(err).Error()
	if !strings.Contains(text, "nobody listens at fi_shm://nobody-is-here") || !strings.Contains(text, "start the peer") {
		t.Errorf("got %s", text)
	}
	if got := b.find(t, "WARN no connection"); !strings.Contains(got, "nobody listens") || !strings.HasSuffix(got, " unfinished=1") {
		t.Errorf("got %s", got)
	}
}
