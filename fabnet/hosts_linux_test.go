package fabnet_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// twoHosts is run in a network and mount namespace of its own: it makes another one, joins both by a cable, gives the
// other side a name, and runs the programs: the server there, the client here; then a client that calls an address from
// which nothing comes back.
const twoHosts = `
set -e
ip link set lo up
unshare -n sleep 600 &
other=$!
trap 'kill $other $server 2>/dev/null' EXIT
until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
ip link add here type veth peer name there netns $other
ip addr add 10.99.0.1/24 dev here
ip link set here up
nsenter -t $other -n ip link set lo up
nsenter -t $other -n ip addr add 10.99.0.2/24 dev there
nsenter -t $other -n ip link set there up
echo '10.99.0.2 hostb' > "$DIR/hosts"
mount --bind "$DIR/hosts" /etc/hosts
FI_PROVIDER=tcp nsenter -t $other -n "$DIR/http" -net= -addr=:7471 > "$DIR/out" &
server=$!
until grep -q serving "$DIR/out"; do :; done
FI_PROVIDER=tcp "$DIR/get" -net= http://hostb:7471/gopher
ip link add nowhere type veth peer name drain
ip link set drain up
ip addr add 10.98.0.1/24 dev nowhere
ip link set nowhere up
ip neigh add 10.98.0.9 lladdr 02:00:00:00:00:01 dev nowhere
FI_TCP_CONNECT_TIMEOUT=300 FI_PROVIDER=tcp "$DIR/get" -net= http://10.98.0.9:7471/ 2>&1 || true
`

// TestFirstMinutes13TwoHosts runs the same programs that talk by shm on one host on two, with FI_PROVIDER=tcp and a host
// name. The error of a connection that does not come about names the interface, the address, the time, and what to look
// at.
func TestFirstMinutes13TwoHosts(t *testing.T) {
	for _, tool := range []string{"unshare", "nsenter", "ip", "mount"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("known: needs the commands unshare, nsenter, ip and mount")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // two programs are compiled
	defer cancel()
	if out, err := exec.CommandContext(ctx, "unshare", "-nm", "ip", "link", "add", "x", "type", "veth").CombinedOutput(); err != nil {
		t.Skip("known: network namespaces are for root: ", string(out))
	}
	dir := t.TempDir()
	for name, pkg := range map[string]string{"http": "../examples/http", "get": "../examples/http/get"} {
		build := exec.Command("go", "build", "-o", filepath.Join(dir, name), pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run := exec.CommandContext(ctx, "unshare", "-nm", "sh", "-c", twoHosts)
	run.Env = append(os.Environ(), "DIR="+dir)
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what the script has started ends with it
	run.Cancel = func() error { return syscall.Kill(-run.Process.Pid, syscall.SIGKILL) }
	var errs bytes.Buffer
	run.Stderr = &errs
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs.String())
	}
	first, failure, _ := strings.Cut(string(out), "\n")
	if first != "hello gopher, over tcp" {
		t.Errorf("from the other host: %q", first)
	}
	for _, want := range []string{"interface nowhere", "10.98.0.9:7471", "within 300ms", "firewall", "FI_ETIMEDOUT"} {
		if !strings.Contains(failure, want) {
			t.Errorf("%q does not say %q", failure, want)
		}
	}
}
