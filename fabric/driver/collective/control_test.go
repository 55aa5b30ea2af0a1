package collective

import (
	"encoding/hex"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/coll"
)

// TestControlOnTheWire holds version 1 to what docs/wire/collective.md says.
func TestControlOnTheWire(t *testing.T) {
	m := message{kind: kindAbort, from: 1, to: 2, members: 5, rank: 4, id: 0x10203, hash: 0x0807060504030201, name: "me"}
	const want = "0103000001000000020000000500000003020100040000000102030405060708" + "6d65"
	b := m.encode()
	if got := hex.EncodeToString(b); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, ok := decode(b); !ok || got != m {
		t.Errorf("decoded %+v, %v", got, ok)
	}
}

// TestControlOfStrangers: what is no control message of this version is not taken for one.
func TestControlOfStrangers(t *testing.T) {
	good := (&message{kind: kindJoin, from: 1, to: 2, members: 5, rank: 4, id: 7, name: "me"}).encode()
	for what, harm := range map[string]func([]byte) []byte{
		"short":                 func(b []byte) []byte { return b[:headerSize-1] },
		"empty":                 func([]byte) []byte { return nil },
		"version 2":             func(b []byte) []byte { b[0] = 2; return b },
		"kind 0":                func(b []byte) []byte { b[1] = 0; return b },
		"kind 5":                func(b []byte) []byte { b[1] = 5; return b },
		"a sender beyond":       func(b []byte) []byte { b[4] = 5; return b },
		"a receiver beyond":     func(b []byte) []byte { b[11] = 0xff; return b },
		"a rank beyond":         func(b []byte) []byte { b[20] = 5; return b },
		"too many members":      func(b []byte) []byte { b[15] = 0xff; return b },
		"a number out of range": func(b []byte) []byte { b[18] = 2; return b },
	} {
		if m, ok := decode(harm(append([]byte(nil), good...))); ok {
			t.Errorf("%s is taken for %+v", what, m)
		}
	}
	if _, ok := decode(good); !ok {
		t.Error("the message that was harmed is none")
	}
}

// TestTagFields: the fields of tags are side by side, and as wide as what they hold.
func TestTagFields(t *testing.T) {
	if got, want := tag(0, 0, 0), driver.CollectiveTag; got != want {
		t.Errorf("%#x, want %#x", got, want)
	}
	id, seq, step := tag(2*keyed-1, 0, 0), tag(0, 1<<21-1, 0), tag(0, 0, coll.MaxTag-1)
	if id&seq != driver.CollectiveTag || seq&step != driver.CollectiveTag || id&step != driver.CollectiveTag {
		t.Errorf("fields overlap: %#x, %#x, %#x", id, seq, step)
	}
	if all := id | seq | step; all&tagControl != 0 {
		t.Errorf("fields reach the bit of control messages: %#x", all)
	}
	if tag(5, 1<<21, 3) != tag(5, 0, 3) {
		t.Error("the number of an operation does not begin again")
	}
}

// host keeps what is issued.
type host struct {
	Host
	works []*driver.Work
}

func (h *host) Issue(w *driver.Work) error {
	h.works = append(h.works, w)
	return nil
}

// TestControlGoesOn: an endpoint hears control messages after one that was too long, or whose sender ended in the middle of
// it; it ends to listen when it closes, and where no such receive can be.
func TestControlGoesOn(t *testing.T) {
	for _, c := range []struct {
		end  cq.ErrEntry
		goes bool
	}{
		{cq.ErrEntry{}, true},
		{cq.ErrEntry{Err: fi.ErrTruncated}, true},
		{cq.ErrEntry{Err: fi.ErrConnReset, Text: "peer closed"}, true},
		{cq.ErrEntry{Err: fi.ErrIO}, true},
		{cq.ErrEntry{Err: fi.ErrCanceled}, false},
		{cq.ErrEntry{Err: fi.ErrInvalid, Text: driver.RefusedLater}, false},
	} {
		h := &host{}
		eng := driver.NewEngineLock(new(driver.Lock), &fi.DomainAttr{Progress: fi.ProgressManual}, nil)
		e := New(eng, h, &fi.Info{}, &driver.Bindings{})
		eng.Lock()
		e.listenTo(fi.AddrUnspec)
		first := h.works[0]
		first.Context.(driver.Notified).Done(c.end)
		eng.Settle()
		eng.Unlock()
		if got := len(h.works) == 2 && h.works[1] == first; got != c.goes || (e.controls[fi.AddrUnspec] != nil) != c.goes {
			t.Errorf("after %v (%s): the receive was posted again: %v, want %v", c.end.Err, c.end.Text, got, c.goes)
		}
		e.Close()
		eng.Close()
	}
}

// TestProbeOfFailed: a member that was taken for ended is not told that the group is over; when it asks, it is.
func TestProbeOfFailed(t *testing.T) {
	h := &host{}
	eng := driver.NewEngineLock(new(driver.Lock), &fi.DomainAttr{Progress: fi.ProgressManual}, nil)
	defer eng.Close()
	e := New(eng, h, &fi.Info{}, &driver.Bindings{})
	defer e.Close()
	var failed fi.Errno
	at, err := e.Join(&driver.Join{Members: []fi.Addr{0, 1}, Names: [][]byte{[]byte("me"), []byte("you")}, Base: fi.AddrNotAvail, Key: -1,
		Done: func(err fi.Errno, _ string) { failed = err }})
	if err != nil {
		t.Fatal(err)
	}
	eng.Lock()
	defer eng.Unlock()
	g := e.group(at)
	probe := &message{kind: kindProbe, from: 1, members: 2, id: g.id, hash: g.hash, name: "you"}
	sent := len(h.works)
	if e.handle(probe); len(h.works) != sent {
		t.Error("a probe of a group that is well is answered by a message")
	}
	g.fail(fi.ErrConnReset, "gone", 1)
	if failed != fi.ErrConnReset || len(h.works) != sent {
		t.Errorf("the join ended with %v, and %d messages went to who has ended", failed, len(h.works)-sent)
	}
	e.handle(probe)
	if len(h.works) != sent+1 {
		t.Fatal("who asks is not told that the group is over")
	}
	if m, ok := decode(h.works[sent].Iov[0]); !ok || m.kind != kindAbort || m.to != 1 || m.rank != 0 {
		t.Errorf("it is told %+v", m)
	}
}
