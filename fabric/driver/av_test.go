package driver

import (
	"runtime"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// inserter has another goroutine insert an address while it hears of one that was removed.
type inserter struct {
	v    *AV
	done chan fi.Addr
}

func (i *inserter) AVInserted(fi.Addr, []byte) {}

func (i *inserter) AVRemoved(fi.Addr) {
	if i.done != nil {
		return
	}
	i.done = make(chan fi.Addr, 1)
	go func() { i.done <- i.v.Insert([]byte("new")) }()
	for i.v.Reverse([]byte("new")) == fi.AddrNotAvail { // it has its index
		runtime.Gosched()
	}
}

// TestIndexIsKeptUntilAllKnow: while a watcher may still have a removed address under its index, no other address gets it;
// afterwards the lowest index is given again.
func TestIndexIsKeptUntilAllKnow(t *testing.T) {
	v := NewAV(NewEngine(&fi.DomainAttr{Threading: fi.ThreadSafe}, nil, nil), 4)
	w := &inserter{v: v}
	v.Watch(w)
	a := v.Insert([]byte("old"))
	if err := v.Remove(a); err != nil {
		t.Fatal(err)
	}
	if got := <-w.done; got == a {
		t.Errorf("another address got index %d while that was being removed", a)
	}
	if again := v.Insert([]byte("third")); again != a {
		t.Errorf("index %d, want the lowest one that is free, %d", again, a)
	}
	if err := v.Remove(a); err != nil {
		t.Fatal(err)
	}
	if err := v.Remove(a); err != fi.ErrInvalid { //nolint:errorlint // a bare value
		t.Errorf("removed twice: %v", err)
	}
}
