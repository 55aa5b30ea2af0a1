package launchers

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestNamespaces has two network namespaces be two hosts, with a cable between them and no other way: mpirun itself needs
// none, its ranks talk over the cable.
func TestNamespaces(t *testing.T) {
	need(t, "ip", "nsenter")
	if os.Getuid() != 0 {
		t.Skip("known: network namespaces need root")
	}
	ours := built(t)
	a, b := namespace(t), namespace(t)
	inside(t, a, "ip link add cable type veth peer name cable netns "+b)
	for i, pid := range []string{a, b} {
		inside(t, pid, "ip link set lo up")
		inside(t, pid, fmt.Sprintf("ip addr add 10.118.7.%d/24 dev cable", i+1))
		inside(t, pid, "ip link set cable up")
	}
	enter := script(t, `case $1 in a) pid=`+a+`;; b) pid=`+b+`;; *) exit 255;; esac
shift
exec nsenter -t $pid -n -- sh -c "$*"
`)
	hosts := []string{ours, "-hosts", "a:2,b:2", "-launcher-exec", enter, "-n", "4", "-x", "ROLE", self(t)}
	out, status := start(t, "join mesh=cable who leave", nil, hosts...)
	well(t, 4, "[0 0 1 1]", out, status)
	if out, status := start(t, "join mesh=cable 3:kill=9 fence leave", nil, hosts...); status != 137 {
		t.Errorf("a rank that is killed on the other host: status %d\n%s", status, out)
	}
}

// namespace makes a network namespace that ends with the test, and gives the process that keeps it.
func namespace(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if err := cmd.Start(); err != nil {
		t.Skipf("known: no network namespace can be made here: %v", err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait() //nolint:errcheck // it has ended, however
	})
	return strconv.Itoa(cmd.Process.Pid)
}

func inside(t *testing.T, pid, command string) {
	t.Helper()
	words := append([]string{"-t", pid, "-n", "--"}, strings.Fields(command)...)
	if out, err := exec.Command("nsenter", words...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}
