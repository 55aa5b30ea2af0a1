package shm

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// dial connects with a victim's socket and says nothing.
func dial(t testing.TB, name string) *shmem.Conn {
	t.Helper()
	return dialAddr(t, (&config{}).socketAddr(name))
}

func dialAddr(t testing.TB, a shmem.Addr) *shmem.Conn {
	t.Helper()
	c, err := shmem.Connect(a)
	for errors.Is(err, shmem.ErrAgain) {
		yield()
		c, err = shmem.Connect(a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestHostileHellos says hello in wrong ways. Each is refused, in words where the other side could understand them.
func TestHostileHellos(t *testing.T) {
	leaves(t)
	v := newVictim(t, nil)
	rings := func() *shmem.File { return create(t, ring.PairBytes, 0) }
	good := (&hello{name: "x", incarnation: 1}).marshal()
	spoil := func(f func(b []byte)) []byte {
		b := append([]byte(nil), good...)
		f(b)
		return b
	}
	tab, err := newTable()
	if err != nil {
		t.Fatal(err)
	}
	defer tab.close()
	for _, c := range []struct {
		name  string
		bytes []byte
		fds   []int
		want  string // part of the reason; empty: the connection just ends
	}{
		{"nothing but a bell and the end", nil, nil, ""},
		{"another program", []byte("GET / HTTP/1.0\r\n\r\n"), nil, "another program"},
		{"another magic", spoil(func(b []byte) { b[0]++ }), nil, "another program"},
		{"a newer release that speaks ours no more", spoil(func(b []byte) { b[8], b[10] = 9, 9 }), nil, "versions 9 to 9"},
		{"an older release", spoil(func(b []byte) { b[8], b[10] = 0, 0 }), nil, "versions 0 to 0"},
		{"short", good[:100], nil, "malformed"},
		{"only the beginning", good[:16], nil, "malformed"},
		{"long name", spoil(func(b []byte) { b[64] = 65 }), nil, "malformed"},
		{"name with a slash", spoil(func(b []byte) { b[65] = '/' }), nil, "malformed"},
		{"name with a zero", spoil(func(b []byte) { b[64], b[65], b[66] = 2, 'x', 0 }), nil, "malformed"},
		{"long reason", spoil(func(b []byte) { b[129] = 255 }), nil, "malformed"},
		{"another type", spoil(func(b []byte) { b[14] = byte(helloDatagrams) }), nil, "another type (FI_EP_RDM)"},
		{"a type that is none", spoil(func(b []byte) { b[14] = 3 }), nil, "malformed"},
		{"first line", spoil(func(b []byte) { b[24] = 128 }), nil, "malformed"},
		{"no descriptors", good, []int{}, "without its memory"},
		{"one descriptor", good, []int{tab.file.FD()}, "without its memory"},
		{"three descriptors", good, []int{rings().FD(), tab.file.FD(), tab.file.FD()}, "without its memory"},
		{"too many descriptors", good, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "without its memory"},
		{"a pipe", good, []int{pipe(t), tab.file.FD()}, "not an ordinary memory file"},
		{"a file", good, []int{plainFile(t), tab.file.FD()}, "not an ordinary memory file"},
		{"rings of another size", good, []int{create(t, ring.PairBytes*2, 0).FD(), tab.file.FD()}, "another size"},
		{"rings that we may not write", good, []int{create(t, ring.PairBytes, shmem.OwnerWrites).FD(), tab.file.FD()}, "not permitted"},
		{"table of another size", good, []int{rings().FD(), rings().FD()}, "another size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := dial(t, v.drv.name)
			defer s.Close()
			h := &hostile{t: t, conn: s}
			if c.bytes == nil {
				s.Ring()
				return
			}
			if err := s.Send(c.bytes, c.fds...); err != nil {
				t.Fatal(err)
			}
			h.refused(c.want)
		})
	}
	v.unharmed(t)
	v.drop(t)
}

func create(t testing.TB, size int, fl shmem.Flags) *shmem.File {
	t.Helper()
	f, err := shmem.Create("gofabric-hostile", size, fl)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func pipe(t testing.TB) int {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return int(r.Fd())
}

func plainFile(t testing.TB) int {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	f.Truncate(ring.PairBytes)
	return int(f.Fd())
}

// TestRefusedInWords listens as a peer of another kind does; who calls it reports what it says.
func TestRefusedInWords(t *testing.T) {
	leaves(t)
	for name, c := range map[string]struct {
		answer []byte
		want   string
	}{
		"other versions":  {func() []byte { b := (&hello{}).marshal(); b[8], b[10] = 7, 7; return b }(), "versions 7 to 7"},
		"another program": {[]byte("220 mail.example.org ESMTP ready"), "another program"},
		"a refusal":       {(&hello{status: fi.ErrProto, reason: "it is \x1b[31mMonday"}).marshal(), "refused: it is ?[31mMonday"},
		"no table":        {(&hello{}).marshal(), "descriptors"},
		"nothing":         {nil, "nobody listens"},
	} {
		t.Run(name, func(t *testing.T) {
			peer := fmt.Sprintf("other-%d-%p", os.Getpid(), t)
			l, err := shmem.Listen((&config{}).socketAddr(peer))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			n := newNode(t, opt{})
			ctx := new(int)
			if err := n.ep.TSend([]byte("hello"), n.insert(t, []byte(prefix+peer)), 1, ctx); err != nil {
				t.Fatal(err)
			}
			var s *shmem.Conn
			eventually(t, "a call", func() bool { s, err = l.Accept(); return err == nil })
			h := &hostile{t: t, conn: s}
			if m := h.recv(); m != nil {
				m.Close()
			}
			if c.answer != nil {
				s.Send(c.answer)
			} else {
				s.Close()
				l.Close()
			}
			defer s.Close()
			if c0 := n.wait(t); c0.err == 0 || c0.Context != any(ctx) || !strings.Contains(c0.text, c.want) {
				t.Errorf("%v: %q, want %q in it", c0.err, c0.text, c.want)
			}
			n.idle(t)
		})
	}
}

// TestHalfOpen has many connections that never say hello. They are bounded, and end.
func TestHalfOpen(t *testing.T) {
	leaves(t)
	v := newVictim(t, nil)
	before := holds().fds
	const many = 1000
	var all []*shmem.Conn
	for range many {
		all = append(all, dial(t, v.drv.name))
	}
	count := func() (n int) {
		v.dom.src.mu.Lock()
		defer v.dom.src.mu.Unlock()
		for _, l := range v.dom.src.links {
			if l.kind == linkNewcomer {
				n++
			}
		}
		return n
	}
	v.drive(t, "the oldest have to go", func() bool { n := count(); return n > 0 && n <= maxNewcomers })
	v.unharmed(t)
	late := newNode(t, opt{})
	late.must(t, func() error { return late.ep.TInject([]byte("hi"), late.insert(t, v.addr), 1000) })
	v.drive(t, "a good peer gets in", func() bool { return v.pairs() == 2 })
	v.drive(t, "all have to go", func() bool { return count() == 0 })
	for _, c := range all {
		c.Close()
	}
	end := time.Now().Add(patient)
	for holds().fds > before+8 && time.Now().Before(end) {
		yield()
	}
	if now := holds().fds; now > before+8 {
		t.Errorf("%d descriptors, %d before", now, before)
	}
	if err := v.ep.TRecv(make([]byte, 10), fi.AddrUnspec, 1000, 0, nil); err != nil {
		t.Fatal(err)
	}
}

// TestHostileControl sends control messages that nobody expects.
func TestHostileControl(t *testing.T) {
	leaves(t)
	v := newVictim(t, nil)
	f := create(t, 4096, 0)
	ask := func(kind byte, id uint64, more ...uint64) []byte {
		b := le.AppendUint64([]byte{kind}, id)
		for _, m := range more {
			b = le.AppendUint64(b, m)
		}
		return b
	}
	for _, c := range []struct {
		name  string
		bytes []byte
		fds   []int
		times int
		out   bool
	}{
		{"two bytes", []byte{1, 2}, nil, 1, true},
		{"unknown", ask('X', 1), nil, 1, true},
		{"long ask", ask('M', 1, 2), nil, 1, true},
		{"ask with a descriptor", ask('M', 1), []int{f.FD()}, 1, true},
		{"none, unasked", ask('N', 1), nil, 1, true},
		{"block, unasked", ask('F', 1, 4096), []int{f.FD()}, 1, true},
		{"blocks, unasked", ask('F', bulkID, poolBytes), []int{f.FD()}, 1, true},
		{"a second hello", (&hello{}).marshal(), nil, 1, true},
		{"asks for what is not there", ask('M', 1<<60), nil, 20, false},
		{"asks without end", ask('M', 1<<60), nil, 10000, true},
		{"asks for blocks that were not made", ask('M', bulkID), nil, 20, false},
		{"very long", make([]byte, 1024), nil, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := attack(t, v.drv.name, nil)
			defer h.close()
			for range c.times {
				if err := h.conn.Send(c.bytes, c.fds...); err != nil {
					if err == shmem.ErrAgain {
						yield()
						continue
					}
					break
				}
			}
			end := time.Now().Add(100 * time.Millisecond)
			if c.out {
				end = time.Now().Add(patient)
			}
			out := false
			for !out && time.Now().Before(end) {
				v.read()
				if c.times < 1000 || v.pairs() == 1 {
					out = h.thrownOut()
				}
			}
			if out != c.out {
				t.Errorf("thrown out: %v, want %v", out, c.out)
			}
		})
		v.unharmed(t)
	}
	v.drop(t)
}

// TestHostileBells rings without end: the peer is thrown out.
func TestHostileBells(t *testing.T) {
	leaves(t)
	v := newVictim(t, nil)
	h := attack(t, v.drv.name, nil)
	defer h.close()
	for range 100000 {
		if h.conn.Ring() != nil {
			break
		}
	}
	v.drive(t, "it is thrown out", h.thrownOut)
	v.unharmed(t)
	v.drop(t)
}

// TestManyConnections makes and ends connections, with and without a word, of one name and of many.
func TestManyConnections(t *testing.T) {
	leaves(t)
	v := newVictim(t, nil)
	for i := range 300 {
		h := attack(t, v.drv.name, func(hi *hello) {
			if i%2 == 0 {
				hi.name, hi.incarnation = "the-same", 5
			}
		})
		if i%3 == 0 {
			h.put(opEager|eagerTagged, 0, 12345, 0, []byte("x"))
		}
		defer h.close()
		if i%2 == 1 {
			h.close()
		}
	}
	v.drive(t, "those of one name become one", func() bool { return v.pairs() <= 2 })
	v.unharmed(t)
}
