package driver

import (
	"errors"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestKeys has keys of a vector come, be held, and go.
func TestKeys(t *testing.T) {
	v := NewAV(nil, 0)
	one, two := AuthKey{1}, AuthKey{2}
	a, fresh, err := v.InsertKey([]byte("one"), one)
	if !IsKey(a) || !fresh || err != nil {
		t.Fatalf("the first: %#x, %v, %v", uint64(a), fresh, err)
	}
	if again, fresh, err := v.InsertKey([]byte("one"), one); again != a || fresh || err != nil {
		t.Errorf("once more: %#x, %v, %v", uint64(again), fresh, err)
	}
	held := v.HoldKeys()
	b, _, _ := v.InsertKey([]byte("two"), two)
	if len(held) != 1 || held[0] != one || len(v.Keys()) != 2 {
		t.Errorf("held: %v; all: %v", held, v.Keys())
	}
	if key, sum, ok := v.Key(b); string(key) != "two" || sum != two || !ok || string(v.KeyOf(two)) != "two" {
		t.Errorf("the second: %q, %v, %v", key, sum, ok)
	}
	if err := v.RemoveKey(a); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("removed while held: %v", err)
	}
	v.DropKeys(held)
	at := v.Insert(KeyedAddr([]byte("peer"), two))
	if err := v.RemoveKey(b); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("removed with an address: %v", err)
	}
	if raw, _ := v.Lookup(at); raw == nil {
		t.Error("the address has gone")
	} else if raw, sum := SplitAddr(raw); string(raw) != "peer" || sum != two {
		t.Errorf("the address is %q under %v", raw, sum)
	}
	if err := errors.Join(v.Remove(at), v.RemoveKey(a), v.RemoveKey(b)); err != nil {
		t.Error(err)
	}
	for _, gone := range []fi.Addr{a, b, at, fi.AddrNotAvail} {
		if _, _, ok := v.Key(gone); ok || !errors.Is(v.RemoveKey(gone), fi.ErrInvalid) || !errors.Is(v.SetKeyUserID(gone, 1), fi.ErrInvalid) {
			t.Errorf("%#x is still a key", uint64(gone))
		}
	}
	if v.KeyUserID(one) != fi.AddrNotAvail || v.KeyOf(one) != nil {
		t.Error("what has gone has a number")
	}
	for i := range MaxAuthKeys {
		if _, _, err := v.InsertKey([]byte{byte(i)}, AuthKey{byte(i)}); err != nil {
			t.Fatalf("key %d: %v", i, err)
		}
	}
	if _, _, err := v.InsertKey([]byte("more"), AuthKey{255}); !errors.Is(err, fi.ErrNoMem) {
		t.Errorf("one too many: %v", err)
	}
}
