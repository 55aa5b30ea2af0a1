package shm_test

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
	"github.com/gofabric/gofabric/internal/testx/logbook"
	"github.com/gofabric/gofabric/providers/shm"
)

// teller opens a side that logs to b; its last return value closes everything.
func teller(t *testing.T, b *logbook.Book, env map[string]string, name string) (*fabric.Endpoint, *fabric.CQ, *fabric.AV, func()) {
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
	a, b := logbook.New(slog.LevelInfo), logbook.New(slog.LevelInfo)
	env := map[string]string{"FI_SHM_DISABLE_CMA": "1"}
	names := [2]string{fmt.Sprintf("story-a-%d", os.Getpid()), fmt.Sprintf("story-b-%d", os.Getpid())}
	epA, qA, avA, endA := teller(t, a, env, names[0])
	epB, qB, _, endB := teller(t, b, env, names[1])
	b.OnLine(func() { epB.Name(); qB.Read(make([]cq.Entry, 1)) }) //nolint:errcheck // only that they return
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
		b    *logbook.Book
		peer string
	}{{a, names[1]}, {b, names[0]}} {
		if got, want := c.b.Find(t, "INFO connected", 1), "INFO connected peer=fi_shm://"+c.peer+connected; got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
	endA()
	want := fmt.Sprintf("INFO peer closed peer=fi_shm://%s pid=%d unfinished=0", names[0], os.Getpid())
	if got := b.Find(t, "INFO peer closed", 1); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	endB()
	for _, c := range []*logbook.Book{a, b} {
		lines := c.With("")
		if n := len(lines); n > 6 || n < 5 {
			t.Errorf("%d lines:\n%s", n, strings.Join(lines, "\n"))
		}
		for _, l := range lines {
			if !strings.HasPrefix(l, "INFO ") {
				t.Errorf("a warning: %s", l)
			}
		}
	}
}

// TestWarnings causes what a user must know.
func TestWarnings(t *testing.T) {
	b := logbook.New(slog.LevelInfo)
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
	if got := b.Find(t, "WARN refused", 1); got != want {
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
	if got := b.Find(t, "WARN no connection", 1); !strings.Contains(got, "nobody listens") || !strings.HasSuffix(got, " unfinished=1") {
		t.Errorf("got %s", got)
	}
}
