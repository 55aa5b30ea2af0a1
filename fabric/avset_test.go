package fabric_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// TestAVSets: ranges, all of a vector, and what combines sets.
func TestAVSets(t *testing.T) {
	d, _, _, _ := misused(t)
	av, err := d.OpenAV(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := av.Close(); err != nil {
			t.Error(err)
		}
	})
	addrs := make([]fi.Addr, 8)
	if _, err := av.Insert([][]byte{[]byte("fi_mem://a"), []byte("fi_mem://b"), []byte("fi_mem://c"), []byte("fi_mem://d"), []byte("fi_mem://e"), []byte("fi_mem://f"), []byte("fi_mem://g"), []byte("fi_mem://h")}, addrs, 0); err != nil {
		t.Fatal(err)
	}
	if err := av.Remove(addrs[4:5]); err != nil {
		t.Fatal(err)
	}
	open := func(a *fi.AVSetAttr) *fabric.AVSet {
		t.Helper()
		s, err := av.OpenSet(a)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	is := func(what string, s *fabric.AVSet, want ...fi.Addr) {
		t.Helper()
		if got := s.Members(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	is("nothing said", open(nil))
	is("an empty range", open(&fi.AVSetAttr{Start: fi.AddrNotAvail, End: fi.AddrNotAvail}))
	is("all", open(&fi.AVSetAttr{Flags: fi.AVSetUniverse}), 0, 1, 2, 3, 5, 6, 7)
	is("a range", open(&fi.AVSetAttr{Start: 2, End: 5, Stride: 1}), 2, 3, 5)
	is("a range with a stride", open(&fi.AVSetAttr{Start: 0, End: 6, Stride: 3}), 0, 3, 6)
	is("a range beyond the vector", open(&fi.AVSetAttr{Start: 6, End: 1 << 40, Stride: 1}), 6, 7)
	is("a stride beyond the vector", open(&fi.AVSetAttr{Start: 1, End: fi.AddrNotAvail - 1, Stride: 1 << 63}), 1)

	s, other := open(&fi.AVSetAttr{Start: 0, End: 2, Stride: 1}), open(nil)
	for _, a := range []fi.Addr{7, 2, 5} {
		if err := other.Insert(a); err != nil {
			t.Fatal(err)
		}
	}
	step := func(what string, err error, want ...fi.Addr) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		is(what, s, want...)
	}
	step("union", s.Union(other), 0, 1, 2, 7, 5)
	step("union with itself", s.Union(s), 0, 1, 2, 7, 5)
	step("remove", s.Remove(1), 0, 2, 7, 5)
	step("intersect", s.Intersect(other), 2, 7, 5)
	step("insert", s.Insert(0), 2, 7, 5, 0)
	step("diff", s.Diff(other), 0)
	if a, err := s.Addr(); err != nil || a != fi.AddrNotAvail {
		t.Errorf("Addr: %v, %v", a, err)
	}

	away, err := d.OpenAV(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	foreign, err := away.OpenSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	fails := func(what string, err error, want fi.Errno) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	make := func(a fi.AVSetAttr) error {
		s, err := av.OpenSet(&a)
		if err == nil {
			s.Close()
		}
		return err
	}
	fails("a range that ends before it starts", make(fi.AVSetAttr{Start: 3, End: 2, Stride: 1}), fi.ErrInvalid)
	fails("a stride without a range", make(fi.AVSetAttr{Start: fi.AddrNotAvail, End: fi.AddrNotAvail, Stride: 1}), fi.ErrInvalid)
	fails("a range of all", make(fi.AVSetAttr{End: 2, Stride: 1, Flags: fi.AVSetUniverse}), fi.ErrInvalid)
	fails("a negative count", make(fi.AVSetAttr{Count: -1}), fi.ErrInvalid)
	fails("a long key", make(fi.AVSetAttr{CommKey: []byte{1, 2, 3}}), fi.ErrInvalid)
	fails("the key of nobody", make(fi.AVSetAttr{CommKey: []byte{255, 255}}), fi.ErrInvalid)
	fails("unknown flags", make(fi.AVSetAttr{Flags: 1}), fi.ErrBadFlags)
	fails("an address that is not in use", s.Insert(4), fi.ErrInvalid)
	fails("an address twice", s.Insert(0), fi.ErrInvalid)
	fails("an address that is not there", s.Remove(3), fi.ErrInvalid)
	fails("a set of another vector", s.Union(foreign), fi.ErrInvalid)
	fails("no set", s.Diff(nil), fi.ErrInvalid)
	is("after errors", s, 0)
	fails("a vector in use", av.Close(), fi.ErrBusy)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	fails("a set that is closed", s.Insert(1), fi.ErrBadFD)
}
