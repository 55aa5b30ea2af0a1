package topo

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Cache is a cache of a processor.
type Cache struct {
	Level  int
	Type   string // "Data", "Instruction", "Unified"
	Size   int64  // bytes
	Line   int    // bytes
	Shared CPUSet // processors that share it
}

// Caches lists the caches of a processor, smallest level first; none where the machine does not tell (virtual ones often
// do not).
func (m Machine) Caches(cpu int) []Cache {
	dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/cache", cpu)
	var caches []Cache
	for _, i := range m.numbered(dir, "index") {
		at := fmt.Sprintf("%s/index%d/", dir, i)
		level, ok := m.number(at + "level")
		if !ok {
			continue
		}
		line, _ := m.number(at + "coherency_line_size")
		caches = append(caches, Cache{Level: int(level), Type: m.text(at + "type"), Size: parseKB(m.text(at + "size")),
			Line: int(line), Shared: ParseCPUSet(m.text(at + "shared_cpu_list"))})
	}
	slices.SortStableFunc(caches, func(a, b Cache) int { return cmp.Compare(a.Level, b.Level) })
	return caches
}

// parseKB reads sizes as sysfs writes them, "512K" or "32M"; 0 for anything else.
func parseKB(s string) int64 {
	shift := 0
	switch {
	case strings.HasSuffix(s, "K"):
		shift = 10
	case strings.HasSuffix(s, "M"):
		shift = 20
	}
	n, err := strconv.ParseInt(strings.TrimRight(s, "KM"), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return n << shift
}

// HugePages tells of one size of huge pages.
type HugePages struct {
	Size        int64 // bytes a page
	Total, Free int64 // pages
}

// HugePages lists the sizes of huge pages that the kernel has, smallest first.
func (m Machine) HugePages() []HugePages {
	const dir = "sys/kernel/mm/hugepages"
	var list []HugePages
	for _, size := range m.hugeSizes(dir) {
		at := fmt.Sprintf("%s/hugepages-%dkB/", dir, size)
		total, _ := m.number(at + "nr_hugepages")
		free, _ := m.number(at + "free_hugepages")
		list = append(list, HugePages{Size: size << 10, Total: total, Free: free})
	}
	return list
}

func (m Machine) hugeSizes(dir string) []int64 {
	var sizes []int64
	for _, name := range m.names(dir) {
		kb, ok := strings.CutPrefix(strings.TrimSuffix(name, "kB"), "hugepages-")
		if n, err := strconv.ParseInt(kb, 10, 32); ok && err == nil && n > 0 {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	return sizes
}

// TransparentHuge gives the mode of transparent huge pages: "always", "madvise", "never", or "" when not known.
func (m Machine) TransparentHuge() string {
	text := m.text("sys/kernel/mm/transparent_hugepage/enabled")
	_, rest, _ := strings.Cut(text, "[")
	mode, _, _ := strings.Cut(rest, "]")
	return mode
}

// MemoryLimit gives how many bytes the control group of this process may use, shared memory included; 0 for no limit.
func (m Machine) MemoryLimit() int64 {
	n, err := strconv.ParseInt(m.cgroup("memory.max", "memory", "memory.limit_in_bytes"), 10, 64)
	// Version 1 writes "no limit" as a number near the largest.
	if err != nil || n <= 0 || n >= 1<<62 {
		return 0
	}
	return n
}
