package osx

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// PidStart tells when a process was started, in the kernel's own count: together with its number it names one process for
// ever, until the machine starts again. False when it cannot be told.
func PidStart(pid int) (uint64, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	// "pid (name) state ppid ..."; the name may contain anything; starttime is field 22
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 20 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(fields[19]), 10, 64)
	return n, err == nil
}

// PidSpace names the space in which process numbers mean something; 0 when it cannot be told.
func PidSpace() uint64 {
	text, err := os.Readlink("/proc/self/ns/pid") // "pid:[4026531836]"
	if err != nil {
		return 0
	}
	digits := bytes.Trim([]byte(text), "pid:[]")
	n, _ := strconv.ParseUint(string(digits), 10, 64)
	return n
}
