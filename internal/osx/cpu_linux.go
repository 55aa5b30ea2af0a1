package osx

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// CPUs lists the processors that this thread may run on, in ascending order. Where the system cannot tell it is 0 to
// runtime.NumCPU-1.
func CPUs() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return allCPUs()
	}
	var list []int
	for i := 0; len(list) < set.Count(); i++ {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	return list
}

// Pin binds all threads of this process, and those that they will make, to one processor. GOMAXPROCS stays as it is.
// Where the system cannot pin it returns [errors.ErrUnsupported].
func Pin(cpu int) error {
	if cpu < 0 || cpu >= maxCPU {
		return fmt.Errorf("osx: pin to processor %d: %w", cpu, unix.EINVAL)
	}
	done := map[int]bool{}
	for again := true; again; { // a thread made meanwhile by one that was not yet bound
		again = false
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("osx: pin: %w", err)
		}
		for _, task := range tasks {
			tid, err := strconv.Atoi(task.Name())
			if err != nil || done[tid] {
				continue
			}
			if err := pinTask(tid, cpu); err != nil && err != unix.ESRCH {
				return fmt.Errorf("osx: pin to processor %d: %w", cpu, err)
			}
			done[tid], again = true, true
		}
	}
	return nil
}

// PinThread binds the calling thread to one processor. The caller holds it by runtime.LockOSThread; threads made by it
// later inherit the binding. Where the system cannot pin it returns [errors.ErrUnsupported].
func PinThread(cpu int) error {
	if cpu < 0 || cpu >= maxCPU {
		return fmt.Errorf("osx: pin to processor %d: %w", cpu, unix.EINVAL)
	}
	if err := pinTask(0, cpu); err != nil {
		return fmt.Errorf("osx: pin to processor %d: %w", cpu, err)
	}
	return nil
}

const maxCPU = 1024 // bits of a unix.CPUSet

func pinTask(tid, cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	return unix.SchedSetaffinity(tid, &set)
}
