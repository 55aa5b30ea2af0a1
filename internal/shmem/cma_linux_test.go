package shmem

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const cmaPages = 300 // more than one piece of 256 KiB

// The child has pages with a pattern, then one that nobody can read.
func init() {
	children["cma"] = func() {
		AllowReaders()
		mem, err := unix.Mmap(-1, 0, (cmaPages+1)*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			panic(err)
		}
		for i := range mem {
			mem[i] = pattern(i)
		}
		if err := unix.Mprotect(mem[cmaPages*4096:], unix.PROT_NONE); err != nil {
			panic(err)
		}
		said("%d", uintptr(unsafe.Pointer(&mem[0])))
	}
}

func pattern(i int) byte { return byte(i*31 + i>>12) }

// readable starts a process whose memory has the pattern from base on.
func readable(t testing.TB) (pid int, base uintptr) {
	t.Helper()
	cmd, line := child(t, "cma", "")
	fmt.Sscan(line, &base)
	pid = cmd.Process.Pid
	if _, err := ReadProcess(pid, make([]byte, 1), base); errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skip("this machine does not allow it: ", err)
	}
	return pid, base
}

func TestReadProcess(t *testing.T) {
	noLeak(t)
	pid, base := readable(t)
	const all = cmaPages * 4096
	for _, c := range []struct {
		off, n, want int
		err          error
	}{
		{0, 0, 0, nil},
		{0, 1, 1, nil},
		{4095, 2, 2, nil},
		{0, piece, piece, nil},
		{1, piece, piece, nil},
		{0, piece + 1, piece + 1, nil},
		{0, all, all, nil},
		{0, all + 1, all, unix.EFAULT},               // one byte too many after several pieces
		{piece, all, all - piece, unix.EFAULT},       // partly in the last piece
		{all - 4096, 8192, 4096, unix.EFAULT},        // partly in one piece
		{all - 100, 4096, 100, unix.EFAULT},          // not a whole page
		{all, 1, 0, unix.EFAULT},                     // nothing
		{all - piece, piece + 1, piece, unix.EFAULT}, // exactly one piece
	} {
		local := bytes.Repeat([]byte{0xee}, c.n+16)
		n, err := ReadProcess(pid, local[:c.n], base+uintptr(c.off))
		if n > c.want || err != c.err || err == nil && n != c.want {
			t.Errorf("%d bytes at %d: %d, %v; want %d, %v", c.n, c.off, n, err, c.want, c.err)
			continue
		}
		if c.want-n >= 4096 { // the kernel may stop at a page boundary before the fault
			t.Errorf("%d bytes at %d: only %d of %d came", c.n, c.off, n, c.want)
		}
		for i := range local[:n] {
			if local[i] != pattern(c.off+i) {
				t.Fatalf("%d bytes at %d: byte %d is wrong", c.n, c.off, i)
			}
		}
		for i, v := range local[c.want:] {
			if v != 0xee {
				t.Fatalf("%d bytes at %d: byte %d was touched", c.n, c.off, c.want+i)
			}
		}
	}
	for _, far := range []uintptr{0, 1, ^uintptr(0), ^uintptr(0) - 8} {
		if n, err := ReadProcess(pid, make([]byte, 64), far); n != 0 || err == nil {
			t.Errorf("at %#x: %d, %v", far, n, err)
		}
	}
	local := make([]byte, piece+5000)
	if n := testing.AllocsPerRun(50, func() { ReadProcess(pid, local, base) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := testing.AllocsPerRun(50, func() { ReadProcess(pid, local, base+all-4096) }); n != 0 {
		t.Errorf("%v allocations when it fails", n)
	}
}

func TestReadDeadProcess(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	x := 1
	if n, err := ReadProcess(cmd.Process.Pid, make([]byte, 8), uintptr(unsafe.Pointer(&x))); n != 0 || err != unix.ESRCH {
		t.Errorf("%d, %v", n, err)
	}
	for _, pid := range []int{0, -1, 1 << 30} {
		if n, err := ReadProcess(pid, make([]byte, 8), uintptr(unsafe.Pointer(&x))); n != 0 || err == nil {
			t.Errorf("process %d: %d, %v", pid, n, err)
		}
	}
}

// TestReadVouched: what was read counts only if the process still says what it said.
func TestReadVouched(t *testing.T) {
	noLeak(t)
	pid, base := readable(t)
	const all = cmaPages * 4096
	right := Voucher{At: base + 1000}
	for i := range right.Says {
		right.Says[i] = pattern(1000 + i)
	}
	wrong, nowhere, cut := right, right, right
	wrong.Says[VoucherBytes-1]++
	nowhere.At = base + all
	cut.At = base + all - VoucherBytes/2
	for _, n := range []int{1, 4096, piece, piece + 1, all} {
		local := make([]byte, n)
		if k, err := ReadVouched(pid, local, base, &right); k != n || err != nil {
			t.Errorf("%d bytes: %d, %v", n, k, err)
		}
		for i, v := range local {
			if v != pattern(i) {
				t.Fatalf("%d bytes: byte %d is wrong", n, i)
			}
		}
		for name, v := range map[string]*Voucher{"wrong": &wrong, "nowhere": &nowhere, "cut": &cut} {
			if k, err := ReadVouched(pid, local, base, v); k != 0 || err == nil {
				t.Errorf("%d bytes with a voucher that is %s: %d, %v", n, name, k, err)
			}
		}
	}
	if k, err := ReadVouched(pid, make([]byte, all+1), base, &right); k > all || err != unix.EFAULT {
		t.Errorf("one byte too many: %d, %v", k, err)
	}
	local := make([]byte, piece+1)
	if n := testing.AllocsPerRun(50, func() { ReadVouched(pid, local, base, &right) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkReadProcess(b *testing.B) {
	pid, base := readable(b)
	for _, n := range []int{4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			local := make([]byte, n)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ReadProcess(pid, local, base); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
