package main

import (
	"net"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/internal/envknob"
)

// sickMachine has one processor, little that may be locked beside an RDMA device, restricted tracing and a short backlog.
var sickMachine = map[string]string{
	"sys/devices/system/cpu/online":         "0-3",
	"proc/self/status":                      "Cpus_allowed_list:\t2\n",
	"proc/self/limits":                      "Max locked memory         65536                65536                bytes\n",
	"proc/sys/kernel/yama/ptrace_scope":     "1",
	"proc/sys/net/core/somaxconn":           "128",
	"sys/class/infiniband/mlx5_0/node_type": "1: CA",
}

func TestDoctorNamesEachCure(t *testing.T) {
	w, out, _ := testWorld(sickMachine)
	if code := w.run([]string{"--doctor"}); code != exitOK {
		t.Fatalf("status %d", code)
	}
	for _, want := range []string{
		"[no] cpus        1 of 4 (2)\n                 needs: 2: the sides of an exchange run at the same time\n                 cure:  widen the affinity",
		"[no] memlock     64 KiB (hard: 64 KiB)\n                 needs: 64 MiB to register memory with mlx5_0\n                 cure:  ulimit -l unlimited",
		"[no] ptrace      scope 1\n",
		"cure:  sysctl kernel.yama.ptrace_scope=0",
		"[no] somaxconn   128\n",
		"cure:  sysctl net.core.somaxconn=4096\n",
		"[ok] rdma        mlx5_0\n",
		"[ok] variables   every FI_ variable that is set is known\n",
		"things to mend\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if n, cures := strings.Count(out.String(), "[no]"), strings.Count(out.String(), "cure:  "); n != cures || n < 4 {
		t.Errorf("%d findings have %d cures", n, cures)
	}
}

func TestDoctorMarks(t *testing.T) {
	for _, c := range []struct {
		style     cli.Style
		good, bad string
	}{
		{cli.Style{}, "[ok] rdma", "[no] cpus"},
		{cli.Style{Unicode: true}, "✓ rdma", "✗ cpus"},
		{cli.Style{Color: true}, "\x1b[32m[ok]\x1b[0m rdma", "\x1b[31m[no]\x1b[0m cpus"},
		{cli.Style{Color: true, Unicode: true}, "\x1b[32m✓\x1b[0m rdma", "\x1b[31m✗\x1b[0m cpus"},
	} {
		w, out, _ := testWorld(sickMachine)
		w.style = c.style
		w.run([]string{"--doctor"})
		if text := out.String(); !strings.Contains(text, c.good) || !strings.Contains(text, c.bad) {
			t.Errorf("%+v:\n%s", c.style, text)
		}
	}
}

func TestInterfacesAreRankedAndSayWhy(t *testing.T) {
	w, _, _ := testWorld(map[string]string{
		"sys/class/net/eth0/device/vendor": "", "sys/class/net/eth0/speed": "10000",
		"sys/class/net/eth1/device/vendor": "", "sys/class/net/eth1/speed": "2500",
		"sys/class/net/wlan0/wireless/x": "", "sys/class/net/wlan0/device/vendor": "", "sys/class/net/wlan0/speed": "-1",
		"sys/class/net/docker0/bridge/bridge_id": "", "sys/class/net/tun0/tun_flags": "0x1",
	})
	const up = net.FlagUp
	f := w.checkInterfaces([]net.Interface{
		{Name: "lo", Flags: up | net.FlagLoopback}, {Name: "docker0", Flags: up, MTU: 1500}, {Name: "veth12ab", Flags: up, MTU: 1500},
		{Name: "tun0", Flags: up | net.FlagPointToPoint, MTU: 1400}, {Name: "wlan0", Flags: up, MTU: 1500},
		{Name: "eth0", Flags: up, MTU: 9000}, {Name: "eth1", Flags: up, MTU: 1500}, {Name: "eth2"},
	})
	want := "eth0 (device, 10 Gb/s, mtu 9000), eth1 (device, 2500 Mb/s, mtu 1500), wlan0 (wireless, mtu 1500), " +
		"docker0 (bridge: containers or virtual machines of this host, mtu 1500), " +
		"veth12ab (end of a pair: one container of this host, mtu 1500), tun0 (tunnel, mtu 1400), " +
		"lo (loopback: this host only), eth2 (down)"
	if !f.OK || f.Value != want || f.Cure != "" {
		t.Errorf("got %+v", f)
	}
	f = w.checkInterfaces([]net.Interface{{Name: "lo", Flags: up | net.FlagLoopback}, {Name: "eth0"}})
	if f.OK || f.Cure == "" {
		t.Errorf("got %+v", f)
	}
	if f = w.checkInterfaces(nil); f.OK || f.Value != "none" {
		t.Errorf("got %+v", f)
	}
}

func TestVariablesThatNothingReads(t *testing.T) {
	f := checkVariables([]envknob.Stray{{Name: "FI_PROVIDR", Nearest: "FI_PROVIDER"}, {Name: "FI_EFA_X", Provider: "efa"}})
	if f.OK || f.Value != "not known: FI_PROVIDR, FI_EFA_X" || f.Cure != "export FI_PROVIDER in place of FI_PROVIDR; unset FI_EFA_X" {
		t.Errorf("got %+v", f)
	}
}

// TestDoctorReadsTheValues of variables that are known, be it their form or what they name.
func TestDoctorReadsTheValues(t *testing.T) {
	for _, c := range []struct{ name, value, need, cure string }{
		{"FI_TCP_TX_SIZE", "abc", "needs: a number of 0 or more, also with K, M or G behind it, from 1 to", "unset FI_TCP_TX_SIZE"},
		{"FI_LOG_LEVEL", "loud", "needs: one of off, warn", "unset FI_LOG_LEVEL"},
		{"FI_TCP_IFACE", "eth77", "no interface of this name", "unset FI_TCP_IFACE"},
		{"FI_LOG_PROV", "tpc", "did you mean tcp?", "unset FI_LOG_PROV"},
		{"FI_LOG_SUBSYS", "foo", "is no subsystem", "unset FI_LOG_SUBSYS"},
		{"FI_PROVIDER", "tpc", "providers that there are: ", "write tcp in place of tpc"},
		{"FI_PROVIDER", "tcp,efa", "", ""},
		{"FI_TCP_TX_SIZE", "64", "", ""},
	} {
		if c.name == "FI_TCP_IFACE" && runtime.GOOS != "linux" {
			continue
		}
		w, out, _ := testWorld(nil)
		t.Setenv(c.name, c.value) // providers read those of the process
		w.lookup = os.LookupEnv
		w.run([]string{"--doctor"})
		t.Setenv(c.name, "")
		text := out.String()
		if c.need == "" {
			if strings.Contains(text, c.name+"=") {
				t.Errorf("%s=%s is wrong?\n%s", c.name, c.value, text)
			}
			continue
		}
		for _, want := range []string{"[no] value ", c.name + "=" + c.value + "\n", c.need, "cure:  " + c.cure} {
			if !strings.Contains(text, want) {
				t.Errorf("%s=%s: %q is missing in\n%s", c.name, c.value, want, text)
			}
		}
		if n := strings.Count(text, c.name+"="); n != 1 {
			t.Errorf("%s=%s is told %d times:\n%s", c.name, c.value, n, text)
		}
	}
}
