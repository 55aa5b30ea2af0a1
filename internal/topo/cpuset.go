package topo

import (
	"slices"
	"strconv"
	"strings"
)

// CPUSet is a set of logical processors by their numbers in the kernel, ascending.
type CPUSet []int

// maxCPU bounds the numbers that are believed, so that a strange file cannot make us take memory without end.
const maxCPU = 1 << 16

// ParseCPUSet reads the kernel's list format, "0-3,8". What does not parse is left out.
func ParseCPUSet(s string) CPUSet {
	var set CPUSet
	for part := range strings.SplitSeq(strings.TrimSpace(s), ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.Atoi(low)
		b := a
		if isRange && err == nil {
			b, err = strconv.Atoi(high)
		}
		if err != nil || a < 0 || b > maxCPU {
			continue
		}
		for ; a <= b; a++ {
			set = append(set, a)
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// String gives the kernel's list format.
func (s CPUSet) String() string {
	var b strings.Builder
	for i := 0; i < len(s); {
		j := i
		for j+1 < len(s) && s[j+1] == s[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(s[i]))
		if j > i {
			b.WriteString("-" + strconv.Itoa(s[j]))
		}
		i = j + 1
	}
	return b.String()
}

// Contains tells whether cpu is in the set.
func (s CPUSet) Contains(cpu int) bool {
	_, ok := slices.BinarySearch(s, cpu)
	return ok
}

// Intersect gives what is in both.
func (s CPUSet) Intersect(t CPUSet) CPUSet {
	var both CPUSet
	for _, c := range s {
		if t.Contains(c) {
			both = append(both, c)
		}
	}
	return both
}
