package mpi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTableFrom: variables come before the file, and what is wrong is named.
func TestTableFrom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table")
	set := func(env map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	}
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# measured\nbarrier dissemination\nallreduce recursive-doubling:2K,ring\n")
	table, err := tableFrom(set(map[string]string{"MPI_COLL_TABLE": file, "MPI_ALLREDUCE": "linear@3"}))
	want := "allreduce linear@3\nbarrier dissemination\nallreduce recursive-doubling:2K,ring\n"
	if err != nil || table.String() != want {
		t.Errorf("%v, %v, want %v", table, err, want)
	}
	write("\nallreduce rign\n")
	for _, c := range []struct {
		name, value string
		want        []string
	}{
		{"MPI_COLL_TABLE", file, []string{"MPI_COLL_TABLE", "line 2", "recursive-doubling"}},
		{"MPI_COLL_TABLE", file + ".not", []string{"MPI_COLL_TABLE", "every member can read"}},
		{"MPI_BCAST", "ring", []string{"MPI_BCAST", "binomial"}},
	} {
		_, err := tableFrom(set(map[string]string{c.name: c.value}))
		for _, w := range c.want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s=%s: %v, want %q in it", c.name, c.value, err, w)
			}
		}
	}
}
