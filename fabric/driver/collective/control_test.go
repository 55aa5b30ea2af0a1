package collective

import (
	"encoding/hex"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
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
