package examples

import (
	"strings"
	"testing"
)

// What is wrong is told in one line, with the rank, and the job ends.
func TestMistakes(t *testing.T) {
	for _, m := range []struct {
		name, program string
		where         hosts
		n             int
		want          string
	}{
		{"too few ranks", "array", over("shm"), 1, "rank 0: mpi: Send: rank (rank 1: there are 0 to 0; for more start the program with mpirun -n)"},
		{"no such provider", "hello", over("nosuch"), 2, "mpi: Init: getinfo: no provider matches the hints; nosuch: FI_PROVIDER: no provider of that name is registered"},
		{"a provider of one process", "hello", over("mem"), 2, "mpi: Init: ranks 0 and 1 have the same address: the provider mem does not leave its process"},
	} {
		t.Run(m.name, func(t *testing.T) {
			stdout, stderr, err := start(t, m.where, m.n, m.program)
			if err == nil || stdout != "" || !strings.HasPrefix(stderr, m.want) {
				t.Errorf("error %v, prints %q and %q, want %q", err, stdout, stderr, m.want)
			}
		})
	}
}
