package faults

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// namespace is a network namespace, kept by a process that does nothing.
type namespace struct {
	pid int
}

// Addresses of the two sides; the net has room for others, at which nobody is.
const (
	addrA  = "10.117.4.1"
	addrB  = "10.117.4.2"
	nobody = "10.117.4.9"
)

// needRoot skips a test that cannot make namespaces.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("known: network namespaces need root")
	}
	for _, c := range []string{"ip", "nsenter"} {
		if _, err := exec.LookPath(c); err != nil {
			if os.Getenv("CI_INTEROP") == "1" {
				t.Fatalf("%s is missing: install iproute2 and util-linux", c)
			}
			t.Skipf("known: %s is missing: install iproute2 and util-linux", c)
		}
	}
}

// newNamespace makes a namespace that ends with the test.
func newNamespace(t *testing.T) *namespace {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), agentVariable+"=namespace")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	if err := cmd.Start(); err != nil {
		t.Skipf("known: no network namespace can be made here: %v", err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait() //nolint:errcheck // it has ended, however
	})
	if _, err := bufio.NewReader(out).ReadByte(); err != nil {
		t.Fatal("the namespace's process says nothing")
	}
	n := &namespace{pid: cmd.Process.Pid}
	n.run(t, "ip", "link", "set", "lo", "up")
	// How much a kernel keeps for a peer that reads nothing differs, and grows: some take all that a test sends.
	n.run(t, "sh", "-c", "echo 4096 131072 4000000 >/proc/sys/net/ipv4/tcp_rmem && echo 4096 16384 4000000 >/proc/sys/net/ipv4/tcp_wmem")
	return n
}

// try runs a command in the namespace.
func (n *namespace) try(args ...string) error {
	args = append([]string{"-t", strconv.Itoa(n.pid), "-n", "--"}, args...)
	out, err := exec.Command("nsenter", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (n *namespace) run(t *testing.T, args ...string) {
	t.Helper()
	check(t, n.try(args...))
}

// cabled gives two namespaces that are joined by a veth pair; each calls its end "cable".
func cabled(t *testing.T) (a, b *namespace) {
	t.Helper()
	needRoot(t)
	a, b = newNamespace(t), newNamespace(t)
	a.run(t, "ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", strconv.Itoa(b.pid))
	a.up(t, addrA)
	b.up(t, addrB)
	return a, b
}

// up gives the cable an address.
func (n *namespace) up(t *testing.T, addr string) {
	t.Helper()
	n.run(t, "ip", "addr", "add", addr+"/24", "dev", "cable")
	n.run(t, "ip", "link", "set", "cable", "up")
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// patient is how long a test waits for what must come soon, on a machine that has other things to do.
const patient = 30 * time.Second
