package mr_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

func ExampleView() {
	mem, err := mr.Alloc(32)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mem.Free()
	numbers, err := mr.View[uint64](mem.Bytes())
	fmt.Println(len(numbers), err)
	// Output: 4 <nil>
}

func TestViewRefuses(t *testing.T) {
	b := make([]byte, 64)
	_, ptr := mr.View[*int](b)
	_, str := mr.View[struct {
		N int
		S string
	}](b)
	_, none := mr.View[struct{}](b)
	_, part := mr.View[uint64](b[:7])
	_, shift := mr.View[uint64](b[1:9])
	for name, err := range map[string]error{"pointer": ptr, "string": str, "no size": none, "part": part, "shift": shift} {
		if !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	v, err := mr.View[[2]uint16](b)
	if err != nil || len(v) != 16 {
		t.Fatal(len(v), err)
	}
	v[3][1] = 0xffff
	if b[14] != 0xff {
		t.Error("a view is not the memory itself")
	}
}

func TestAlloc(t *testing.T) {
	for _, n := range []int{0, -1} {
		if _, err := mr.Alloc(n); !errors.Is(err, fi.ErrInvalid) {
			t.Error(n, err)
		}
	}
	m, err := mr.Alloc(5000)
	if err != nil {
		t.Fatal(err)
	}
	b, off := mr.Find(m.Bytes()[100:200])
	if b == nil || off != 100 {
		t.Fatal(b, off)
	}
	if x, _ := mr.Find(make([]byte, 8)); x != nil {
		t.Error("ordinary memory was found")
	}
	b.Retain()
	if err := m.Free(); !errors.Is(err, fi.ErrBusy) {
		t.Error(err)
	}
	b.Release()
	freed := false
	b.OnFree(t, func() { freed = true })
	if err := m.Free(); err != nil || !freed {
		t.Error(err, freed)
	}
	if err := m.Free(); err != nil {
		t.Error(err)
	}
	if b.OnFree(t, func() {}) {
		t.Error("a freed block took a watcher")
	}
}
