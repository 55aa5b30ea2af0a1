package launchers

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/internal/freeport"
)

// TestSSH runs a job on this host and on another address of it, through a true ssh.
func TestSSH(t *testing.T) {
	need(t, "ssh", "ssh-keygen", "/usr/sbin/sshd")
	if os.Getuid() != 0 {
		t.Skip("known: sshd needs root here")
	}
	dir := t.TempDir()
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	port := freeport.Find()
	if _, err := os.Stat("/run/sshd"); os.IsNotExist(err) { // where sshd wants to be when it has no rights
		if err := os.Mkdir("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove("/run/sshd") })
	}
	sshd := exec.Command("/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null", "-p", port, "-h", filepath.Join(dir, "host"),
		"-o", "ListenAddress=127.0.0.2", "-o", "PidFile=none", "-o", "StrictModes=no", "-o", "UsePAM=no",
		"-o", "AuthorizedKeysFile="+filepath.Join(dir, "user.pub"))
	var said strings.Builder
	sshd.Stderr = &said
	sshd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := sshd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		sshd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended
		sshd.Wait()                          //nolint:errcheck // it was told to end
		if t.Failed() {
			t.Log(said.String())
		}
	})
	for range 500 {
		if c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.2", port)); err == nil {
			c.Close()
			break
		}
		time.Sleep(10 * time.Millisecond) // sleep: sshd does not say when it listens
	}
	env := []string{"HYDRA_LAUNCH_EXTRA_ARGS=-p " + port + " -i " + filepath.Join(dir, "user") +
		" -o BatchMode=yes -o StrictHostKeyChecking=no -o LogLevel=ERROR -o UserKnownHostsFile=" + filepath.Join(dir, "known")}
	job := []string{built(t), "-hosts", "localhost:2,127.0.0.2:2", "-launch-timeout", "1s", "-n", "4", "-x", "ROLE", self(t)}
	out, status := start(t, roles, env, job...)
	well(t, 4, "[0 0 1 1]", out, status)
	if out, status := start(t, "join 3:kill=9 fence leave", env, job...); status != 137 {
		t.Errorf("a rank that is killed: status %d\n%s", status, out)
	}
	if out, status := start(t, "join deaf 0:exit=3 hang", env, job...); status != 3 {
		t.Errorf("the other host's ranks do not end: status %d\n%s", status, out)
	}
	env[0] = strings.ReplaceAll(env[0], "-i "+filepath.Join(dir, "user"), "-i /dev/null")
	if out, status := start(t, roles, env, job...); status != 1 || !strings.Contains(out, "host 127.0.0.2: ") {
		t.Errorf("without a key: status %d\n%s", status, out)
	}
}
