package topo

import (
	"bufio"
	"io/fs"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// Machine is a file system with /proc and /sys below it.
type Machine struct{ root fs.FS }

// New makes a Machine of the root of a file system: os.DirFS("/") for the one we run on.
func New(root fs.FS) Machine { return Machine{root: root} }

// text gives the content of a file without blanks around it, "" when it cannot be read.
func (m Machine) text(name string) string {
	b, err := fs.ReadFile(m.root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// number gives the content of a file that holds one number.
func (m Machine) number(name string) (int64, bool) {
	n, err := strconv.ParseInt(m.text(name), 10, 64)
	return n, err == nil
}

// fields gives the first line's value for each "key: value" of a file.
func (m Machine) fields(name string) map[string]string {
	f, err := m.root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	got := map[string]string{}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		k, v, ok := strings.Cut(sc.Text(), ":")
		k = strings.TrimSpace(k)
		if _, seen := got[k]; ok && !seen {
			got[k] = strings.TrimSpace(v)
		}
	}
	return got
}

// names lists the entries of a folder.
func (m Machine) names(folder string) []string {
	list, err := fs.ReadDir(m.root, folder)
	if err != nil {
		return nil
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	return names
}

// numbered lists the N of entries named prefixN in a folder, in the folder's order.
func (m Machine) numbered(folder, prefix string) []int {
	var ns []int
	for _, name := range m.names(folder) {
		rest, ok := strings.CutPrefix(name, prefix)
		if n, err := strconv.Atoi(rest); ok && err == nil && n >= 0 {
			ns = append(ns, n)
		}
	}
	return ns
}

// Facts are what a reader of a benchmark wants to know of the machine. Empty or 0: not known.
type Facts struct {
	OS       string // "linux"
	Arch     string // "amd64"
	Kernel   string // "6.18.0"
	Model    string // the processor's name
	Governor string // frequency governor of the first processor, "performance"
	CPUs     int    // logical processors that are online
	Memory   int64  // bytes
	Virtual  bool   // runs under a hypervisor
}

// Facts reads the machine's facts.
func (m Machine) Facts() Facts {
	cpu := m.fields("proc/cpuinfo")
	f := Facts{
		OS: runtime.GOOS, Arch: runtime.GOARCH,
		Kernel:   m.text("proc/sys/kernel/osrelease"),
		Governor: m.text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		CPUs:     len(ParseCPUSet(m.text("sys/devices/system/cpu/online"))),
		Memory:   m.memory("MemTotal"),
		Virtual:  strings.Contains(" "+cpu["flags"]+" ", " hypervisor "),
	}
	for _, key := range []string{"model name", "Model", "Hardware", "CPU part", "cpu"} {
		if f.Model == "" {
			f.Model = cpu[key]
		}
	}
	if f.CPUs == 0 {
		f.CPUs = runtime.NumCPU()
	}
	return f
}

// memory gives a line of /proc/meminfo in bytes, 0 when it is not known.
func (m Machine) memory(key string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(m.fields("proc/meminfo")[key], " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// Available is how many bytes of memory a process may still take, at most; 0 where it is not known.
func (m Machine) Available() int64 {
	free := m.memory("MemAvailable")
	if limit := m.MemoryLimit(); limit > 0 && free > 0 {
		free = min(free, limit)
	}
	return free
}

// cgroup gives the first of the files that exists in the control group of this process. name2 is the file of version 2;
// controller and name1 those of version 1. In a container the group's path may be that of the host, where only the root
// of the mount can be read: each folder up to the root is tried.
func (m Machine) cgroup(name2, controller, name1 string) string {
	for line := range strings.SplitSeq(m.text("proc/self/cgroup"), "\n") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		var roots []string
		file := name1
		switch {
		case parts[1] == "":
			roots, file = []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}, name2
		case containsWord(parts[1], controller):
			roots = []string{"sys/fs/cgroup/" + parts[1], "sys/fs/cgroup/" + controller}
		}
		for _, root := range roots {
			for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
				if s := m.text(path.Join(root, dir, file)); s != "" {
					return s
				}
				if dir == "/" {
					break
				}
			}
		}
	}
	return ""
}

func containsWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}
