package atomic

import (
	"os"
	"syscall"
	"testing"
)

// TestEdgeOfMapping executes every kernel on the first and the last elements of a mapping between two pages that nobody
// may touch.
func TestEdgeOfMapping(t *testing.T) {
	page := os.Getpagesize()
	all, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no mapping to test with: %v", err)
	}
	defer func() { _ = syscall.Munmap(all) }()
	for _, wall := range [][]byte{all[:page], all[2*page:]} {
		if err := syscall.Mprotect(wall, syscall.PROT_NONE); err != nil {
			t.Skipf("no page to forbid: %v", err)
		}
	}
	region := all[page : 2*page : 2*page]
	for _, k := range allKernels() {
		n := 3 * k.Size()
		for _, target := range [][]byte{region[:n], region[page-n:]} {
			// Buffers that do not take part are the last byte: nobody may look behind it.
			whole := make([]byte, n)
			operand, compare, result := whole, region[page-1:], region[page-1:]
			if !k.NeedsOperand() {
				operand = region[page-1:]
			}
			if k.NeedsCompare() {
				compare = whole
			}
			if k.GivesResult() {
				result = whole
			}
			if err := k.Apply(target, operand, compare, result, 3); err != nil {
				t.Fatal(err)
			}
			if err := k.ApplyShared(target, operand, compare, result, 3); err != nil && k.Shared() {
				t.Fatal(err)
			}
		}
	}
}
