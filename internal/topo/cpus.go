package topo

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Allowed gives the processors that this process may run on: its affinity, cut by its control group. Where nothing is
// known it is 0 to runtime.NumCPU()-1.
func (m Machine) Allowed() CPUSet {
	set := ParseCPUSet(m.fields("proc/self/status")["Cpus_allowed_list"])
	if len(set) == 0 {
		for c := range runtime.NumCPU() {
			set = append(set, c)
		}
	}
	// A list of the control group that leaves nothing is not ours (a mount of another namespace): affinity wins.
	if group := ParseCPUSet(m.cgroup("cpuset.cpus.effective", "cpuset", "cpuset.effective_cpus")); len(group) > 0 {
		if both := set.Intersect(group); len(both) > 0 {
			set = both
		}
	}
	return set
}

// Quota gives how many processors' time the control group grants, 0.5 for half of one; 0 for no limit.
func (m Machine) Quota() float64 {
	text := m.cgroup("cpu.max", "cpu", "cpu.cfs_quota_us")
	quota, period, two := strings.Cut(text, " ")
	if !two {
		period = m.cgroup("", "cpu", "cpu.cfs_period_us")
	}
	q, err := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(strings.TrimSpace(period), 64)
	if err != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return q / p
}

// Core is a processor core with its hardware threads.
type Core struct {
	Threads CPUSet // those we may use
	Node    int    // memory node, -1 when not known
	Package int    // socket, -1 when not known
}

// Cores groups the processors that we may use by core, in the order of their first thread.
func (m Machine) Cores() []Core {
	var cores []Core
	done := map[int]bool{}
	allowed := m.Allowed()
	nodes := m.Nodes()
	for _, c := range allowed {
		if done[c] {
			continue
		}
		topology := fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/", c)
		siblings := ParseCPUSet(m.text(topology + "thread_siblings_list")).Intersect(allowed)
		if !siblings.Contains(c) {
			siblings = CPUSet{c}
		}
		core := Core{Threads: siblings, Node: -1, Package: -1}
		if p, ok := m.number(topology + "physical_package_id"); ok {
			core.Package = int(p)
		}
		for _, n := range nodes {
			if n.CPUs.Contains(c) {
				core.Node = n.ID
			}
		}
		for _, s := range siblings {
			done[s] = true
		}
		cores = append(cores, core)
	}
	return cores
}

// Spread chooses n processors for n busy threads that talk to each other: on different cores while there are cores, those
// of one memory node before those of the next, then the cores' other threads, then the same ones again.
func (m Machine) Spread(n int) []int {
	cores := m.Cores()
	slices.SortStableFunc(cores, func(a, b Core) int { return cmp.Compare(a.Node, b.Node) })
	var order []int
	for thread := 0; ; thread++ {
		before := len(order)
		for _, c := range cores {
			if thread < len(c.Threads) {
				order = append(order, c.Threads[thread])
			}
		}
		if len(order) == before {
			break
		}
	}
	chosen := make([]int, 0, max(n, 0))
	for i := range n {
		chosen = append(chosen, order[i%len(order)])
	}
	return chosen
}

// Node is a memory node (NUMA).
type Node struct {
	ID     int
	CPUs   CPUSet
	Memory int64 // bytes, 0 when not known
}

// Nodes lists the memory nodes by number; none where nothing is known.
func (m Machine) Nodes() []Node {
	var nodes []Node
	for _, id := range m.numbered("sys/devices/system/node", "node") {
		dir := fmt.Sprintf("sys/devices/system/node/node%d/", id)
		n := Node{ID: id, CPUs: ParseCPUSet(m.text(dir + "cpulist"))}
		key := fmt.Sprintf("Node %d MemTotal", id)
		if kb, err := strconv.ParseInt(strings.TrimSuffix(m.fields(dir + "meminfo")[key], " kB"), 10, 64); err == nil {
			n.Memory = kb << 10
		}
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
	return nodes
}
