package driver

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// list is an AVSource; nil once nobody may ask it any more.
type list struct {
	t    *testing.T
	raw  []string
	gone bool
}

func (l *list) Len() int {
	if l.gone {
		l.t.Error("the source was asked after Detach")
	}
	return len(l.raw)
}

func (l *list) At(i int) ([]byte, bool) { return []byte(l.raw[i]), l.raw[i] != "" }

// note is an AVWatcher.
type note struct {
	e   *Engine
	got []string
}

func (n *note) AVInserted(a fi.Addr, raw []byte) {
	n.got = append(n.got, "+"+string(rune('0'+a))+string(raw))
}
func (n *note) AVRemoved(a fi.Addr) { n.got = append(n.got, "-"+string(rune('0'+a))) }

// TestMirror follows a source: what was looked up meanwhile is told of, too, and a place with another address is a removal
// and an insertion.
func TestMirror(t *testing.T) {
	e := NewEngine(domain(fi.ProgressManual), quiet{make(chan struct{}, 1)}, nil)
	src := &list{t: t, raw: []string{"a", "", "c"}}
	v := NewMirror(e, src)
	n := &note{e: e}
	v.Watch(n)
	if raw, ok := v.Lookup(2); !ok || string(raw) != "c" || v.Reverse([]byte("c")) != 2 || len(n.got) != 0 {
		t.Errorf("looked up: %q, %v, told %v", raw, ok, n.got)
	}
	for _, a := range []fi.Addr{1, 3, fi.AddrNotAvail} {
		if raw, ok := v.Lookup(a); ok {
			t.Errorf("address %d is %q", a, raw)
		}
	}
	sync := func(want ...string) {
		t.Helper()
		n.got = nil
		v.SyncSoon()
		if len(n.got) != 0 {
			t.Error("told before a poll")
		}
		e.Polled()
		if len(n.got) != len(want) {
			t.Errorf("told %v, want %v", n.got, want)
			return
		}
		for i, w := range want {
			if n.got[i] != w {
				t.Errorf("told %v, want %v", n.got, want)
			}
		}
	}
	sync("+2c", "+0a")
	sync()
	src.raw = []string{"a", "b", "", "d"}
	sync("+1b", "-2", "+3d")
	src.raw[0] = "x"
	sync("-0", "+0x")
	src.raw = append(src.raw, "e", "f")
	n.got = nil
	if a := v.Reverse([]byte("f")); a != 5 || len(n.got) != 0 { // a sender that is new in the source
		t.Errorf("the new one is at %d, told %v", a, n.got)
	}
	sync("+4e", "+5f")
	if a := v.Reverse([]byte("nobody")); a != fi.AddrNotAvail {
		t.Errorf("a stranger is at %d", a)
	}
	v.SyncSoon()
	v.Detach()
	src.gone = true
	e.Close() // what was asked for runs
	if _, ok := v.Lookup(7); ok {
		t.Error("a detached mirror knows more than it has seen")
	}
}
