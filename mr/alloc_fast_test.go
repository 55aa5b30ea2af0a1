package mr_test

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// TestLookupAllocatesNothing finds a region and checks an access, as a target does for each.
func TestLookupAllocatesNothing(t *testing.T) {
	table := mr.NewTable()
	r := &mr.Region{Key: 7, Len: 64, Parts: [][]byte{make([]byte, 64)}, Access: fi.AccessRemoteRead, Enabled: true}
	if err := table.Add(r); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(1000, func() {
		found := table.Find(7)
		if off, err := found.Check(8, 8, fi.AccessRemoteRead); off != 8 || err != 0 {
			t.Fatal(off, err)
		}
		if _, err := found.Check(8, 8, fi.AccessRemoteWrite); err != fi.ErrAccess {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
