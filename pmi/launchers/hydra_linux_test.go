package launchers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/internal/freeport"
)

// roles of a job that ends in order.
const roles = "join trade=10 trade=3000 fence who leave"

// TestHydra runs our ranks under MPICH's launcher, on one and on two pretended hosts.
func TestHydra(t *testing.T) {
	need(t, "mpiexec.hydra")
	for name, c := range map[string]struct {
		args  string
		env   []string
		nodes string
	}{
		"descriptor": {"-n 4", nil, "[0 0 0 0]"},
		"PMI-2":      {"-n 4", []string{"FI_PMI_VERSION=2"}, "[0 0 0 0]"},
		"port":       {"-pmi-port -n 4", nil, "[0 0 0 0]"},
		"two hosts":  {"-launcher fork -hosts a,b -n 4", nil, "[0 1 0 1]"},
		"two ports":  {"-launcher fork -pmi-port -hosts a,b -n 4", nil, "[0 1 0 1]"},
	} {
		t.Run(name, func(t *testing.T) {
			words := append([]string{"mpiexec.hydra"}, strings.Fields(c.args)...)
			role := roles
			if c.env != nil { // Hydra keeps the first value of a key in PMI-2
				role = "join trade=3000 fence who leave"
			}
			out, status := start(t, role, c.env, append(words, self(t))...)
			well(t, 4, c.nodes, out, status)
			if out, status := start(t, "join 1:abort=5 fence leave", c.env, append(words, self(t))...); status != 5 && (c.env == nil || status == 0) { // of PMI-2, Hydra forgets the status
				t.Errorf("abort: status %d\n%s", status, out)
			}
		})
	}
}

// TestMPICH runs a C program of MPICH's under our mpirun.
func TestMPICH(t *testing.T) {
	need(t, "mpicc.mpich")
	ours := built(t)
	program := t.TempDir() + "/sum"
	if out, err := exec.Command("mpicc.mpich", "-o", program, "testdata/sum.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, hosts := range [][]string{nil, {"-hosts", "a:2,b", "-launcher-exec", script(t, there)}} {
		words := append(append([]string{ours}, hosts...), "-n", "4", program)
		out, status := start(t, "", nil, words...)
		if want := []string{"rank 0 of 4: sum 6", "rank 1 of 4: sum 6", "rank 2 of 4: sum 6", "rank 3 of 4: sum 6"}; status != 0 || !slices.Equal(lines(out), want) {
			t.Errorf("status %d\n%s", status, out)
		}
		if out, status := start(t, "", nil, append(words, "abort")...); status != 9 {
			t.Errorf("abort: status %d\n%s", status, out)
		}
		if out, status := start(t, "", nil, append(words, "forget")...); status == 0 || !strings.Contains(out, "without leaving the job") {
			t.Errorf("no finalize: status %d\n%s", status, out)
		}
	}
}

// TestOpenMPI: a launcher of PMIx only. The error says what to do, and doing it helps.
func TestOpenMPI(t *testing.T) {
	need(t, "mpirun.openmpi")
	words := []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "3"}
	out, status := start(t, "join leave", nil, append(words, self(t))...)
	if status == 0 || !strings.Contains(out, "FI_PMI_RENDEZVOUS=HOST:PORT") {
		t.Errorf("status %d\n%s", status, out)
	}
	words = append(words, "-x", "FI_PMI_RENDEZVOUS=127.0.0.1:"+freeport.Find()+"/secret", "-x", "ROLE", self(t))
	out, status = start(t, roles, nil, words...)
	well(t, 3, "[]", out, status)
}
