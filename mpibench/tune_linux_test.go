package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/internal/coll"
)

// TestTune: the table has a rule for each operation at each size, and a job uses it.
func TestTune(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table")
	out, err := job(t, 3, "tune", "-m", "8:8", "-i", "1", "-x", "0", "-o", file, "-v")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, file) {
		t.Errorf("it says %q", out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	table, err := coll.ParseTable(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tuned {
		for _, members := range []int{2, 3, 100} {
			for _, n := range []int{0, 64, 1 << 20} {
				a := coll.Args{Coll: c, Members: members, Count: n, Size: 8}
				fits := false
				for i := range table {
					r := table[i]
					fits = fits || r.Coll == c && members >= r.MinMembers && (r.MaxMembers == 0 || members <= r.MaxMembers) && (r.MaxBytes == 0 || a.Bytes() <= r.MaxBytes)
				}
				if !fits {
					t.Errorf("no rule for %v of %d members, %d elements:\n%s", c, members, n, text)
				}
			}
		}
	}
	t.Setenv("MPI_COLL_TABLE", file)
	if _, err := job(t, 3, "allreduce", "-m", "8:64", "-i", "3"); err != nil {
		t.Error("with the table:", err)
	}
}

// TestTuneSome: only what was asked for, to the standard output; wrong names are refused.
func TestTuneSome(t *testing.T) {
	out, err := job(t, 2, "tune", "-m", "8:8", "-i", "2", "-x", "0", "-C", "allreduce,barrier")
	if err != nil {
		t.Fatal(err)
	}
	table, err := coll.ParseTable(out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := map[coll.Coll]bool{}
	for _, r := range table {
		got[r.Coll] = true
	}
	if len(got) != 2 || !got[coll.Allreduce] || !got[coll.Barrier] || !strings.HasPrefix(out, "# 2 ranks over ") {
		t.Errorf("%s", out)
	}
	var c config
	if _, err := newCommand(&c).Parse([]string{"tune", "-C", "allreduce,bcast"}); err == nil || !strings.Contains(err.Error(), "broadcast") {
		t.Errorf("a wrong name: %v", err)
	}
}
