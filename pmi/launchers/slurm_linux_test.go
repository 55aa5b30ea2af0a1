package launchers

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gofabric/gofabric/internal/freeport"
)

// TestSlurm runs our ranks under srun, on one node and on two that are this machine both.
func TestSlurm(t *testing.T) {
	need(t, "srun", "slurmctld", "slurmd", "munged")
	if os.Getuid() != 0 {
		t.Skip("known: slurmd needs root")
	}
	for nodes, mapping := range map[int]string{1: "[0 0 0 0]", 2: "[0 0 1 1]"} {
		t.Run(fmt.Sprintf("%d nodes", nodes), func(t *testing.T) {
			env := slurm(t, nodes)
			srun := []string{"srun", "--overcommit", "-N", fmt.Sprint(nodes), "-n", "4"}
			for name, c := range map[string]struct{ mpi, version string }{"PMI-2": {"pmi2", "auto"}, "PMI-1": {"pmi2", "1"}} {
				out, status := start(t, roles, append(env, "FI_PMI_VERSION="+c.version), append(srun, "--mpi="+c.mpi, self(t))...)
				t.Log(name)
				well(t, 4, mapping, out, status)
			}
			if out, status := start(t, "join 1:abort=5 fence leave", env, append(srun, "--mpi=pmi2", self(t))...); status == 0 {
				t.Errorf("abort: status %d\n%s", status, out)
			}

			batch(t, env, nodes, mapping)

			none := append(srun, "--mpi=none", self(t))
			out, status := start(t, "join leave", env, none...)
			if status == 0 || !strings.Contains(out, "--mpi=pmi2") {
				t.Errorf("without PMI: status %d\n%s", status, out)
			}
			out, status = start(t, roles, append(env, "FI_PMI_RENDEZVOUS=127.0.0.1:"+freeport.Find()), none...)
			well(t, 4, "[]", out, status)
		})
	}
}

// batch runs the script of docs/guide/cluster.md.
func batch(t *testing.T, env []string, nodes int, mapping string) {
	t.Helper()
	text := filepath.Join(t.TempDir(), "out")
	out, status := start(t, roles, env, "sbatch", "--wait", "--overcommit", "--output="+text, "--nodes="+strconv.Itoa(nodes),
		"../../docs/guide/cluster/job.sh", self(t))
	said, err := os.ReadFile(text)
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	well(t, 4, mapping, string(said), status)
}

// slurm starts a cluster of this machine until the test ends, and gives the environment of its commands.
func slurm(t *testing.T, nodes int) []string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, text []byte, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if err := os.Chmod(dir, 0o755); err != nil { // munged is strict about who may write where
		t.Fatal(err)
	}
	key := make([]byte, 1024)
	rand.Read(key)
	socket := filepath.Join(dir, "munge.socket")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	var names, ports []string
	for i := range nodes {
		names, ports = append(names, fmt.Sprintf("n%d", i+1)), append(ports, freeport.Find())
	}
	var conf strings.Builder
	fmt.Fprintf(&conf, `ClusterName=test
SlurmctldHost=%[2]s(127.0.0.1)
SlurmctldPort=%[3]s
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[4]s
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=pmi2
ReturnToService=2
StateSaveLocation=%[1]s/state
SlurmdSpoolDir=%[1]s/spool.%%n
SlurmctldPidFile=%[1]s/slurmctld.pid
SlurmdPidFile=%[1]s/slurmd.%%n.pid
SlurmctldLogFile=%[1]s/slurmctld.log
SlurmdLogFile=%[1]s/slurmd.%%n.log
`, dir, host, freeport.Find(), socket)
	for i, n := range names {
		fmt.Fprintf(&conf, "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%s CPUs=1 State=UNKNOWN\n", n, host, ports[i])
	}
	conf.WriteString("PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE\n")
	file := write("slurm.conf", []byte(conf.String()), 0o644)
	env := []string{"SLURM_CONF=" + file}

	daemon(t, env, "munged", "--foreground", "--force", "--key-file="+write("key", key, 0o400), "--socket="+socket,
		"--pid-file="+dir+"/munged.pid", "--log-file="+dir+"/munged.log", "--seed-file="+dir+"/munged.seed")
	daemon(t, env, "slurmctld", "-D", "-i", "-f", file)
	for _, n := range names {
		daemon(t, env, "slurmd", "-D", "-f", file, "-N", n)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, log := range []string{"munged.log", "slurmctld.log", "slurmd.n1.log"} {
				b, _ := os.ReadFile(filepath.Join(dir, log))
				t.Logf("%s\n%s", log, b[max(0, len(b)-3000):])
			}
		}
	})
	return env
}

// daemon starts a program of Slurm until the test ends.
func daemon(t *testing.T, env []string, words ...string) {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended
		cmd.Wait()                          //nolint:errcheck // it was told to end
	})
}
