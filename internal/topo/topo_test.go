package topo

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// machine makes a Machine from pairs of a path and a content.
func machine(pairs ...string) Machine {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1] + "\n")}
	}
	return New(m)
}

// server has two sockets of two cores with two threads each; we may not use processor 7.
func server() Machine {
	cpu := "sys/devices/system/cpu/"
	pairs := []string{
		"proc/self/status", "Name:\tx\nSeccomp:\t0\nCpus_allowed:\t7f\nCpus_allowed_list:\t0-6",
		"proc/self/cgroup", "0::/box",
		"proc/sys/kernel/osrelease", "6.1.0-18-amd64",
		"proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast One\nflags\t\t: fpu hypervisor sse\n\nprocessor\t: 1\nmodel name\t: Other",
		"proc/meminfo", "MemTotal:       2048000 kB\nMemAvailable:    1024000 kB",
		cpu + "online", "0-7",
		cpu + "cpu0/cpufreq/scaling_governor", "performance",
		cpu + "cpu0/cache/index0/level", "1", cpu + "cpu0/cache/index0/type", "Data", cpu + "cpu0/cache/index0/size", "48K",
		cpu + "cpu0/cache/index0/coherency_line_size", "64", cpu + "cpu0/cache/index0/shared_cpu_list", "0,4",
		cpu + "cpu0/cache/index3/level", "3", cpu + "cpu0/cache/index3/size", "32M",
		"sys/devices/system/node/node1/cpulist", "2-3,6-7", "sys/devices/system/node/node0/cpulist", "0-1,4-5",
		"sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:  1000 kB\nNode 0 MemFree: 5 kB",
		"sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "0",
		"sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "8", "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "5",
		"sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never",
	}
	for c, siblings := range []string{"0,4", "1,5", "2,6", "3,7", "0,4", "1,5", "2,6", "3,7"} {
		at := cpu + "cpu" + string(rune('0'+c)) + "/topology/"
		pairs = append(pairs, at+"thread_siblings_list", siblings, at+"physical_package_id", string(rune('0'+c%4/2)))
	}
	return machine(pairs...)
}

func TestCPUSet(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "0": "0", "0-3": "0-3", " 8,0-2 ,1": "0-2,8", "0,1,3": "0-1,3", "x,2": "2", "3-1": "", "-1": "", "1-x": "",
		"0-99999999999": "", "5-5": "5", "0-1,4-5": "0-1,4-5",
	} {
		if got := ParseCPUSet(in).String(); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestServer(t *testing.T) {
	m := server()
	if got := m.Allowed().String(); got != "0-6" {
		t.Errorf("allowed: %s", got)
	}
	var cores []string
	for _, c := range m.Cores() {
		cores = append(cores, c.Threads.String())
		if want := c.Threads[0] / 2; c.Node != want || c.Package != want {
			t.Errorf("core %v", c)
		}
	}
	if got := strings.Join(cores, " "); got != "0,4 1,5 2,6 3" {
		t.Errorf("cores: %s", got)
	}
	if got := m.Spread(9); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6, 0, 1}) {
		t.Errorf("spread: %v", got)
	}
	if got := m.Spread(-1); len(got) != 0 {
		t.Errorf("spread of less than nothing: %v", got)
	}
	nodes := m.Nodes()
	if len(nodes) != 2 || nodes[0].ID != 0 || nodes[0].Memory != 1000<<10 || nodes[1].CPUs.String() != "2-3,6-7" {
		t.Errorf("nodes: %v", nodes)
	}
	caches := m.Caches(0)
	if len(caches) != 2 || caches[0].Size != 48<<10 || caches[0].Line != 64 || caches[0].Shared.String() != "0,4" ||
		caches[1].Level != 3 || caches[1].Size != 32<<20 {
		t.Errorf("caches: %v", caches)
	}
	if got := m.HugePages(); !slices.Equal(got, []HugePages{{2 << 20, 8, 5}, {1 << 30, 0, 0}}) {
		t.Errorf("huge pages: %v", got)
	}
	f := m.Facts()
	if f.Model != "Fast One" || f.Kernel != "6.1.0-18-amd64" || f.Governor != "performance" || f.CPUs != 8 ||
		f.Memory != 2048000<<10 || !f.Virtual {
		t.Errorf("facts: %+v", f)
	}
	for _, c := range m.Check() {
		if !c.OK || c.Cure != "" {
			t.Errorf("finding: %+v", c)
		}
	}
}

func TestControlGroups(t *testing.T) {
	status := []string{"proc/self/status", "Cpus_allowed_list:\t0-7"}
	v2 := machine(append(status, "proc/self/cgroup", "0::/a/b",
		"sys/fs/cgroup/a/cpuset.cpus.effective", "2-3", "sys/fs/cgroup/a/b/cpu.max", "150000 100000",
		"sys/fs/cgroup/a/b/memory.max", "1048576")...)
	if v2.Allowed().String() != "2-3" || v2.Quota() != 1.5 || v2.MemoryLimit() != 1<<20 {
		t.Errorf("version 2: %v %v %v", v2.Allowed(), v2.Quota(), v2.MemoryLimit())
	}
	v1 := machine(append(status, "proc/self/cgroup", "4:cpu,cpuacct:/x\n3:cpuset:/x\n2:memory:/gone",
		"sys/fs/cgroup/cpuset/x/cpuset.effective_cpus", "1", "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "50000",
		"sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000",
		"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712")...)
	if v1.Allowed().String() != "1" || v1.Quota() != 0.5 || v1.MemoryLimit() != 0 {
		t.Errorf("version 1: %v %v %v", v1.Allowed(), v1.Quota(), v1.MemoryLimit())
	}
	free := machine(append(status, "proc/self/cgroup", "0::/", "sys/fs/cgroup/cpu.max", "max 100000",
		"sys/fs/cgroup/cpuset.cpus.effective", "90-91", "sys/fs/cgroup/memory.max", "max")...)
	if free.Allowed().String() != "0-7" || free.Quota() != 0 || free.MemoryLimit() != 0 {
		t.Errorf("no limits: %v %v %v", free.Allowed(), free.Quota(), free.MemoryLimit())
	}
}

func TestFindingsThatNeedACure(t *testing.T) {
	m := machine(
		"proc/self/status", "Cpus_allowed_list:\t3\nSeccomp:\t2",
		"sys/devices/system/cpu/online", "0-3",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave",
		"proc/sys/kernel/osrelease", "4.18.0-500.el8",
		"proc/self/cgroup", "0::/", "sys/fs/cgroup/cpu.max", "50000 100000", "sys/fs/cgroup/memory.max", "33554432",
		"proc/meminfo", "MemTotal: 9999999 kB\nMemAvailable: 9999999 kB",
		"proc/self/mountinfo", "24 23 0:22 / /dev/shm rw,relatime - tmpfs tmpfs rw,size=64k",
		"proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units\n"+
			"Max open files            256                  4096                 files\n"+
			"Max locked memory         65536                unlimited            bytes",
		"sys/class/infiniband/mlx5_0/node_type", "1: CA",
		"proc/sys/kernel/yama/ptrace_scope", "1",
		"proc/sys/net/core/somaxconn", "128",
	)
	want := []string{
		"cpus: 1 of 4 (3)",
		"cpu-quota: 0.5 processors",
		"governor: powersave",
		"kernel: 4.18.0-500.el8",
		"memory: 9.537 GiB available, the control group may use 32 MiB",
		"dev-shm: 64 KiB ok",
		"memlock: 64 KiB (hard: unlimited)",
		"ptrace: scope 1, a seccomp filter may refuse the copy",
		"nofile: 256 (hard: 4096)",
		"somaxconn: 128",
	}
	var got []string
	for _, f := range m.Check() {
		line := f.Name + ": " + f.Value
		if f.OK {
			line += " ok"
		} else if f.Cure == "" || f.Need == "" {
			t.Errorf("no cure or need: %+v", f)
		}
		got = append(got, line)
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

func TestNothingKnown(t *testing.T) {
	m := machine()
	if got := m.Check(); len(got) != 0 {
		t.Errorf("findings: %v", got)
	}
	if len(m.Allowed()) != runtime.NumCPU() || len(m.Cores()) != runtime.NumCPU() || len(m.Spread(2)) != 2 {
		t.Error("processors")
	}
	if m.Caches(0) != nil || m.Nodes() != nil || m.HugePages() != nil || m.Facts().CPUs != runtime.NumCPU() {
		t.Error("something from nothing")
	}
}

func TestThisMachine(t *testing.T) {
	m := New(os.DirFS("/"))
	if len(m.Allowed()) == 0 || len(m.Spread(3)) != 3 || m.Facts().OS != runtime.GOOS {
		t.Errorf("%v %+v", m.Allowed(), m.Facts())
	}
	t.Logf("%+v", m.Facts())
	for _, f := range m.Check() {
		t.Logf("%+v", f)
	}
}
