package topo

import (
	"fmt"
	"strconv"
	"strings"
)

// Finding is one line of the checklist of fi_info --doctor.
type Finding struct {
	Name  string // what was looked at, one word
	OK    bool
	Value string // what there is
	Need  string // what is needed, and for what
	Cure  string // what to do when it is not OK; empty when it is
}

// Check looks at what a fabric runs into: processors, memory and limits. What the machine does not tell makes no finding.
func (m Machine) Check() []Finding {
	var found []Finding
	for _, check := range []func() (Finding, bool){
		m.checkCPUs, m.checkQuota, m.checkGovernor, m.checkKernel, m.checkMemory, m.checkShm, m.checkHugePages,
		m.checkMemlock, m.checkPtrace, m.checkNofile, m.checkSomaxconn,
	} {
		if f, known := check(); known {
			if f.OK {
				f.Cure = ""
			}
			found = append(found, f)
		}
	}
	return found
}

func (m Machine) checkCPUs() (Finding, bool) {
	online := len(ParseCPUSet(m.text("sys/devices/system/cpu/online")))
	allowed := m.Allowed()
	return Finding{
		Name: "cpus", OK: len(allowed) >= 2,
		Value: fmt.Sprintf("%d of %d (%s)", len(allowed), online, allowed),
		Need:  "2: the sides of an exchange run at the same time",
		Cure:  "widen the affinity (taskset) or the cpuset of the container",
	}, online > 0
}

func (m Machine) checkQuota() (Finding, bool) {
	q := m.Quota()
	f := Finding{
		Name: "cpu-quota", OK: q == 0 || q >= 2, Value: "no limit",
		Need: "2 or no limit: a process that used up its share stands still for milliseconds",
		Cure: "raise the cpu limit of the container",
	}
	if q > 0 {
		f.Value = strconv.FormatFloat(q, 'g', 4, 64) + " processors"
	}
	return f, m.text("proc/self/cgroup") != ""
}

func (m Machine) checkGovernor() (Finding, bool) {
	g := m.Facts().Governor
	return Finding{
		Name: "governor", OK: g != "powersave" && g != "ondemand" && g != "conservative", Value: g,
		Need: "performance, for figures that repeat",
		Cure: "cpupower frequency-set -g performance",
	}, g != ""
}

func (m Machine) checkKernel() (Finding, bool) {
	k := m.Facts().Kernel
	return Finding{
		Name: "kernel", OK: versionAtLeast(k, 5, 3), Value: k,
		Need: "5.3, for sealed memory and for knowing at once that a peer died",
		Cure: "use a newer kernel; shm does without those on this one",
	}, k != ""
}

func versionAtLeast(v string, major, minor int) bool {
	a, rest, _ := strings.Cut(v, ".")
	b, _, _ := strings.Cut(rest, ".")
	b, _, _ = strings.Cut(b, "-")
	x, err := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	return err == nil && err2 == nil && (x > major || x == major && y >= minor)
}

// minMemory is what a handful of endpoints with their peers and some registered memory take.
const minMemory = 64 << 20

func (m Machine) checkMemory() (Finding, bool) {
	free := m.Available()
	value := size(m.memory("MemAvailable")) + " available"
	if limit := m.MemoryLimit(); limit > 0 {
		value += ", the control group may use " + size(limit)
	}
	return Finding{
		Name: "memory", OK: free >= minMemory, Value: value,
		Need: size(minMemory) + ": rings, blocks and registered memory count as ours",
		Cure: "free memory or raise the memory limit of the container",
	}, free > 0
}

func (m Machine) checkShm() (Finding, bool) {
	for line := range strings.SplitSeq(m.text("proc/self/mountinfo"), "\n") {
		w := strings.Fields(line)
		if len(w) < 10 || w[4] != "/dev/shm" {
			continue
		}
		value := "mounted"
		for opt := range strings.SplitSeq(w[len(w)-1], ",") {
			if kb, ok := strings.CutPrefix(opt, "size="); ok {
				if n, err := strconv.ParseInt(strings.TrimSuffix(kb, "k"), 10, 64); err == nil && n < 1<<50 {
					value = size(n << 10)
				}
			}
		}
		return Finding{Name: "dev-shm", OK: true, Value: value, Need: "nothing: shm keeps no files there"}, true
	}
	return Finding{Name: "dev-shm", OK: true, Value: "not mounted", Need: "nothing: shm keeps no files there"},
		m.text("proc/self/mountinfo") != ""
}

func (m Machine) checkHugePages() (Finding, bool) {
	var parts []string
	for _, h := range m.HugePages() {
		parts = append(parts, fmt.Sprintf("%d of %s", h.Free, size(h.Size)))
	}
	if t := m.TransparentHuge(); t != "" {
		parts = append(parts, "transparent: "+t)
	}
	return Finding{Name: "huge-pages", OK: true, Value: strings.Join(parts, ", "),
		Need: "nothing: regions use them when asked for"}, len(parts) > 0
}

// limit gives the soft and hard limit of a line of /proc/self/limits; -1 is unlimited.
func (m Machine) limit(name string) (soft, hard int64, ok bool) {
	for line := range strings.SplitSeq(m.text("proc/self/limits"), "\n") {
		rest, found := strings.CutPrefix(line, name)
		w := strings.Fields(rest)
		if !found || len(w) < 2 {
			continue
		}
		var n [2]int64
		for i := range n {
			v, err := strconv.ParseInt(w[i], 10, 64)
			if err != nil {
				v = -1
			}
			n[i] = v
		}
		return n[0], n[1], true
	}
	return 0, 0, false
}

func limitText(n int64, text func(int64) string) string {
	if n < 0 {
		return "unlimited"
	}
	return text(n)
}

func (m Machine) checkMemlock() (Finding, bool) {
	soft, hard, known := m.limit("Max locked memory")
	f := Finding{
		Name: "memlock", Value: limitText(soft, size) + " (hard: " + limitText(hard, size) + ")",
		Cure: "ulimit -l unlimited, or a line \"* - memlock unlimited\" in /etc/security/limits.d",
	}
	if devices := m.RDMADevices(); len(devices) > 0 {
		f.OK = soft < 0 || soft >= minMemory
		f.Need = size(minMemory) + " to register memory with " + strings.Join(devices, ", ")
	} else {
		f.OK, f.Need = true, "nothing without an RDMA device"
	}
	return f, known
}

// RDMADevices lists the names of the RDMA devices that the kernel knows.
func (m Machine) RDMADevices() []string { return m.names("sys/class/infiniband") }

func (m Machine) checkPtrace() (Finding, bool) {
	status := m.fields("proc/self/status")
	scope := m.text("proc/sys/kernel/yama/ptrace_scope")
	f := Finding{
		Name: "ptrace", OK: scope == "" || scope == "0", Value: "not restricted",
		Need: "scope 0, to copy large messages between processes in one step",
		Cure: "sysctl kernel.yama.ptrace_scope=0, or FI_SHM_PTRACER_ANY=1 for programs that accept that any process of " +
			"the user reads their memory; without, large messages are copied through blocks or mapped memory",
	}
	if scope != "" {
		f.Value = "scope " + scope
	}
	if status["Seccomp"] == "2" {
		f.Value += ", a seccomp filter may refuse the copy"
	}
	return f, len(status) > 0
}

// minNofile lets some hundred peers connect; each takes a socket and a descriptor that tells of its end.
const minNofile = 1024

func (m Machine) checkNofile() (Finding, bool) {
	soft, hard, known := m.limit("Max open files")
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	return Finding{
		Name: "nofile", OK: soft < 0 || soft >= minNofile,
		Value: limitText(soft, count) + " (hard: " + limitText(hard, count) + ")",
		Need:  fmt.Sprintf("%d: a few descriptors for each peer", minNofile),
		Cure:  fmt.Sprintf("ulimit -n %d", minNofile),
	}, known
}

// minBacklog lets a few hundred peers connect at the same moment.
const minBacklog = 1024

func (m Machine) checkSomaxconn() (Finding, bool) {
	n, known := m.number("proc/sys/net/core/somaxconn")
	return Finding{
		Name: "somaxconn", OK: n >= minBacklog, Value: strconv.FormatInt(n, 10),
		Need: fmt.Sprintf("%d: many peers connect at the same moment", minBacklog),
		Cure: "sysctl net.core.somaxconn=4096",
	}, known
}

// size gives bytes for readers.
func size(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	v, u := float64(n)/1024, 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + " " + units[u:u+1] + "iB"
}
