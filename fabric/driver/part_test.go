package driver

import (
	"slices"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// diary is a watcher that writes down what it is told.
type diary struct{ told []string }

func (d *diary) AVInserted(a fi.Addr, raw []byte) {
	d.told = append(d.told, "in "+string(raw)+string(rune('0'+a)))
}
func (d *diary) AVRemoved(a fi.Addr) { d.told = append(d.told, "out "+string(rune('0'+a))) }

// TestPlace has a vector follow another one: the indices are given, and what is placed twice is replaced.
func TestPlace(t *testing.T) {
	var d diary
	v := NewAV(nil, 0)
	v.Watch(&d)
	v.Place(3, []byte("x"), 3)
	v.Place(1, []byte("x"), 7)
	if a := v.Reverse([]byte("x")); a != 1 || v.UserID(1) != 7 || v.UserID(3) != 3 {
		t.Errorf("x is %d with user id %d", a, v.UserID(1))
	}
	v.Place(1, []byte("x"), 8)
	v.Place(1, []byte("y"), 9)
	if raw, ok := v.Lookup(1); !ok || string(raw) != "y" || v.UserID(1) != 9 || v.Reverse([]byte("x")) != 3 {
		t.Errorf("1 is %q with user id %d, x is %d", raw, v.UserID(1), v.Reverse([]byte("x")))
	}
	v.Displace(1)
	v.Displace(1)
	v.Displace(100)
	if _, ok := v.Lookup(1); ok || v.Reverse([]byte("y")) != fi.AddrNotAvail || v.Stats().Addresses != 1 {
		t.Error("1 is still there")
	}
	want := []string{"in x3", "in x1", "in x1", "out 1", "in y1", "out 1"}
	if !slices.Equal(d.told, want) {
		t.Errorf("told %q, want %q", d.told, want)
	}
}
